//! The display list: what a plot is made of once everything has its place. Every kind of file is written from it.

use crate::colour::PlotColour;
use crate::font::{ASCENT, DESCENT, text_width};

/// A rectangle in pixels, y downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SceneBox {
    /// Left side.
    pub left: f64,
    /// Upper side.
    pub top: f64,
    /// Width, at least 0.
    pub width: f64,
    /// Height, at least 0.
    pub height: f64,
}

impl SceneBox {
    pub(crate) const fn new(left: f64, top: f64, width: f64, height: f64) -> Self {
        Self {
            left,
            top,
            width,
            height,
        }
    }

    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Whether two boxes share more than their edges.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        const TOUCH: f64 = 1e-6;
        self.left + TOUCH < other.right()
            && other.left + TOUCH < self.right()
            && self.top + TOUCH < other.bottom()
            && other.top + TOUCH < self.bottom()
    }

    /// Whether another box lies within this one.
    pub(crate) fn holds(&self, other: &Self) -> bool {
        const TOUCH: f64 = 1e-6;
        self.left <= other.left + TOUCH
            && self.top <= other.top + TOUCH
            && other.right() <= self.right() + TOUCH
            && other.bottom() <= self.bottom() + TOUCH
    }

    pub(crate) fn holds_point(&self, x: f64, y: f64) -> bool {
        (self.left..=self.right()).contains(&x) && (self.top..=self.bottom()).contains(&y)
    }

    /// The box at another place.
    pub(crate) fn shifted(&self, dx: f64, dy: f64) -> Self {
        Self::new(self.left + dx, self.top + dy, self.width, self.height)
    }

    /// The box moved outwards on all sides.
    pub(crate) fn widened(&self, by: f64) -> Self {
        Self::new(
            self.left - by,
            self.top - by,
            self.width + 2.0 * by,
            self.height + 2.0 * by,
        )
    }
}

/// A line around or along something.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneStroke {
    /// Colour.
    pub colour: PlotColour,
    /// Width in pixels.
    pub width: f64,
    /// Lengths of dashes and gaps; empty for a whole line.
    pub dashes: Vec<f64>,
}

impl SceneStroke {
    pub(crate) fn plain(colour: PlotColour, width: f64) -> Self {
        Self {
            colour,
            width,
            dashes: Vec::new(),
        }
    }
}

/// A step of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PathStep {
    /// Begins a piece at a place.
    Move(f64, f64),
    /// A straight line to a place.
    Line(f64, f64),
    /// Ends a piece at its beginning.
    Close,
}

/// Where a line of text is fixed to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextAnchor {
    /// At its beginning.
    Start,
    /// In its middle.
    Middle,
    /// At its end.
    End,
}

/// What a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextRole {
    /// The title or the line below it.
    Title,
    /// The title of an axis.
    AxisTitle,
    /// The label of a tick.
    TickLabel,
    /// The name of a panel.
    PanelTitle,
    /// A text of a legend.
    Legend,
    /// A text among the marks.
    Annotation,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct TextRun {
    /// The text, without control characters.
    pub text: String,
    /// Place of the anchor on the line below the letters.
    pub x: f64,
    /// The same, downwards.
    pub y: f64,
    /// Size of the font in pixels.
    pub size: f64,
    /// What is at the place.
    pub anchor: TextAnchor,
    /// Whether it runs upwards.
    pub is_vertical: bool,
    /// Colour.
    pub colour: PlotColour,
    /// What it is for.
    pub role: TextRole,
}

impl TextRun {
    /// Length of the text.
    #[must_use]
    pub fn length(&self) -> f64 {
        text_width(&self.text, self.size)
    }

    /// The box of the text: its length, and from the tops of its letters to the ends of those below the line.
    #[must_use]
    pub fn bounds(&self) -> SceneBox {
        let length = self.length();
        let before = match self.anchor {
            TextAnchor::Start => 0.0,
            TextAnchor::Middle => length / 2.0,
            TextAnchor::End => length,
        };
        let (ascent, height) = (ASCENT * self.size, (ASCENT + DESCENT) * self.size);
        if self.is_vertical {
            // Upwards: its beginning is below.
            SceneBox::new(self.x - ascent, self.y + before - length, height, length)
        } else {
            SceneBox::new(self.x - before, self.y - ascent, length, height)
        }
    }
}

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PointShape {
    /// A disc.
    #[default]
    Circle,
    /// A square.
    Square,
    /// A triangle that points upwards.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// A cross of two strokes.
    Cross,
    /// A triangle that points downwards.
    Down,
}

/// The shapes in the order in which categories take them.
pub(crate) const SHAPES: [PointShape; 6] = [
    PointShape::Circle,
    PointShape::Square,
    PointShape::Triangle,
    PointShape::Diamond,
    PointShape::Cross,
    PointShape::Down,
];

