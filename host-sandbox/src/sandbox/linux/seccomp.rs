//! The system call filter: `lists` has the denied calls, all others are allowed.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

use super::super::lists::{
    ATTRIBUTES, CONNECTED, CONTROLS, DENIED, INTERNET, METADATA, NEW_NAMESPACES, OF_KIND,
    OF_PROCESS, OWNERS, REQUESTS, SIGNALS, TRANSPORTS, UNCONNECTED, UNKNOWN_FROM,
};

/// Denials in addition to the lists that always apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SeccompDenials {
    pub metadata: bool,
    pub signals: bool,
    pub network: bool,
}

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: TargetArch = TargetArch::aarch64;
#[cfg(target_arch = "riscv64")]
const ARCHITECTURE: TargetArch = TargetArch::riscv64;

/// Installs the filters permanently for this process and its descendants.
pub(super) fn apply_filters(extra: SeccompDenials) -> io::Result<()> {
    for program in filter_programs(extra)? {
        apply_filter(&program).map_err(io::Error::other)?;
    }
    Ok(())
}

fn filter_programs(extra: SeccompDenials) -> io::Result<Vec<BpfProgram>> {
    // The flags of `clone3` are in memory, which a filter cannot read: programs fall back to `clone`.
    let clone3 = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    Ok(vec![
        compile_filter(denied_call_rules(extra)?, libc::EPERM)?,
        compile_filter(clone3, libc::ENOSYS)?,
        known_numbers(),
    ])
}

/// A filter that returns an error number for listed calls, and kills a process that uses the numbers of another architecture.
fn compile_filter(rules: BTreeMap<i64, Vec<SeccompRule>>, errno: i32) -> io::Result<BpfProgram> {
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(errno.unsigned_abs()),
        ARCHITECTURE,
    );
    filter.and_then(TryInto::try_into).map_err(io::Error::other)
}

fn denied_call_rules(extra: SeccompDenials) -> io::Result<BTreeMap<i64, Vec<SeccompRule>>> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let lists = [
        (DENIED, true),
        (METADATA, extra.metadata),
        (SIGNALS, extra.signals),
        (UNCONNECTED, extra.network),
    ];
    for (list, _) in lists.iter().filter(|(_, wanted)| *wanted) {
        rules.extend(list.iter().map(|&call| (call, Vec::new())));
    }
    // Connected pairs reach no other process. One end of any other type could send to every address: the kernel turns raw pairs
    // into datagram pairs, and may do so with future types.
    let mut pairs = other_types(CONNECTED)?;
    pairs.push(seccomp_rule([(0, SeccompCmpOp::Ne, libc::AF_UNIX as u64)])?);
    rules.insert(libc::SYS_socketpair, pairs);
    if extra.network {
        // An address is a pointer: both halves must be zero. That of `sendmsg` is in memory, which a filter cannot read.
        rules.insert(libc::SYS_sendto, vec![wide_rule(4, SeccompCmpOp::Ne, 0)?]);
    } else {
        let mut sockets = other_types(TRANSPORTS)?;
        let [a, b] = INTERNET.map(|family| (0, SeccompCmpOp::Ne, family as u64));
        sockets.push(seccomp_rule([a, b])?);
        rules.insert(libc::SYS_socket, sockets);
    }
    for &(call, process) in OF_PROCESS {
        rules.insert(call, vec![seccomp_rule([(process, SeccompCmpOp::Ne, 0)])?]);
    }
    for &(call, process) in OF_KIND {
        let of_another = seccomp_rule([(1, SeccompCmpOp::Ne, 0)])?;
        let of_other_kind = seccomp_rule([(0, SeccompCmpOp::Ne, process)])?;
        rules.insert(call, vec![of_other_kind, of_another]);
    }
    let equal = |argument, values: &[u64]| -> io::Result<Vec<SeccompRule>> {
        let one = |&value| seccomp_rule([(argument, SeccompCmpOp::Eq, value)]);
        values.iter().map(one).collect()
    };
    rules.insert(libc::SYS_fcntl, equal(1, OWNERS)?);
    rules.insert(libc::SYS_prctl, equal(0, CONTROLS)?);
    // Devices; Landlock denies named pipes and sockets.
    let device = |argument| -> io::Result<Vec<SeccompRule>> {
        let of_kind = SeccompCmpOp::MaskedEq(libc::S_IFMT.into());
        let one = |kind: u32| seccomp_rule([(argument, of_kind.clone(), u64::from(kind))]);
        [libc::S_IFCHR, libc::S_IFBLK]
            .into_iter()
            .map(one)
            .collect()
    };
    rules.insert(libc::SYS_mknodat, device(2)?);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_mknod, device(1)?);
    let flags = NEW_NAMESPACES
        .iter()
        .map(|&flag| seccomp_rule([(0, SeccompCmpOp::MaskedEq(flag), flag)]));
    rules.insert(libc::SYS_clone, flags.collect::<io::Result<_>>()?);
    let mut requests = equal(1, REQUESTS)?;
    if extra.metadata {
        // The requests of each type that pass data to the kernel.
        const WRITES: u64 = 0x4000_0000;
        let of_type = SeccompCmpOp::MaskedEq(WRITES | 0xff00);
        for kind in ATTRIBUTES {
            requests.push(seccomp_rule([(1, of_type.clone(), WRITES | kind << 8)])?);
        }
    }
    rules.insert(libc::SYS_ioctl, requests);
    // Querying the personality, or setting the default one, is harmless.
    const ASK: u64 = 0xffff_ffff;
    let other = seccomp_rule([(0, SeccompCmpOp::Ne, 0), (0, SeccompCmpOp::Ne, ASK)])?;
    rules.insert(libc::SYS_personality, vec![other]);
    Ok(rules)
}

