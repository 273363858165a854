//! Collisions between the locks of chains.

use super::Glob;
use crate::actor::Time;
use crate::fault::Fault;
use crate::limits::LOCK_PATTERNS_MAX;

/// Files that a chain holds.
#[derive(Debug, Clone, Copy)]
pub struct Held<'a> {
    /// The chain.
    pub chain: &'a str,
    /// Patterns of the files.
    pub patterns: &'a [String],
    /// When the lock ends by itself.
    pub until: Time,
}

/// Whether patterns of a chain overlap a lock of another chain.
///
/// # Errors
/// The first overlap, with both patterns; a pattern that cannot be read.
pub fn check<'a>(
    chain: &str,
    patterns: &[String],
    locks: impl IntoIterator<Item = Held<'a>>,
) -> Result<(), Fault> {
    let read = |pattern: &String| {
        Glob::parse(pattern).map_err(|message| Fault::invalid("patterns", message, pattern))
    };
    let wanted: Vec<Glob> = patterns.iter().map(read).collect::<Result<_, _>>()?;
    let count: usize = wanted.iter().map(Glob::alternatives).sum();
    if count > LOCK_PATTERNS_MAX {
        return Err(Fault::TooMany {
            what: "patterns of one lock",
            count,
            max: LOCK_PATTERNS_MAX,
        });
    }
    if wanted.is_empty() {
        return Err(Fault::Missing { field: "patterns" });
    }
    for lock in locks.into_iter().filter(|lock| lock.chain != chain) {
        for other_pattern in lock.patterns {
            let other = read(other_pattern)?;
            if let Some(position) = wanted.iter().position(|glob| glob.meets(&other)) {
                return Err(Fault::Locked {
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
pub fn holder<'a>(
    chain: Option<&str>,
    path: &[&str],
    locks: impl IntoIterator<Item = Held<'a>>,
) -> Option<Held<'a>> {
    let others = locks.into_iter().filter(|lock| Some(lock.chain) != chain);
    let holds = |pattern: &String| {
        Glob::parse(pattern).is_ok_and(|glob| glob.matches(path, super::Case::Ignored))
    };
    others
        .into_iter()
        .find(|lock| lock.patterns.iter().any(holds))
}
