//! A display list as pixels, and as a PNG file.

use std::collections::HashMap;

use tiny_skia::{
    FillRule, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8,
    Rect, Stroke, StrokeDash, Transform,
};

use super::stamps::{ClearStamps, STAMP_STEPS, draw_cloud};
use crate::colour::PlotColour;
use crate::font::{FONT, OutlinePiece, text_width};
use crate::scene::{
    PathStep, PlotScene, PointCloud, PointShape, SceneBox, SceneItem, SceneStroke, TextAnchor,
    TextRun,
};

/// Clouds of at least this number are stamped.
const STAMPED_MIN: usize = 200;

/// Clouds of one colour of at least this number are multiplied together.
const MULTIPLIED_MIN: usize = 5_000;

/// Level of compression: beyond it files shrink by a tenth and take twice the time.
const COMPRESSION: u8 = 4;

fn paint_of(colour: PlotColour) -> Paint<'static> {
    let [red, green, blue] = colour.channels;
    let mut paint = Paint {
        anti_alias: true,
        ..Paint::default()
    };
    paint.set_color_rgba8(red, green, blue, colour.alpha);
    paint
}

fn stroke_of(stroke: &SceneStroke) -> Stroke {
    let lengths: Vec<f32> = stroke.dashes.iter().map(|length| *length as f32).collect();
    let dash = match lengths.len() {
        0 => None,
        // An odd number of lengths is repeated, as in SVG.
        count if count % 2 == 1 => StrokeDash::new([lengths.clone(), lengths].concat(), 0.0),
        _ => StrokeDash::new(lengths, 0.0),
    };
    Stroke {
        width: stroke.width as f32,
        line_cap: LineCap::Butt,
        line_join: LineJoin::Round,
        dash,
        ..Stroke::default()
    }
}

fn path_of(steps: &[PathStep]) -> Option<Path> {
    let mut builder = PathBuilder::with_capacity(steps.len(), steps.len());
    for step in steps {
        match step {
            PathStep::Move(x, y) => builder.move_to(*x as f32, *y as f32),
            PathStep::Line(x, y) => builder.line_to(*x as f32, *y as f32),
            PathStep::Close => builder.close(),
        }
    }
    builder.finish()
}

/// The pixels of a scene.
struct ScenePainter {
    pixels: Pixmap,
    mask: Option<Mask>,
    glyphs: HashMap<u16, Vec<OutlinePiece>>,
}

impl ScenePainter {
    fn rectangle(
        &mut self,
        place: &SceneBox,
        fill: Option<PlotColour>,
        stroke: Option<&SceneStroke>,
    ) {
        let (left, top) = (place.left as f32, place.top as f32);
        let rect = Rect::from_xywh(left, top, place.width as f32, place.height as f32);
        let Some(rect) = rect else {
            return;
        };
        if let Some(fill) = fill {
            self.pixels.fill_rect(
                rect,
                &paint_of(fill),
                Transform::identity(),
                self.mask.as_ref(),
            );
        }
        if let Some(stroke) = stroke {
            let path = PathBuilder::from_rect(rect);
            self.pixels.stroke_path(
                &path,
                &paint_of(stroke.colour),
                &stroke_of(stroke),
                Transform::identity(),
                self.mask.as_ref(),
            );
        }
    }

    fn path(&mut self, steps: &[PathStep], fill: Option<PlotColour>, stroke: Option<&SceneStroke>) {
        let Some(path) = path_of(steps) else {
            return;
        };
        if let Some(fill) = fill {
            self.pixels.fill_path(
                &path,
                &paint_of(fill),
                FillRule::Winding,
                Transform::identity(),
                self.mask.as_ref(),
            );
        }
        if let Some(stroke) = stroke {
            self.pixels.stroke_path(
                &path,
                &paint_of(stroke.colour),
                &stroke_of(stroke),
                Transform::identity(),
                self.mask.as_ref(),
            );
        }
    }

