//! The graph of a run as SVG: a column for each wave, an arrow for each reason to wait. Above a number of steps, those of a wave with the
//! same tool and state stand as one box with their count, so that a thousand steps stay a picture.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::super::parts::{OutsideText, state_class};
use super::model::RunModel;

/// Steps up to which each has a box of its own.
const SINGLE_MAX: usize = 150;
/// Boxes and arrows of a picture; a graph with more is not drawn.
const BOXES_MAX: usize = 400;
const ARROWS_MAX: usize = 3000;
/// Sizes in units of the picture.
const WIDTH: usize = 168;
const HEIGHT: usize = 40;
const GAP_ACROSS: usize = 56;
const GAP_DOWN: usize = 14;
const MARGIN: usize = 8;
/// Characters of a line in a box.
const NAME_CHARS: usize = 22;

/// A box of the picture: one step, or several that are alike.
struct GraphBox {
    wave: usize,
    row: usize,
    title: String,
    tool: String,
    state: String,
    count: usize,
    /// The first step in it.
    step: String,
}

impl GraphBox {
    fn x(&self) -> usize {
        MARGIN + self.wave * (WIDTH + GAP_ACROSS)
    }

    fn y(&self) -> usize {
        MARGIN + self.row * (HEIGHT + GAP_DOWN)
    }
}

/// Draws the graph; a step is a link to its card.
pub(super) fn draw_graph(model: &RunModel, link: &dyn Fn(&str) -> String) -> Markup {
    let is_grouped = model.steps.len() > SINGLE_MAX;
    let (boxes, places) = place_boxes(model, is_grouped);
    let arrows = arrows_of(model, &places);
    if boxes.len() > BOXES_MAX || arrows.len() > ARROWS_MAX {
        return html! { p class="note" { "The graph has " (boxes.len()) " boxes and " (arrows.len()) " arrows, too many for a picture: the table below has every step." } };
    }
    let width = boxes.iter().map(|one| one.x() + WIDTH).max().unwrap_or(0) + MARGIN;
    let height = boxes.iter().map(|one| one.y() + HEIGHT).max().unwrap_or(0) + MARGIN;
    html! {
        @if is_grouped { p class="small" { "Steps of one wave with the same tool and state stand together; the table has each." } }
        div class="graph" tabindex="0" role="region" aria-label="Graph of the steps" data-pan {
            svg width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } role="group" aria-label="Steps and what they wait for" {
                g class="arrows" aria-hidden="true" {
                    @for (from, to) in &arrows {
                        @let (from, to) = (&boxes[*from], &boxes[*to]);
                        path class={ @if is_bad(&from.state) && !from.state.is_empty() { "failed" } } d=(arrow_path(&boxes, from, to)) {}
                    }
                }
                @for one in &boxes { (box_markup(one, link)) }
            }
        }
    }
}

fn is_bad(state: &str) -> bool {
    state_class(state).0 == "bad"
}

fn box_markup(one: &GraphBox, link: &dyn Fn(&str) -> String) -> Markup {
    let (class, sign) = state_class(&one.state);
    let words = one.state.replace('_', " ");
    let (title, tool) = (shorten_name(&one.title), shorten_name(&one.tool));
    let right = one.x() + WIDTH - 16;
    html! {
        a href=(link(&one.step)) {
            g class={ "box " (class) } {
                title { (OutsideText(&one.title)) ", " (OutsideText(&one.tool)) ", " (OutsideText(&words)) }
                rect x=(one.x()) y=(one.y()) width=(WIDTH) height=(HEIGHT) rx="5" {}
                @if one.count > 1 { rect class="pile" x=(one.x() + 4) y=(one.y() + HEIGHT) width=(WIDTH - 8) height="4" rx="2" {} }
                text class="name" x=(one.x() + 10) y=(one.y() + 17) { (OutsideText(&title)) }
                text class="tool" x=(one.x() + 10) y=(one.y() + 32) { (OutsideText(&tool)) }
                text class="sign" aria-hidden="true" x=(right) y=(one.y() + 17) { (sign) }
            }
        }
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
    let (x, y) = (from.x() + WIDTH, from.y() + HEIGHT / 2);
    let (end_x, end_y) = (to.x(), to.y() + HEIGHT / 2);
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
