//! Collisions between the locks of chains.

use super::PathGlob;
use crate::actor::EventTime;
use crate::fault::WorkflowFault;
use crate::limits::LOCK_PATTERNS_MAX;

/// Files that a chain holds.
#[derive(Debug, Clone, Copy)]
pub struct HeldFiles<'a> {
    /// The chain.
    pub chain: &'a str,
    /// Patterns of the files.
    pub patterns: &'a [String],
    /// When the lock ends by itself.
    pub until: EventTime,
}

/// Whether patterns of a chain overlap a lock of another chain.
///
/// # Errors
/// The first overlap, with both patterns; a pattern that cannot be read.
pub fn check_lock_overlap<'a>(
    chain: &str,
    patterns: &[String],
    locks: impl IntoIterator<Item = HeldFiles<'a>>,
) -> Result<(), WorkflowFault> {
    let read = |pattern: &String| {
        PathGlob::parse(pattern)
            .map_err(|message| WorkflowFault::invalid("patterns", message, pattern))
    };
    let wanted: Vec<PathGlob> = patterns.iter().map(read).collect::<Result<_, _>>()?;
    let count: usize = wanted.iter().map(PathGlob::alternatives).sum();
    if count > LOCK_PATTERNS_MAX {
        return Err(WorkflowFault::TooMany {
            what: "patterns of one lock",
            count,
            max: LOCK_PATTERNS_MAX,
        });
    }
    if wanted.is_empty() {
        return Err(WorkflowFault::Missing { field: "patterns" });
    }
    for lock in locks.into_iter().filter(|lock| lock.chain != chain) {
        for other_pattern in lock.patterns {
            let other = read(other_pattern)?;
            if let Some(position) = wanted.iter().position(|glob| glob.meets(&other)) {
                return Err(WorkflowFault::Locked {
                    pattern: patterns[position].clone(),
                    other: lock.chain.to_owned(),
                    other_pattern: other_pattern.clone(),
                    until: lock.until.to_string(),
                });
            }
        }
    }
    Ok(())
}

/// The lock of another chain that holds a path.
pub fn find_lock_holder<'a>(
    chain: Option<&str>,
    path: &[&str],
    locks: impl IntoIterator<Item = HeldFiles<'a>>,
) -> Option<HeldFiles<'a>> {
    let others = locks.into_iter().filter(|lock| Some(lock.chain) != chain);
    let holds = |pattern: &String| {
        PathGlob::parse(pattern).is_ok_and(|glob| glob.matches(path, super::GlobCase::Ignored))
    };
    others
        .into_iter()
        .find(|lock| lock.patterns.iter().any(holds))
}