    fn points(&mut self, cloud: &PointCloud) {
        let (Some(shape), radius) = (shape_path(cloud.shape, cloud.radius as f32), cloud.radius)
        else {
            return;
        };
        let reach = radius * 1.5 + cloud.stroke.as_ref().map_or(0.0, |stroke| stroke.width);
        if cloud.centres.len() < STAMPED_MIN || reach > 24.0 {
            for [x, y] in &cloud.centres {
                let to = Transform::from_translate(*x, *y);
                if let Some(fill) = cloud.fill {
                    self.pixels.fill_path(
                        &shape,
                        &paint_of(fill),
                        FillRule::Winding,
                        to,
                        self.mask.as_ref(),
                    );
                }
                if let Some(stroke) = &cloud.stroke {
                    self.pixels.stroke_path(
                        &shape,
                        &paint_of(stroke.colour),
                        &stroke_of(stroke),
                        to,
                        self.mask.as_ref(),
                    );
                }
            }
            return;
        }
        let side = 2 * (reach.ceil() as u32 + 1) + 1;
        if let (Some(fill), None, true) = (
            cloud.fill,
            &cloud.stroke,
            cloud.centres.len() >= MULTIPLIED_MIN && self.mask.is_none(),
        ) {
            let stamps = ClearStamps::new(side as usize, |across, down| {
                PointStamp::new(&shape, cloud, side, across, down)
                    .pixels
                    .iter()
                    .map(|pixel| pixel[3])
                    .collect()
            });
            draw_cloud(&mut self.pixels, &cloud.centres, &stamps, fill);
            return;
        }
        let mut stamps: Vec<Option<PointStamp>> = vec![None; STAMP_STEPS * STAMP_STEPS];
        for [x, y] in &cloud.centres {
            let step = STAMP_STEPS as f32;
            let (column, row) = ((x * step).floor(), (y * step).floor());
            let (across, down) = (
                column.rem_euclid(step) as usize,
                row.rem_euclid(step) as usize,
            );
            let stamp = stamps[down * STAMP_STEPS + across]
                .get_or_insert_with(|| PointStamp::new(&shape, cloud, side, across, down));
            let (left, top) = ((column / step).floor() as i64, (row / step).floor() as i64);
            let half = i64::from(side / 2);
            stamp.press(&mut self.pixels, left - half, top - half);
        }
    }

    fn text(&mut self, run: &TextRun) {
        let scale = run.size / FONT.units;
        let length = text_width(&run.text, run.size);
        let before = match run.anchor {
            TextAnchor::Start => 0.0,
            TextAnchor::Middle => length / 2.0,
            TextAnchor::End => length,
        };
        // Level letters stand on whole pixels of height, which keeps them sharp.
        let baseline = if run.is_vertical {
            run.y
        } else {
            libm::round(run.y)
        };
        let baseline_x = if run.is_vertical {
            libm::round(run.x)
        } else {
            run.x
        };
        let mut along = -before;
        let mut builder = PathBuilder::new();
        for one in run.text.chars() {
            let glyph = FONT.glyph(one);
            let outline = self
                .glyphs
                .entry(glyph)
                .or_insert_with(|| FONT.outline(glyph));
            let place = |x: f32, y: f32| {
                let (u, v) = (along + f64::from(x) * scale, -f64::from(y) * scale);
                match run.is_vertical {
                    true => ((baseline_x + v) as f32, (baseline - u) as f32),
                    false => ((baseline_x + u) as f32, (baseline + v) as f32),
                }
            };
            for piece in outline.iter() {
                match *piece {
                    OutlinePiece::Move(x, y) => {
                        let (x, y) = place(x, y);
                        builder.move_to(x, y);
                    }
                    OutlinePiece::Line(x, y) => {
                        let (x, y) = place(x, y);
                        builder.line_to(x, y);
                    }
                    OutlinePiece::Curve(cx, cy, x, y) => {
                        let ((cx, cy), (x, y)) = (place(cx, cy), place(x, y));
                        builder.quad_to(cx, cy, x, y);
                    }
                    OutlinePiece::Close => builder.close(),
                }
            }
            along += f64::from(FONT.advance(glyph)) * scale;
        }
        if let Some(path) = builder.finish() {
            self.pixels.fill_path(
                &path,
                &paint_of(run.colour),
                FillRule::Winding,
                Transform::identity(),
                None,
            );
        }
    }

