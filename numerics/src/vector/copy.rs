//! Copies of numbers.

/// Numbers that are copied at once.
const PART: usize = 128;

/// `to[i] = from[i]`, as far as both go.
///
/// In parts for which the standard library takes vector instructions: for longer ones it takes the instruction that copies strings,
/// which was measured to need twenty times as long on an AMD EPYC where both places differ by a few bytes within their pages, as those of a
/// list and of the same list after one number more do.
#[inline]
pub fn copy_numbers(from: &[f64], to: &mut [f64]) {
    let count = from.len().min(to.len());
    let (from, to) = (&from[..count], &mut to[..count]);
    match count {
        0 => {}
        1 => copy_few::<1>(from, to),
        2 => copy_few::<2>(from, to),
        3 => copy_few::<3>(from, to),
        4 => copy_few::<4>(from, to),
        _ => copy_many(from, to),
    }
}

/// Without a call, and without loads that overlap: one that spans two numbers just written waits until both are in the cache.
#[inline(always)]
fn copy_few<const N: usize>(from: &[f64], to: &mut [f64]) {
    if let (Some(from), Some(to)) = (from.first_chunk::<N>(), to.first_chunk_mut()) {
        *to = *from;
    }
}

fn copy_many(from: &[f64], to: &mut [f64]) {
    for (to, from) in to.chunks_mut(PART).zip(from.chunks(PART)) {
        to.copy_from_slice(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_copied_as_far_as_both_go() {
        for (from, to) in [
            (0, 3),
            (3, 0),
            (1, 1),
            (128, 128),
            (129, 128),
            (300, 257),
            (257, 300),
        ] {
            let numbers: Vec<f64> = (1..=from).map(f64::from).collect();
            let mut copied = vec![0.0; to];
            copy_numbers(&numbers, &mut copied);
            let expected = |index: usize| numbers.get(index).copied().unwrap_or(0.0);
            assert!(
                copied
                    .iter()
                    .enumerate()
                    .all(|(index, value)| *value == expected(index))
            );
        }
    }
}
