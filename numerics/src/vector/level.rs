//! The instruction set of the block loops, detected once per thread.

use std::cell::Cell;

/// An instruction set. The results are the same bits at every level; only the speed differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstructionSet {
    /// The baseline of the target.
    Portable,
    /// 256-bit vectors with fused multiply-add.
    Avx2,
    /// 512-bit vectors.
    Avx512,
}

impl InstructionSet {
    /// Every level, from the plainest on.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// The best level of this machine.
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw");
            match (avx2, avx512) {
                (true, true) => return Self::Avx512,
                (true, false) => return Self::Avx2,
                (false, _) => {}
            }
        }
        Self::Portable
    }
}

thread_local! {
    static LEVEL: Cell<Option<InstructionSet>> = const { Cell::new(None) };
}

/// The level that this thread uses.
#[inline]
pub fn active_level() -> InstructionSet {
    match LEVEL.get() {
        Some(level) => level,
        None => detect_level(),
    }
}

#[cold]
fn detect_level() -> InstructionSet {
    let level = InstructionSet::best();
    LEVEL.set(Some(level));
    level
}

/// Runs `f` with this thread held to `wanted`, or to the best level of the machine when it lacks that one.
///
/// For tests and benchmarks: it shows that the levels give the same bits, and what each costs.
pub fn with_level<T>(wanted: InstructionSet, f: impl FnOnce() -> T) -> T {
    struct LevelGuard(Option<InstructionSet>);
    impl Drop for LevelGuard {
        fn drop(&mut self) {
            LEVEL.set(self.0);
        }
    }
    let _restore = LevelGuard(LEVEL.replace(Some(wanted.min(InstructionSet::best()))));
    f()
}
