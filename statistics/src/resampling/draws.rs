//! Draws from a list: with and without replacement, with weights, permutations.

use rand::RngExt;
use random_streams::stream_rng;

/// Why no draw is made.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum DrawError {
    /// More draws than items, without replacement.
    #[error("{0} draws without replacement from {1} items that can be drawn")]
    TooMany(usize, usize),
    /// A weight that is negative or not finite.
    #[error("weight {0} is {1}, and no number of at least 0")]
    Weight(usize, f64),
    /// The sum of the weights is not positive and finite.
    #[error("the sum of the weights is {0}")]
    Sum(f64),
}

/// Places of `count` draws from `size` items of equal weight, in the order of the draws; by a seed and a stream of it.
pub fn draw_places(
    size: usize,
    count: usize,
    replaces: bool,
    (seed, stream): (u64, u64),
) -> Result<Vec<usize>, DrawError> {
    let mut random = stream_rng(seed, stream);
    if replaces {
        return match size {
            0 if count > 0 => Err(DrawError::TooMany(count, 0)),
            _ => Ok((0..count).map(|_| random.random_range(0..size)).collect()),
        };
    }
    if count > size {
        return Err(DrawError::TooMany(count, size));
    }
    // The first steps of the shuffle of Fisher and Yates.
    let mut places: Vec<usize> = (0..size).collect();
    for place in 0..count {
        places.swap(place, random.random_range(place..size));
    }
    places.truncate(count);
    Ok(places)
}

/// Random signs, 1 or -1; by a seed and a stream of it.
pub fn draw_signs(count: usize, (seed, stream): (u64, u64)) -> Vec<f64> {
    let mut random = stream_rng(seed, stream);
    let sign = |is_positive| if is_positive { 1.0 } else { -1.0 };
    (0..count).map(|_| sign(random.random::<bool>())).collect()
}

/// Places of draws by weights. Without replacement each draw is by the weights of those that are left (P. S. Efraimidis and P. G. Spirakis, 2006).
pub fn draw_weighted_places(
    weights: &[f64],
    count: usize,
    replaces: bool,
    seed: u64,
) -> Result<Vec<usize>, DrawError> {
    let wrong = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0));
    if let Some(place) = wrong {
        return Err(DrawError::Weight(place, weights[place]));
    }
    let mut sum = 0.0;
    let sums: Vec<f64> = weights
        .iter()
        .map(|w| {
            sum += w;
            sum
        })
        .collect();
    if !(sum > 0.0 && sum.is_finite()) {
        return Err(DrawError::Sum(sum));
    }
    let mut random = stream_rng(seed, 0);
    if replaces {
        let last = weights.iter().rposition(|w| *w > 0.0).unwrap_or(0);
        let mut draw = || {
            let at = random.random::<f64>() * sum;
            sums.partition_point(|s| *s <= at).min(last)
        };
        return Ok((0..count).map(|_| draw()).collect());
    }
    let mut keys: Vec<(f64, usize)> = Vec::new();
    for (place, &weight) in weights.iter().enumerate() {
        let u: f64 = random.random();
        if weight > 0.0 {
            keys.push((-(1.0 - u).ln() / weight, place));
        }
    }
    if count > keys.len() {
        return Err(DrawError::TooMany(count, keys.len()));
    }
    keys.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    Ok(keys
        .into_iter()
        .take(count)
        .map(|(_, place)| place)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_without_replacement_are_distinct() {
        let mut places = draw_places(50, 50, false, (3, 0)).unwrap();
        assert_ne!(places, (0..50).collect::<Vec<_>>());
        places.sort_unstable();
        assert_eq!(places, (0..50).collect::<Vec<_>>());
        assert_eq!(
            draw_places(3, 4, false, (1, 0)),
            Err(DrawError::TooMany(4, 3))
        );
    }

    #[test]
    fn weights_are_the_shares_of_draws() {
        let drawn = draw_weighted_places(&[1.0, 0.0, 3.0], 40_000, true, 5).unwrap();
        let last = drawn.iter().filter(|place| **place == 2).count() as f64 / 40_000.0;
        assert!(!drawn.contains(&1) && (last - 0.75).abs() < 0.011, "{last}");
        // The first of two draws without replacement has the shares of the weights.
        let first = (0..4000)
            .filter(|seed| draw_weighted_places(&[1.0, 3.0], 2, false, *seed).unwrap()[0] == 1);
        assert!((first.count() as f64 / 4000.0 - 0.75).abs() < 0.035);
        assert_eq!(
            draw_weighted_places(&[1.0, 0.0], 2, false, 1),
            Err(DrawError::TooMany(2, 1))
        );
        assert_eq!(
            draw_weighted_places(&[1.0, -1.0], 1, true, 1),
            Err(DrawError::Weight(1, -1.0))
        );
    }
}
