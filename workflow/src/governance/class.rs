//! [`CharacterClass`]: a set of characters of a pattern.

use std::str::Chars;

use super::glob::GlobCase;

const LAST: u32 = char::MAX as u32;

/// A set of characters without `/`, as ranges in order that neither touch nor overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CharacterClass(Vec<(u32, u32)>);

impl CharacterClass {
    /// Any character.
    pub(super) fn any() -> Self {
        Self::of(vec![(0, LAST)])
    }

    /// One character.
    pub(super) fn only(character: char) -> Self {
        Self(vec![(character.into(), character.into())])
    }

    /// Sorts and joins ranges, and takes `/` out.
    fn of(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        let mut joined: Vec<(u32, u32)> = Vec::new();
        for (from, to) in ranges {
            match joined.last_mut() {
                Some(last) if from <= last.1.saturating_add(1) => last.1 = last.1.max(to),
                _ => joined.push((from, to)),
            }
        }
        let slash = u32::from('/');
        let parts = |(from, to): (u32, u32)| match (from..=to).contains(&slash) {
            false => vec![(from, to)],
            true => [(from, slash - 1), (slash + 1, to)]
                .into_iter()
                .filter(|(from, to)| from <= to)
                .collect(),
        };
        Self(joined.into_iter().flat_map(parts).collect())
    }

    /// Reads the rest of `[...]`, after the bracket.
    pub(super) fn read(rest: &mut Chars<'_>) -> Result<Self, String> {
        let unclosed = || "`[...]` that is closed in the same name and not empty".to_owned();
        let mut text = Vec::new();
        loop {
            match rest.next() {
                None => return Err(unclosed()),
                // A bracket that comes first is a member.
                Some(']') if !matches!(text.as_slice(), [] | ['!' | '^']) => break,
                Some(character) => text.push(character),
            }
        }
        let negated = matches!(text.first(), Some('!' | '^'));
        let mut members = text[usize::from(negated)..].iter().copied().peekable();
        let mut ranges = Vec::new();
        while let Some(from) = members.next() {
            let mut to = from;
            if members.peek() == Some(&'-') {
                members.next();
                match members.next() {
                    Some(end) => to = end,
                    None => ranges.push(('-'.into(), '-'.into())),
                }
            }
            if to < from {
                return Err(format!("a range in order, found `{from}-{to}`"));
            }
            ranges.push((from.into(), to.into()));
        }
        let class = Self::of(ranges);
        Ok(if negated { class.others() } else { class })
    }

    fn others(&self) -> Self {
        let mut others = Vec::new();
        let mut next = 0;
        for &(from, to) in &self.0 {
            if next < from {
                others.push((next, from - 1));
            }
            next = to + 1;
        }
        if next <= LAST {
            others.push((next, LAST));
        }
        Self::of(others)
    }

    /// Whether it has a character.
    pub(super) fn has(&self, character: char, case: GlobCase) -> bool {
        let exactly = |character: char| {
            let code = u32::from(character);
            self.0.iter().any(|&(from, to)| (from..=to).contains(&code))
        };
        match case {
            GlobCase::Exact => exactly(character),
            GlobCase::Ignored => {
                exactly(character)
                    || character.to_lowercase().any(exactly)
                    || character.to_uppercase().any(exactly)
            }
        }
    }

    /// Whether some character is in both. The surrogates, which are no characters, are skipped.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let is_character = |from: u32, to: u32| from <= to && !(from >= 0xd800 && to <= 0xdfff);
        self.0.iter().any(|a| {
            other
                .0
                .iter()
                .any(|b| is_character(a.0.max(b.0), a.1.min(b.1)))
        })
    }
}
