//! Curves and clouds of many points with as many as a picture shows.

/// A point of a curve in pixels; a gap where a coordinate is NaN.
pub(crate) type CurvePoint = (f64, f64);

/// The points of one column of pixels that decide how it looks.
#[derive(Debug, Clone, Copy)]
struct ColumnExtremes {
    column: i64,
    first: CurvePoint,
    last: CurvePoint,
    low: CurvePoint,
    high: CurvePoint,
    /// Positions of the lowest and highest point, for their order.
    low_at: usize,
    high_at: usize,
}

/// Keeps of each column of pixels the first, lowest, highest and last point, so that the curve covers the same pixels; gaps stay.
///
/// # References
/// U. Jugel et al., "M4: A Visualization-Oriented Time Series Data Aggregation", VLDB 7, 2014.
pub(crate) fn decimate_curve(
    points: impl Iterator<Item = CurvePoint>,
    is_upright: bool,
) -> Vec<Vec<CurvePoint>> {
    let mut pieces: Vec<Vec<CurvePoint>> = Vec::new();
    let mut piece: Vec<CurvePoint> = Vec::new();
    let mut run: Option<ColumnExtremes> = None;
    for (index, point) in points.enumerate() {
        if !(point.0.is_finite() && point.1.is_finite()) {
            if let Some(done) = run.take() {
                close_column(&done, &mut piece);
            }
            if !piece.is_empty() {
                pieces.push(std::mem::take(&mut piece));
            }
            continue;
        }
        let (along, across) = if is_upright {
            (point.1, point.0)
        } else {
            point
        };
        let column = libm::floor(along) as i64;
        match &mut run {
            Some(held) if held.column == column => {
                held.last = point;
                let of = |point: CurvePoint| if is_upright { point.0 } else { point.1 };
                if across < of(held.low) {
                    (held.low, held.low_at) = (point, index);
                }
                if across > of(held.high) {
                    (held.high, held.high_at) = (point, index);
                }
            }
            other => {
                if let Some(done) = other.take() {
                    close_column(&done, &mut piece);
                }
                *other = Some(ColumnExtremes {
                    column,
                    first: point,
                    last: point,
                    low: point,
                    high: point,
                    low_at: index,
                    high_at: index,
                });
            }
        }
    }
    if let Some(done) = run {
        close_column(&done, &mut piece);
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

fn close_column(column: &ColumnExtremes, piece: &mut Vec<CurvePoint>) {
    let mut add = |point: CurvePoint| {
        if piece.last() != Some(&point) {
            piece.push(point);
        }
    };
    add(column.first);
    if column.low_at <= column.high_at {
        add(column.low);
        add(column.high);
    } else {
        add(column.high);
        add(column.low);
    }
    add(column.last);
}

/// The places that a cloud has taken: of many points in one, the first shows.
#[derive(Debug)]
pub(crate) struct CloudCells {
    taken: Vec<u64>,
    columns: usize,
    per_pixel: f64,
}

impl CloudCells {
    /// Cells for a panel of a size in pixels: half a pixel, and above 100,000 points half their radius, at least a pixel.
    pub(crate) fn new(width: f64, height: f64, points: usize, radius: f64) -> Self {
        let per_pixel = if points > 100_000 {
            (2.0 / radius).min(1.0)
        } else {
            2.0
        };
        let columns = (width * per_pixel) as usize + 2;
        let rows = (height * per_pixel) as usize + 2;
        Self {
            taken: vec![0; (columns * rows).div_ceil(64)],
            columns,
            per_pixel,
        }
    }

    /// Takes the cell of a place; whether it was free.
    pub(crate) fn take(&mut self, x: f64, y: f64) -> bool {
        let cell = (y * self.per_pixel) as usize * self.columns + (x * self.per_pixel) as usize;
        let (word, bit) = (cell / 64, 1_u64 << (cell % 64));
        match self.taken.get_mut(word) {
            Some(word) if *word & bit == 0 => {
                *word |= bit;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_and_gaps_stay() {
        let points = (0..1000).map(|index| {
            let x = f64::from(index) / 100.0;
            (
                x,
                if index == 357 {
                    99.0
                } else {
                    f64::from(index % 7)
                },
            )
        });
        let pieces = decimate_curve(points, false);
        assert_eq!(pieces.len(), 1);
        assert!(pieces[0].len() <= 40 && pieces[0].contains(&(3.57, 99.0)));
        assert!(pieces[0].windows(2).all(|pair| pair[0].0 <= pair[1].0));
        let gap = [(0.0, 1.0), (1.0, f64::NAN), (2.0, 1.0), (3.0, 4.0)];
        assert_eq!(decimate_curve(gap.into_iter(), false).len(), 2);
    }
}
