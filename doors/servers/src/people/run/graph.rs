//! [`RunGraph`]: the steps of a run placed in a picture, a column for each wave and an arrow for each reason to wait. Above a number of
//! steps, those of a wave with the same tool and state stand as one box with their count, so that a thousand steps stay a picture.

use std::collections::BTreeMap;

use super::super::states::state_class;
use super::RunModel;

/// Steps up to which each has a box of its own.
const SINGLE_MAX: usize = 150;
/// Boxes and arrows of a picture; a graph with more is not drawn.
const BOXES_MAX: usize = 400;
const ARROWS_MAX: usize = 3000;
/// Sizes of a box in units of the picture.
pub(crate) const BOX_WIDTH: usize = 168;
pub(crate) const BOX_HEIGHT: usize = 40;
const GAP_ACROSS: usize = 56;
const GAP_DOWN: usize = 14;
const MARGIN: usize = 8;
/// Characters of a line in a box.
const NAME_CHARS: usize = 22;

/// A picture of a run: boxes and arrows in units of the picture.
pub(crate) struct RunGraph {
    pub(crate) boxes: Vec<GraphBox>,
    pub(crate) arrows: Vec<GraphArrow>,
    /// Whether steps that are alike stand together.
    pub(crate) is_grouped: bool,
}

/// A box of the picture: one step, or several that are alike.
pub(crate) struct GraphBox {
    wave: usize,
    row: usize,
    pub(crate) title: String,
    pub(crate) tool: String,
    pub(crate) state: String,
    pub(crate) count: usize,
    /// The first step in it.
    pub(crate) step: String,
}

/// An arrow, as the commands of a path.
pub(crate) struct GraphArrow {
    pub(crate) path: String,
    /// Whether it leads away from a step that failed.
    pub(crate) is_failed: bool,
}

/// How many boxes and arrows a graph has that is too large for a picture.
pub(crate) struct GraphExcess {
    pub(crate) boxes: usize,
    pub(crate) arrows: usize,
}

impl RunGraph {
    /// Places the steps of a run.
    ///
    /// # Errors
    /// The numbers of boxes and arrows, where they are too many for a picture.
    pub(crate) fn of(model: &RunModel) -> Result<Self, GraphExcess> {
        let is_grouped = model.steps.len() > SINGLE_MAX;
        let (boxes, places) = place_boxes(model, is_grouped);
        let arrows = arrows_of(model, &places);
        if boxes.len() > BOXES_MAX || arrows.len() > ARROWS_MAX {
            let (boxes, arrows) = (boxes.len(), arrows.len());
            return Err(GraphExcess { boxes, arrows });
        }
        let arrow = |(from, to): (usize, usize)| {
            let (from, to) = (&boxes[from], &boxes[to]);
            GraphArrow {
                path: arrow_path(&boxes, from, to),
                is_failed: state_class(&from.state).0 == "bad" && !from.state.is_empty(),
            }
        };
        let arrows = arrows.into_iter().map(arrow).collect();
        Ok(Self {
            boxes,
            arrows,
            is_grouped,
        })
    }

    /// Width and height of the picture.
    pub(crate) fn size(&self) -> (usize, usize) {
        let right = self.boxes.iter().map(|one| one.x() + BOX_WIDTH).max();
        let bottom = self.boxes.iter().map(|one| one.y() + BOX_HEIGHT).max();
        (right.unwrap_or(0) + MARGIN, bottom.unwrap_or(0) + MARGIN)
    }
}

impl GraphBox {
    pub(crate) fn x(&self) -> usize {
        MARGIN + self.wave * (BOX_WIDTH + GAP_ACROSS)
    }

    pub(crate) fn y(&self) -> usize {
        MARGIN + self.row * (BOX_HEIGHT + GAP_DOWN)
    }

    /// Its two lines, as long as there is room.
    pub(crate) fn lines(&self) -> (String, String) {
        (shorten_name(&self.title), shorten_name(&self.tool))
    }
}

fn shorten_name(text: &str) -> String {
    let mut shown: String = text.chars().take(NAME_CHARS).collect();
    if text.chars().nth(NAME_CHARS).is_some() {
        shown.pop();
        shown.push('…');
    }
    shown
}

/// The boxes, and for each step the position of its own.
fn place_boxes(model: &RunModel, is_grouped: bool) -> (Vec<GraphBox>, Vec<usize>) {
    let mut boxes: Vec<GraphBox> = Vec::new();
    let mut known: BTreeMap<(usize, &str, &str), usize> = BTreeMap::new();
    let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
    let mut places = Vec::with_capacity(model.steps.len());
    for step in &model.steps {
        let key = (step.wave, step.tool.as_str(), step.state.as_str());
        if let Some(place) = known.get(&key).filter(|_| is_grouped) {
            let own = &mut boxes[*place];
            own.count += 1;
            own.title = format!("{} steps", own.count);
            places.push(*place);
            continue;
        }
        let row = rows.entry(step.wave).or_default();
        let title = match step.items_words() {
            Some(items) => format!("{} ({items})", step.id),
            None => step.id.clone(),
        };
        boxes.push(GraphBox {
            wave: step.wave,
            row: *row,
            title,
            tool: step.tool.clone(),
            state: step.state.clone(),
            count: 1,
            step: step.id.clone(),
        });
        *row += 1;
        known.insert(key, boxes.len() - 1);
        places.push(boxes.len() - 1);
    }
    (boxes, places)
}

/// The arrows between boxes, each once; those whose order a longer way implies are left out of small graphs.
fn arrows_of(model: &RunModel, places: &[usize]) -> Vec<(usize, usize)> {
    let mut arrows: Vec<(usize, usize)> = Vec::new();
    for (place, step) in model.steps.iter().enumerate() {
        for before in &step.before {
            let is_implied = step.before.iter().any(|other| {
                let middle = model.steps.get(*other);
                middle.is_some_and(|middle| middle.before.contains(before))
            });
            let arrow = (places[*before], places[place]);
            if !is_implied && arrow.0 != arrow.1 {
                arrows.push(arrow);
            }
        }
    }
    arrows.sort_unstable();
    arrows.dedup();
    arrows
}

/// A line from the right side of a box to the left side of another; over the waves between them along a row that is free there.
fn arrow_path(boxes: &[GraphBox], from: &GraphBox, to: &GraphBox) -> String {
    let is_free = |row: usize| {
        let between = |one: &&GraphBox| one.wave > from.wave && one.wave < to.wave;
        !boxes.iter().filter(between).any(|one| one.row == row)
    };
    let (x, y) = (from.x() + BOX_WIDTH, from.y() + BOX_HEIGHT / 2);
    let (end_x, end_y) = (to.x(), to.y() + BOX_HEIGHT / 2);
    let is_next = to.wave <= from.wave + 1;
    let (bend_x, bend_end) = match (is_next, is_free(from.row), is_free(to.row)) {
        (false, true, _) => (end_x.saturating_sub(GAP_ACROSS), end_x),
        (false, false, true) => (x, x + GAP_ACROSS),
        _ => (x, end_x),
    };
    let half = (bend_end.saturating_sub(bend_x) / 2).max(GAP_ACROSS / 4);
    let (first, last) = (bend_x + half, bend_end.saturating_sub(half));
    format!("M{x} {y}H{bend_x}C{first} {y} {last} {end_y} {bend_end} {end_y}H{end_x}")
}
