//! The filter of system calls. What is not listed is allowed; `lists` says what is.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

use super::super::lists::{DENIED, METADATA, NEW_NAMESPACES, SIGNALS, TERMINAL_INPUT};

/// What is denied besides the lists that always hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extra {
    pub metadata: bool,
    pub signals: bool,
}

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: TargetArch = TargetArch::aarch64;
#[cfg(target_arch = "riscv64")]
const ARCHITECTURE: TargetArch = TargetArch::riscv64;

/// Applies every filter; afterwards they hold for this process and all it starts, for good.
pub(super) fn apply(extra: Extra) -> io::Result<()> {
    for program in programs(extra)? {
        apply_filter(&program).map_err(io::Error::other)?;
    }
    Ok(())
}

fn programs(extra: Extra) -> io::Result<Vec<BpfProgram>> {
    let mut programs = vec![
        compile(denied(extra)?, libc::EPERM)?,
        // Its flags lie in memory, where a filter cannot look: programs fall back to `clone`.
        compile(
            BTreeMap::from([(libc::SYS_clone3, Vec::new())]),
            libc::ENOSYS,
        )?,
    ];
    if cfg!(target_arch = "x86_64") {
        programs.push(no_x32());
    }
    Ok(programs)
}

/// A program that answers listed calls with an error number, and kills a process that uses another architecture's numbers.
fn compile(rules: BTreeMap<i64, Vec<SeccompRule>>, errno: i32) -> io::Result<BpfProgram> {
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(errno.unsigned_abs()),
        ARCHITECTURE,
    );
    filter.and_then(TryInto::try_into).map_err(io::Error::other)
}

fn denied(extra: Extra) -> io::Result<BTreeMap<i64, Vec<SeccompRule>>> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let lists = [
        (DENIED, true),
        (METADATA, extra.metadata),
        (SIGNALS, extra.signals),
    ];
    for (list, _) in lists.iter().filter(|(_, wanted)| *wanted) {
        rules.extend(list.iter().map(|&call| (call, Vec::new())));
    }
    // Pairs of connected streams, which reach nobody else. A datagram socket of a pair could still send to any address.
    const KIND: u64 = 0xf;
    rules.insert(
        libc::SYS_socketpair,
        vec![
            rule([(0, SeccompCmpOp::Ne, libc::AF_UNIX as u64)])?,
            rule([(1, SeccompCmpOp::MaskedEq(KIND), libc::SOCK_DGRAM as u64)])?,
        ],
    );
    // Devices; pipes and sockets with a name are Landlock's to deny.
    let device = |argument| -> io::Result<Vec<SeccompRule>> {
        [libc::S_IFCHR, libc::S_IFBLK]
            .into_iter()
            .map(|kind| {
                let kind = u64::from(kind);
                rule([(argument, SeccompCmpOp::MaskedEq(libc::S_IFMT.into()), kind)])
            })
            .collect()
    };
    rules.insert(libc::SYS_mknodat, device(2)?);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_mknod, device(1)?);
    let flags = NEW_NAMESPACES
        .iter()
        .map(|&flag| rule([(0, SeccompCmpOp::MaskedEq(flag), flag)]));
    rules.insert(libc::SYS_clone, flags.collect::<io::Result<_>>()?);
    let requests = TERMINAL_INPUT
        .iter()
        .map(|&request| rule([(1, SeccompCmpOp::Eq, request)]));
    rules.insert(libc::SYS_ioctl, requests.collect::<io::Result<_>>()?);
    // Asking for the personality, or for the ordinary one, is harmless.
    const ASK: u64 = 0xffff_ffff;
    rules.insert(
        libc::SYS_personality,
        vec![rule([
            (0, SeccompCmpOp::Ne, 0),
            (0, SeccompCmpOp::Ne, ASK),
        ])?],
    );
    Ok(rules)
}

/// All conditions on arguments (by index) must hold; the kernel reads these arguments as 32 bits.
fn rule<const N: usize>(conditions: [(u8, SeccompCmpOp, u64); N]) -> io::Result<SeccompRule> {
    let conditions = conditions.into_iter().map(|(index, compare, value)| {
        SeccompCondition::new(index, SeccompCmpArgLen::Dword, compare, value)
    });
    conditions
        .collect::<Result<_, _>>()
        .and_then(SeccompRule::new)
        .map_err(io::Error::other)
}

/// Kills a process that uses the numbers of x32, which share the architecture of x86-64 and would pass every list.
fn no_x32() -> BpfProgram {
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_SET: u16 = 0x45;
    const RETURN: u16 = 0x06;
    const X32_BIT: u32 = 0x4000_0000;
    const KILL_PROCESS: u32 = 0x8000_0000;
    const ALLOW: u32 = 0x7fff_0000;
    let statement = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        statement(LOAD_WORD, 0, 0, 0), // the number of the call
        statement(JUMP_IF_SET, 0, 1, X32_BIT),
        statement(RETURN, 0, 0, KILL_PROCESS),
        statement(RETURN, 0, 0, ALLOW),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_compiles_and_is_short_enough_for_the_kernel() {
        const PROGRAM_MAX: usize = 4096;
        for (metadata, signals) in [(false, false), (true, true)] {
            for program in programs(Extra { metadata, signals }).unwrap() {
                assert!(!program.is_empty() && program.len() <= PROGRAM_MAX);
            }
        }
    }

    #[test]
    fn lists_do_not_name_a_call_twice() {
        let mut all: Vec<i64> = [DENIED, METADATA, SIGNALS].concat();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
