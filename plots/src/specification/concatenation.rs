//! Reads the compositions of Vega-Lite: `hconcat`, `vconcat`, and `concat` in rows of so many `columns`, each also within another.

use std::sync::Arc;

use serde_json::Value as Json;

use super::read::{MemberReader, read_frame, read_specification};
use super::{CompositionPart, PartPlace, PlotComposition, PlotSpecification, SpecificationReading};
use crate::data::{DataTable, kind_of};
use crate::error::PlotError;
use crate::limits::{PANELS_MAX, SIDE_MAX};

/// Sides of a plot in a composition that states none, in pixels.
const PART_SIDES: [u32; 2] = [360, 300];

/// How deep compositions may be within each other.
const DEPTH_MAX: usize = 8;

/// A picture that a specification describes.
#[derive(Debug, Clone)]
pub enum PictureReading {
    /// One plot, in panels or not.
    Plot(Box<SpecificationReading>),
    /// Several plots.
    Composition(CompositionReading),
}

/// Several plots, and what of their text was not understood.
#[derive(Debug, Clone)]
pub struct CompositionReading {
    /// What to draw.
    pub composition: PlotComposition,
    /// As [`SpecificationReading::ignored`].
    pub ignored: Vec<String>,
}

/// Reads a specification of one plot or of several beside and below each other. `data` are those of plots without data.
///
/// # Errors
/// As [`read_specification`], with the place of the part; compositions within each other beyond eight, more than 100 plots.
pub fn read_picture(
    json: &Json,
    data: Option<Arc<DataTable>>,
) -> Result<PictureReading, PlotError> {
    if concatenation_of(json).is_none() {
        let reading = read_specification(json, data)?;
        return Ok(PictureReading::Plot(Box::new(reading)));
    }
    let mut reader = ConcatenationReader::default();
    let tree = reader.read(json, String::new(), data, 0)?;
    let (width, height) = (tree.width, tree.height);
    // Pictures that would be too large keep their shape.
    let scale = (f64::from(SIDE_MAX) / width.max(height)).min(1.0);
    let pixels = |side: f64| libm::floor(side * scale).max(1.0) as u32;
    let frame = reader.frame;
    let mut composition = PlotComposition {
        title: frame.title,
        subtitle: frame.subtitle,
        width: pixels(width),
        height: pixels(height),
        theme: frame.theme,
        parts: Vec::new(),
    };
    let whole = PartPlace {
        left: 0.0,
        top: 0.0,
        width: 1.0,
        height: 1.0,
    };
    tree.place(whole, &mut composition.parts);
    reader.ignored.retain(|place| !place.is_empty());
    Ok(PictureReading::Composition(CompositionReading {
        composition,
        ignored: reader.ignored,
    }))
}

/// As [`read_picture`], from the text of a JSON document.
///
/// # Errors
/// As there, and [`PlotError::Form`] for a text that is no JSON.
pub fn read_picture_text(
    text: &str,
    data: Option<Arc<DataTable>>,
) -> Result<PictureReading, PlotError> {
    let json: Json = serde_json::from_str(text)
        .map_err(|err| PlotError::form("", "a JSON document", err.to_string()))?;
    read_picture(&json, data)
}

/// The member of a composition.
fn concatenation_of(json: &Json) -> Option<&'static str> {
    let members = json.as_object()?;
    let mut names = ["hconcat", "vconcat", "concat"].into_iter();
    names.find(|name| members.contains_key(*name))
}

/// A plot, or plots beside or below each other, with their sides in pixels.
struct PartTree {
    width: f64,
    height: f64,
    content: PartContent,
}

enum PartContent {
    Plot(Box<PlotSpecification>),
    Row(Vec<PartTree>),
    Column(Vec<PartTree>),
}

impl PartTree {
    fn row(parts: Vec<Self>) -> Self {
        Self {
            width: parts.iter().map(|part| part.width).sum(),
            height: parts.iter().map(|part| part.height).fold(0.0, f64::max),
            content: PartContent::Row(parts),
        }
    }

    fn column(parts: Vec<Self>) -> Self {
        Self {
            width: parts.iter().map(|part| part.width).fold(0.0, f64::max),
            height: parts.iter().map(|part| part.height).sum(),
            content: PartContent::Column(parts),
        }
    }