impl PointShape {
    /// Corners of a shape of radius 1 around the origin; none for a circle. All have about the area of the disc.
    pub(crate) fn corners(self) -> &'static [(f64, f64)] {
        const ARM: f64 = 1.15;
        const HALF: f64 = 0.38;
        match self {
            Self::Circle => &[],
            Self::Square => &[(-0.89, -0.89), (0.89, -0.89), (0.89, 0.89), (-0.89, 0.89)],
            Self::Triangle => &[(0.0, -1.35), (1.17, 0.68), (-1.17, 0.68)],
            Self::Down => &[(0.0, 1.35), (-1.17, -0.68), (1.17, -0.68)],
            Self::Diamond => &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
            Self::Cross => &[
                (-HALF, -ARM),
                (HALF, -ARM),
                (HALF, -HALF),
                (ARM, -HALF),
                (ARM, HALF),
                (HALF, HALF),
                (HALF, ARM),
                (-HALF, ARM),
                (-HALF, HALF),
                (-ARM, HALF),
                (-ARM, -HALF),
                (-HALF, -HALF),
            ],
        }
    }
}

/// Many points of one look.
#[derive(Debug, Clone, PartialEq)]
pub struct PointCloud {
    /// Their shape.
    pub shape: PointShape,
    /// Their radius in pixels.
    pub radius: f64,
    /// Fill; `None` for hollow ones.
    pub fill: Option<PlotColour>,
    /// Outline.
    pub stroke: Option<SceneStroke>,
    /// Their centres.
    pub centres: Vec<[f32; 2]>,
}

/// Clouds above this number are drawn by runs in files of paths: points do not add up to darker ones there.
pub(crate) const SINGLE_MAX: usize = 4000;

impl PointCloud {
    /// The pixels of the centres as level runs: place of the first, and how many pixels follow.
    pub(crate) fn runs(&self) -> Vec<(f64, f64, u32)> {
        let mut pixels: Vec<(i32, i32)> = self
            .centres
            .iter()
            .map(|[x, y]| (y.floor() as i32, x.floor() as i32))
            .collect();
        pixels.sort_unstable();
        pixels.dedup();
        let mut runs: Vec<(i32, i32, u32)> = Vec::new();
        for (row, column) in pixels {
            match runs.last_mut() {
                Some((y, x, length)) if *y == row && *x + *length as i32 + 1 == column => {
                    *length += 1
                }
                _ => runs.push((row, column, 0)),
            }
        }
        runs.into_iter()
            .map(|(row, column, length)| (f64::from(column) + 0.5, f64::from(row) + 0.5, length))
            .collect()
    }
}

/// One thing of a display list; later ones cover earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub enum SceneItem {
    /// A rectangle.
    Rectangle {
        /// Its place.
        place: SceneBox,
        /// Its fill.
        fill: Option<PlotColour>,
        /// Its outline.
        stroke: Option<SceneStroke>,
    },
    /// A path of straight lines.
    Path {
        /// Its steps.
        steps: Vec<PathStep>,
        /// Its fill, where pieces cover each other twice too.
        fill: Option<PlotColour>,
        /// Its outline.
        stroke: Option<SceneStroke>,
    },
    /// Points.
    Points(PointCloud),
    /// A line of text.
    Text(TextRun),
    /// What follows shows within a box alone, until `EndClip`.
    Clip(SceneBox),
    /// The end of the last `Clip`.
    EndClip,
}

impl PathStep {
    fn shifted(self, dx: f64, dy: f64) -> Self {
        match self {
            Self::Move(x, y) => Self::Move(x + dx, y + dy),
            Self::Line(x, y) => Self::Line(x + dx, y + dy),
            Self::Close => Self::Close,
        }
    }
}

impl SceneItem {
    /// The item at another place.
    pub(crate) fn shifted(mut self, dx: f64, dy: f64) -> Self {
        match &mut self {
            Self::Rectangle { place, .. } | Self::Clip(place) => *place = place.shifted(dx, dy),
            Self::Path { steps, .. } => {
                for step in steps {
                    *step = step.shifted(dx, dy);
                }
            }
            Self::Points(cloud) => {
                for [x, y] in &mut cloud.centres {
                    *x += dx as f32;
                    *y += dy as f32;
                }
            }
            Self::Text(run) => {
                run.x += dx;
                run.y += dy;
            }
            Self::EndClip => {}
        }
        self
    }
}

/// A point that tells its values.
#[derive(Debug, Clone, PartialEq)]
pub struct HoverPoint {
    /// Its place.
    pub x: f64,
    /// The same, downwards.
    pub y: f64,
    /// Its values in words.
    pub text: String,
}

/// A whole picture.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotScene {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Colour below everything.
    pub background: PlotColour,
    /// Its title, or what stands for one: the name of a document.
    pub title: String,
    /// What it shows, in words.
    pub description: String,
    /// What it is made of.
    pub items: Vec<SceneItem>,
    /// The panels that the marks lie in, without axes.
    pub panels: Vec<SceneBox>,
    /// Points that tell their values, in a page.
    pub hover: Vec<HoverPoint>,
    /// Labels and titles without room.
    pub dropped_texts: usize,
}

impl PlotScene {
    /// The texts.
    pub fn texts(&self) -> impl Iterator<Item = &TextRun> {
        self.items.iter().filter_map(|item| match item {
            SceneItem::Text(run) => Some(run),
            _ => None,
        })
    }
}