    fn clip(&mut self, place: &SceneBox) {
        let rect = Rect::from_xywh(
            place.left as f32,
            place.top as f32,
            place.width as f32,
            place.height as f32,
        );
        self.mask = Mask::new(self.pixels.width(), self.pixels.height()).map(|mut mask| {
            if let Some(rect) = rect {
                mask.fill_path(
                    &PathBuilder::from_rect(rect),
                    FillRule::Winding,
                    true,
                    Transform::identity(),
                );
            }
            mask
        });
    }
}

fn shape_path(shape: PointShape, radius: f32) -> Option<Path> {
    if shape == PointShape::Circle {
        return PathBuilder::from_circle(0.0, 0.0, radius.max(0.05));
    }
    let mut builder = PathBuilder::new();
    for (index, (x, y)) in shape.corners().iter().enumerate() {
        let (x, y) = (*x as f32 * radius, *y as f32 * radius);
        if index == 0 {
            builder.move_to(x, y)
        } else {
            builder.line_to(x, y)
        }
    }
    builder.close();
    builder.finish()
}

/// A point drawn once, to be pressed at many places.
#[derive(Debug, Clone)]
struct PointStamp {
    side: u32,
    /// Premultiplied colours.
    pixels: Vec<[u8; 4]>,
}

impl PointStamp {
    /// The point in the middle of `side` pixels, at a step across and down within the middle one.
    fn new(shape: &Path, cloud: &PointCloud, side: u32, across: usize, down: usize) -> Self {
        let middle = |step: usize| (side / 2) as f32 + (step as f32 + 0.5) / STAMP_STEPS as f32;
        let to = Transform::from_translate(middle(across), middle(down));
        let Some(mut pixels) = Pixmap::new(side, side) else {
            return Self {
                side: 0,
                pixels: Vec::new(),
            };
        };
        if let Some(fill) = cloud.fill {
            pixels.fill_path(shape, &paint_of(fill), FillRule::Winding, to, None);
        }
        if let Some(stroke) = &cloud.stroke {
            pixels.stroke_path(
                shape,
                &paint_of(stroke.colour),
                &stroke_of(stroke),
                to,
                None,
            );
        }
        let pixels = pixels
            .pixels()
            .iter()
            .map(|one| [one.red(), one.green(), one.blue(), one.alpha()]);
        Self {
            side,
            pixels: pixels.collect(),
        }
    }

    fn press(&self, onto: &mut Pixmap, left: i64, top: i64) {
        let (width, height) = (i64::from(onto.width()), i64::from(onto.height()));
        let target = onto.pixels_mut();
        for row in 0..i64::from(self.side) {
            let line = top + row;
            if !(0..height).contains(&line) {
                continue;
            }
            for column in 0..i64::from(self.side) {
                let place = left + column;
                let [red, green, blue, alpha] =
                    self.pixels[(row * i64::from(self.side) + column) as usize];
                if alpha == 0 || !(0..width).contains(&place) {
                    continue;
                }
                let below = &mut target[(line * width + place) as usize];
                let rest = 255 - u32::from(alpha);
                let over = |above: u8, below: u8| {
                    above.saturating_add(((u32::from(below) * rest + 127) / 255) as u8)
                };
                let whole = over(alpha, below.alpha());
                let [red, green, blue] = [
                    over(red, below.red()),
                    over(green, below.green()),
                    over(blue, below.blue()),
                ]
                .map(|channel| channel.min(whole));
                if let Some(mixed) = PremultipliedColorU8::from_rgba(red, green, blue, whole) {
                    *below = mixed;
                }
            }
        }
    }
}

