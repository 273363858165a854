//! Dense clouds as pixels: how much of what is below each pixel still shows, multiplied point by point.
//!
//! Points of one colour need no colours while they are drawn: a pixel that n points cover with the opacities a1 .. an shows the share
//! (1 - a1) .. (1 - an) of what was below. A row of a stamp is a few lanes of numbers that are multiplied without a branch.

use tiny_skia::{Pixmap, PremultipliedColorU8};

use crate::colour::PlotColour;

/// Numbers that are multiplied at once.
const LANES: usize = 8;

/// Rows of pixels of a band: with 1,600 columns 50 kB of shares.
const BAND_ROWS: usize = 8;

/// Bands of the highest picture.
const BANDS_MAX: usize = crate::limits::SIDE_MAX as usize / BAND_ROWS;

/// Places within a pixel at which stamps are made, across and down.
pub(crate) const STAMP_STEPS: usize = 4;

/// A point as shares of what shows through, at each place within a pixel.
pub(crate) struct ClearStamps {
    /// Rows of a stamp; it has as many columns, filled up to whole lanes.
    side: usize,
    lanes: usize,
    /// Stamps by row and column of their place within a pixel.
    shares: Vec<[f32; LANES]>,
}

impl ClearStamps {
    /// Stamps of `side` rows whose opacities, from 0 to 255, `draw` gives by the place within a pixel, row by row.
    pub(crate) fn new(side: usize, draw: impl Fn(usize, usize) -> Vec<u8>) -> Self {
        let lanes = side.div_ceil(LANES);
        let mut shares = Vec::with_capacity(STAMP_STEPS * STAMP_STEPS * side * lanes);
        for down in 0..STAMP_STEPS {
            for across in 0..STAMP_STEPS {
                let opacities = draw(across, down);
                for row in opacities.chunks(side).take(side) {
                    for lane in 0..lanes {
                        let mut clear = [1.0; LANES];
                        for (share, opacity) in clear.iter_mut().zip(row.iter().skip(lane * LANES))
                        {
                            *share = f32::from(255 - opacity) / 255.0;
                        }
                        shares.push(clear);
                    }
                }
            }
        }
        Self {
            side,
            lanes,
            shares,
        }
    }

    fn at(&self, across: usize, down: usize) -> &[[f32; LANES]] {
        let size = self.side * self.lanes;
        let start = (down * STAMP_STEPS + across) * size;
        &self.shares[start..start + size]
    }
}

/// The pixels around the centres of a cloud.
struct ClearPlane {
    left: i64,
    top: i64,
    width: usize,
    height: usize,
    shares: Vec<f32>,
}

impl ClearPlane {
    /// A plane that holds a stamp at each of the centres; `None` without a centre.
    fn around(centres: &[[f32; 2]], stamps: &ClearStamps) -> Option<Self> {
        let mut low = [f32::INFINITY; 2];
        let mut high = [f32::NEG_INFINITY; 2];
        for centre in centres {
            for axis in 0..2 {
                low[axis] = low[axis].min(centre[axis]);
                high[axis] = high[axis].max(centre[axis]);
            }
        }
        if low[0] > high[0] || low[1] > high[1] {
            return None;
        }
        let half = (stamps.side / 2) as i64;
        let (left, top) = (low[0].floor() as i64 - half, low[1].floor() as i64 - half);
        let width = (high[0].floor() as i64 - half - left) as usize + stamps.lanes * LANES;
        let height = (high[1].floor() as i64 - half - top) as usize + stamps.side;
        Some(Self {
            left,
            top,
            width,
            height,
            shares: vec![1.0; width * height],
        })
    }

