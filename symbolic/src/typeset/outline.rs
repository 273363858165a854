//! [`FormulaOutline`]: a drawn formula as outlines, and as SVG.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::glyphs::{GlyphKey, find_glyph, read_segments};

/// A piece of an outline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OutlineSegment {
    /// A new contour begins.
    Move(f64, f64),
    /// A straight line.
    Line(f64, f64),
    /// A quadratic curve: its control point, its end.
    Curve(f64, f64, f64, f64),
    /// The contour is closed.
    Close,
}

/// An outline at its place, filled; pixels, y downwards.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedPath {
    /// What is drawn.
    pub(super) shape: OutlineShape,
    /// Left of the origin of the glyph, or of the rule.
    pub(super) x: f64,
    /// Line of the glyph, or top of the rule.
    pub(super) y: f64,
}

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum OutlineShape {
    /// A glyph, with its scales across and upwards.
    Glyph(GlyphKey, f64, f64),
    /// A rectangle, by width and height.
    Rule(f64, f64),
}

/// A drawn formula.
#[derive(Debug, Clone, PartialEq)]
pub struct FormulaOutline {
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
    /// The line of the formula, from the top.
    pub baseline: f64,
    /// What is drawn.
    pub paths: Vec<PlacedPath>,
    /// Characters without a glyph, each once; a square is drawn for them.
    pub missing: Vec<char>,
}

/// Straight pieces of a curve in pixels.
const PIECES: u32 = 6;

impl PlacedPath {
    /// Contours of straight lines, the last point of each joined to the first.
    pub fn polygons(&self) -> Vec<Vec<[f64; 2]>> {
        let (key, across, upwards) = match self.shape {
            OutlineShape::Rule(width, height) => {
                let (right, bottom) = (self.x + width, self.y + height);
                return vec![vec![
                    [self.x, self.y],
                    [right, self.y],
                    [right, bottom],
                    [self.x, bottom],
                ]];
            }
            OutlineShape::Glyph(key, across, upwards) => (key, across, upwards),
        };
        let place = |x: f64, y: f64| [self.x + x * across, self.y - y * upwards];
        let mut polygons: Vec<Vec<[f64; 2]>> = Vec::new();
        let mut at = (0.0, 0.0);
        for segment in read_segments(find_glyph(key).map_or("", |glyph| glyph.data)) {
            match segment {
                OutlineSegment::Move(x, y) => {
                    polygons.push(vec![place(x, y)]);
                    at = (x, y);
                }
                OutlineSegment::Line(x, y) => {
                    if let Some(last) = polygons.last_mut() {
                        last.push(place(x, y));
                    }
                    at = (x, y);
                }
                OutlineSegment::Curve(cx, cy, x, y) => {
                    if let Some(last) = polygons.last_mut() {
                        for piece in 1..=PIECES {
                            let t = f64::from(piece) / f64::from(PIECES);
                            let blend = |a: f64, b: f64, c: f64| {
                                (1.0 - t) * (1.0 - t) * a + 2.0 * t * (1.0 - t) * b + t * t * c
                            };
                            last.push(place(blend(at.0, cx, x), blend(at.1, cy, y)));
                        }
                    }
                    at = (x, y);
                }
                OutlineSegment::Close => {}
            }
        }
        polygons
    }
}

/// A number of pixels with at most two digits behind the point.
fn short_number(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A scale with four significant digits.
fn short_scale(scale: f64) -> String {
    let text = format!("{scale:.5}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.strip_prefix('0')
        .filter(|rest| rest.starts_with('.'))
        .unwrap_or(text)
        .to_owned()
}

impl FormulaOutline {
    /// The formula as an SVG picture; `title` is its text for readers who do not see it, `colour` a colour of CSS.
    pub fn to_svg(&self, title: &str, colour: &str, background: Option<&str>) -> String {
        let (width, height) = (short_number(self.width), short_number(self.height));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\"><title>"
        );
        for letter in title.chars().filter(|letter| !letter.is_control()) {
            match letter {
                '&' => svg.push_str("&amp;"),
                '<' => svg.push_str("&lt;"),
                '>' => svg.push_str("&gt;"),
                other => svg.push(other),
            }
        }
        svg.push_str("</title>");
        if let Some(background) = background {
            let _ = write!(
                svg,
                "<rect width=\"100%\" height=\"100%\" fill=\"{background}\"/>"
            );
        }
        let _ = write!(svg, "<g fill=\"{colour}\">");
        let mut known: HashMap<GlyphKey, usize> = HashMap::new();
        for path in &self.paths {
            let (x, y) = (short_number(path.x), short_number(path.y));
            match path.shape {
                OutlineShape::Rule(width, height) => {
                    let (width, height) = (short_number(width), short_number(height));
                    let _ = write!(svg, "<path d=\"M{x} {y}h{width}v{height}h-{width}z\"/>");
                }
                OutlineShape::Glyph(key, across, upwards) => {
                    let (across, upwards) = (short_scale(across), short_scale(upwards));
                    let transform =
                        format!("transform=\"translate({x} {y})scale({across}-{upwards})\"");
                    let count = known.len();
                    match known.get(&key) {
                        Some(index) => {
                            let _ = write!(svg, "<use href=\"#g{index}\" {transform}/>");
                        }
                        None => {
                            let data = find_glyph(key).map_or("", |glyph| glyph.data);
                            if data.is_empty() {
                                continue;
                            }
                            known.insert(key, count);
                            let _ = write!(
                                svg,
                                "<g {transform}><path id=\"g{count}\" d=\"{data}\"/></g>"
                            );
                        }
                    }
                }
            }
        }
        svg.push_str("</g></svg>\n");
        svg
    }
}