    /// Puts the plots into a place, each with its share of the sides.
    fn place(self, place: PartPlace, into: &mut Vec<CompositionPart>) {
        let (width, height) = (self.width, self.height);
        let (parts, is_row) = match self.content {
            PartContent::Plot(specification) => {
                into.push(CompositionPart {
                    specification: *specification,
                    place,
                });
                return;
            }
            PartContent::Row(parts) => (parts, true),
            PartContent::Column(parts) => (parts, false),
        };
        let mut begin = 0.0;
        for part in parts {
            let share = PartPlace {
                left: if is_row { begin / width } else { 0.0 },
                top: if is_row { 0.0 } else { begin / height },
                width: part.width / width,
                height: part.height / height,
            };
            begin += if is_row { part.width } else { part.height };
            part.place(place.inner(share), into);
        }
    }
}

#[derive(Default)]
struct ConcatenationReader {
    /// Title and theme of the whole.
    frame: PlotSpecification,
    ignored: Vec<String>,
    plots: usize,
}

impl ConcatenationReader {
    fn read(
        &mut self,
        json: &Json,
        place: String,
        data: Option<Arc<DataTable>>,
        depth: usize,
    ) -> Result<PartTree, PlotError> {
        let Some(name) = concatenation_of(json) else {
            return self.plot(json, &place, data);
        };
        if depth > DEPTH_MAX {
            return Err(PlotError::TooMany {
                place,
                what: "compositions within each other".to_owned(),
                found: depth,
                most: DEPTH_MAX,
            });
        }
        let mut members = MemberReader::new(json, place);
        for known in [
            "$schema",
            "description",
            "name",
            "config",
            "align",
            "bounds",
            "center",
        ] {
            members.take(known);
        }
        let mut frame = PlotSpecification {
            data: data.clone().unwrap_or_default(),
            ..PlotSpecification::default()
        };
        read_frame(&mut members, &mut frame, &mut self.ignored)?;
        let data = match frame.data.columns().is_empty() {
            true => data,
            false => Some(Arc::clone(&frame.data)),
        };
        if depth == 0 {
            self.frame = frame;
        } else if !frame.title.is_empty() {
            self.ignored.push(members.place_of("title"));
        }
        let columns = members.number("columns").filter(|columns| *columns >= 1.0);
        let list_place = members.place_of(name);
        let parts = self.parts(members.take(name), &list_place, data, depth)?;
        members.finish(&mut self.ignored);
        Ok(match (name, columns) {
            ("vconcat", _) => PartTree::column(parts),
            ("concat", Some(columns)) => {
                let mut rows = Vec::new();
                let mut parts = parts.into_iter().peekable();
                while parts.peek().is_some() {
                    rows.push(PartTree::row(
                        parts.by_ref().take(columns as usize).collect(),
                    ));
                }
                PartTree::column(rows)
            }
            _ => PartTree::row(parts),
        })
    }

    fn parts(
        &mut self,
        list: Option<&Json>,
        place: &str,
        data: Option<Arc<DataTable>>,
        depth: usize,
    ) -> Result<Vec<PartTree>, PlotError> {
        let found = list.unwrap_or(&Json::Null);
        let items = found.as_array().filter(|items| !items.is_empty());
        let items = items
            .ok_or_else(|| PlotError::form(place, "a list of specifications", kind_of(found)))?;
        let numbered = items.iter().enumerate();
        numbered
            .map(|(index, json)| {
                self.read(json, format!("{place}/{index}"), data.clone(), depth + 1)
            })
            .collect()
    }

    fn plot(
        &mut self,
        json: &Json,
        place: &str,
        data: Option<Arc<DataTable>>,
    ) -> Result<PartTree, PlotError> {
        self.plots += 1;
        if self.plots > PANELS_MAX {
            return Err(PlotError::TooMany {
                place: place.to_owned(),
                what: "plots in a picture".to_owned(),
                found: self.plots,
                most: PANELS_MAX,
            });
        }
        let reading = read_specification(json, data).map_err(|err| err.below(place))?;
        let own = reading.ignored.iter();
        self.ignored
            .extend(own.map(|inner| format!("{place}{inner}")));
        let mut plot = reading.specification;
        for layer in &mut plot.layers {
            layer.place = format!("{place}{}", layer.place);
        }
        let states = |side: &str| json.get(side).is_some_and(Json::is_number);
        let side = |name: &str, stated: u32, usual: u32| {
            f64::from(if states(name) { stated } else { usual })
        };
        Ok(PartTree {
            width: side("width", plot.width, PART_SIDES[0]),
            height: side("height", plot.height, PART_SIDES[1]),
            content: PartContent::Plot(Box::new(plot)),
        })
    }
}