/// A picture as rows of red, green and blue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RasterImage {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Three bytes a pixel, row by row.
    pub channels: Vec<u8>,
}

impl PlotScene {
    /// The picture as pixels.
    #[must_use]
    pub fn to_raster(&self) -> RasterImage {
        let (width, height) = (self.width.max(1), self.height.max(1));
        let mut channels = Vec::new();
        if let Some(mut pixels) = Pixmap::new(width, height) {
            let [red, green, blue] = self.background.channels;
            pixels.fill(tiny_skia::Color::from_rgba8(red, green, blue, 255));
            let mut painter = ScenePainter {
                pixels,
                mask: None,
                glyphs: HashMap::new(),
            };
            for item in &self.items {
                match item {
                    SceneItem::Rectangle {
                        place,
                        fill,
                        stroke,
                    } => painter.rectangle(place, *fill, stroke.as_ref()),
                    SceneItem::Path {
                        steps,
                        fill,
                        stroke,
                    } => painter.path(steps, *fill, stroke.as_ref()),
                    SceneItem::Points(cloud) => painter.points(cloud),
                    SceneItem::Text(run) => painter.text(run),
                    SceneItem::Clip(place) => painter.clip(place),
                    SceneItem::EndClip => painter.mask = None,
                }
            }
            let data = painter.pixels.data();
            channels = vec![0; data.len() / 4 * 3];
            for (three, four) in channels.chunks_exact_mut(3).zip(data.chunks_exact(4)) {
                three.copy_from_slice(&four[..3]);
            }
        }
        RasterImage {
            width,
            height,
            channels,
        }
    }

    /// The picture as a PNG file.
    #[must_use]
    pub fn to_png(&self) -> Vec<u8> {
        self.to_raster().to_png()
    }
}

impl RasterImage {
    /// The pixels as a PNG file of 8 bits a channel.
    #[must_use]
    pub fn to_png(&self) -> Vec<u8> {
        let line = 3 * self.width as usize;
        // Each row as its difference from the row above, which is mostly nothing.
        let mut filtered = Vec::with_capacity((line + 1) * self.height as usize);
        let mut above = vec![0_u8; line];
        for row in self.channels.chunks_exact(line) {
            filtered.push(2);
            filtered.extend(
                row.iter()
                    .zip(&above)
                    .map(|(byte, above)| byte.wrapping_sub(*above)),
            );
            above.copy_from_slice(row);
        }
        let mut header = Vec::with_capacity(13);
        header.extend(self.width.to_be_bytes());
        header.extend(self.height.to_be_bytes());
        header.extend([8, 2, 0, 0, 0]);
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        let compressed = miniz_oxide::deflate::compress_to_vec_zlib(&filtered, COMPRESSION);
        for (name, content) in [
            (b"IHDR", header),
            (b"IDAT", compressed),
            (b"IEND", Vec::new()),
        ] {
            let mut chunk = name.to_vec();
            chunk.extend(&content);
            file.extend((content.len() as u32).to_be_bytes());
            file.extend(&chunk);
            file.extend(checksum(&chunk).to_be_bytes());
        }
        file
    }
}

/// The checksum of PNG (CRC-32 of ISO 3309).
fn checksum(bytes: &[u8]) -> u32 {
    static TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut index = 0;
        while index < 256 {
            let mut value = index as u32;
            let mut bit = 0;
            while bit < 8 {
                value = if value & 1 == 1 {
                    0xedb8_8320 ^ (value >> 1)
                } else {
                    value >> 1
                };
                bit += 1;
            }
            table[index] = value;
            index += 1;
        }
        table
    };
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        TABLE[((sum ^ u32::from(*byte)) & 255) as usize] ^ (sum >> 8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
        assert_eq!(checksum(b"IEND"), 0xae42_6082);
    }
}