/// A rule for each type of socket, the second argument, beside the wanted ones.
fn other_types(wanted: &[i32]) -> io::Result<Vec<SeccompRule>> {
    const TYPE: u64 = 0xf;
    let others = (0..=TYPE).filter(|kind| !wanted.iter().any(|&wanted| wanted as u64 == *kind));
    let one = |kind| seccomp_rule([(1, SeccompCmpOp::MaskedEq(TYPE), kind)]);
    others.map(one).collect()
}

/// All conditions on arguments (by index) must be true; the kernel reads these arguments as 32 bits.
fn seccomp_rule<const N: usize>(
    conditions: [(u8, SeccompCmpOp, u64); N],
) -> io::Result<SeccompRule> {
    let conditions = conditions.into_iter().map(|(index, compare, value)| {
        SeccompCondition::new(index, SeccompCmpArgLen::Dword, compare, value)
    });
    conditions
        .collect::<Result<_, _>>()
        .and_then(SeccompRule::new)
        .map_err(io::Error::other)
}

/// One condition on all 64 bits of an argument.
fn wide_rule(index: u8, compare: SeccompCmpOp, value: u64) -> io::Result<SeccompRule> {
    SeccompCondition::new(index, SeccompCmpArgLen::Qword, compare, value)
        .and_then(|condition| SeccompRule::new(vec![condition]))
        .map_err(io::Error::other)
}

/// Kills a process that uses x32 numbers, which share the architecture of x86-64 and would bypass every list; returns
/// ENOSYS for numbers newer than the lists.
fn known_numbers() -> BpfProgram {
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const X32_BIT: u32 = 0x4000_0000;
    const KILL_PROCESS: u32 = 0x8000_0000;
    const ERRNO: u32 = 0x0005_0000;
    const ALLOW: u32 = 0x7fff_0000;
    let statement = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        statement(LOAD_WORD, 0, 0, 0), // the system call number
        statement(JUMP_IF_AT_LEAST, 2, 0, X32_BIT),
        statement(JUMP_IF_AT_LEAST, 2, 0, UNKNOWN_FROM),
        statement(RETURN, 0, 0, ALLOW),
        statement(RETURN, 0, 0, KILL_PROCESS),
        statement(RETURN, 0, 0, ERRNO | libc::ENOSYS as u32),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_compiles_and_is_short_enough_for_the_kernel() {
        const PROGRAM_MAX: usize = 4096;
        for (more, network) in [(false, false), (true, true), (true, false)] {
            let extra = SeccompDenials {
                metadata: more,
                signals: more,
                network,
            };
            for program in filter_programs(extra).unwrap() {
                assert!(!program.is_empty() && program.len() <= PROGRAM_MAX);
            }
        }
    }

    #[test]
    fn lists_do_not_name_a_call_twice() {
        let mut all: Vec<i64> = [DENIED, METADATA, SIGNALS, UNCONNECTED].concat();
        all.extend(OF_PROCESS.iter().map(|(call, _)| call));
        all.extend(OF_KIND.iter().map(|(call, _)| call));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