    fn press(&mut self, centre: [f32; 2], stamps: &ClearStamps) {
        let half = (stamps.side / 2) as i64;
        let place = |value: f32| {
            let whole = value.floor();
            let step = ((value - whole) * STAMP_STEPS as f32) as usize;
            (whole as i64, step.min(STAMP_STEPS - 1))
        };
        let ((x, across), (y, down)) = (place(centre[0]), place(centre[1]));
        let column = (x - half - self.left) as usize;
        let first = (y - half - self.top) as usize;
        let stamp = stamps.at(across, down);
        for (row, lanes) in stamp.chunks_exact(stamps.lanes).enumerate() {
            let start = (first + row) * self.width + column;
            for (lane, shares) in lanes.iter().enumerate() {
                let start = start + lane * LANES;
                let Some(target) = self.shares.get_mut(start..start + LANES) else {
                    continue;
                };
                for (below, share) in target.iter_mut().zip(shares) {
                    *below *= share;
                }
            }
        }
    }

    /// Lays a colour upon the pixels, as much as no longer shows through.
    fn colour(&self, pixels: &mut Pixmap, colour: PlotColour) {
        let (width, height) = (i64::from(pixels.width()), i64::from(pixels.height()));
        let [red, green, blue] = colour.channels.map(f32::from);
        let target = pixels.pixels_mut();
        let columns = self.left.max(0)..(self.left + self.width as i64).min(width);
        for line in self.top.max(0)..(self.top + self.height as i64).min(height) {
            let start = (line - self.top) as usize * self.width;
            for column in columns.clone() {
                let clear = self.shares[start + (column - self.left) as usize];
                if clear >= 1.0 {
                    continue;
                }
                let below = &mut target[(line * width + column) as usize];
                let mix = |above: f32, below: u8| {
                    (f32::from(below) * clear + above * (1.0 - clear) + 0.5) as u8
                };
                let whole = mix(255.0, below.alpha());
                let [red, green, blue] = [
                    mix(red, below.red()),
                    mix(green, below.green()),
                    mix(blue, below.blue()),
                ]
                .map(|channel| channel.min(whole));
                if let Some(mixed) = PremultipliedColorU8::from_rgba(red, green, blue, whole) {
                    *below = mixed;
                }
            }
        }
    }
}

/// The centres by bands of rows from above to below, so that the pixels of neighbours are still in the cache; in a band in their order.
fn by_bands(centres: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let band = |centre: &[f32; 2]| (centre[1].max(0.0) as usize / BAND_ROWS).min(BANDS_MAX - 1);
    let mut starts = vec![0_usize; BANDS_MAX + 1];
    for centre in centres {
        starts[band(centre) + 1] += 1;
    }
    for index in 1..=BANDS_MAX {
        starts[index] += starts[index - 1];
    }
    let mut ordered = vec![[0.0; 2]; centres.len()];
    for centre in centres {
        let place = &mut starts[band(centre)];
        ordered[*place] = *centre;
        *place += 1;
    }
    ordered
}

/// Draws points of one colour, the opacity of which is in the stamps.
pub(crate) fn draw_cloud(
    pixels: &mut Pixmap,
    centres: &[[f32; 2]],
    stamps: &ClearStamps,
    colour: PlotColour,
) {
    let Some(mut plane) = ClearPlane::around(centres, stamps) else {
        return;
    };
    for centre in by_bands(centres) {
        plane.press(centre, stamps);
    }
    plane.colour(pixels, colour);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_cover_each_other_as_layers_do() {
        let stamps = ClearStamps::new(3, |_, _| vec![0, 0, 0, 0, 128, 0, 0, 0, 0]);
        let mut pixels = Pixmap::new(20, 10).unwrap();
        pixels.fill(tiny_skia::Color::WHITE);
        let colour = PlotColour {
            channels: [255, 0, 0],
            alpha: 255,
        };
        // Two points in one pixel, one in another, one at the corner.
        let centres = [[5.5, 5.5], [5.1, 5.9], [8.0, 2.0], [0.0, 0.0]];
        draw_cloud(&mut pixels, &centres, &stamps, colour);
        let found = |x: u32, y: u32| pixels.pixel(x, y).unwrap().green();
        // 255 (127/255) = 127, and 255 (127/255)^2 = 63.25.
        assert_eq!(
            [found(5, 5), found(8, 2), found(0, 0), found(6, 5)],
            [63, 127, 127, 255]
        );
    }
}
