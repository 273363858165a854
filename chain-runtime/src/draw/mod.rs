//! Drawings of a checked plan: its steps and the reasons for their order, as text, DOT, Mermaid and SVG.
//!
//! An arrow that only orders two steps is omitted where others imply that order; `plan explain` lists them all. A drawing is a
//! function of the plan (no clock, random numbers or hash order), so it can be stored beside the plan and compared.

mod dot;
mod layout;
mod mermaid;
mod svg;
mod text;

#[cfg(test)]
mod tests;

use tool_core::brief::count_phrase;
use tool_core::{ToolError, tool_error};

use crate::check::{CheckedPlan, CheckedStep};
use crate::graph::EdgeReason;

/// The format of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DrawingFormat {
    /// Lines for a terminal.
    Text,
    /// Graphviz.
    Dot,
    /// Mermaid, for Markdown pages.
    Mermaid,
    /// SVG, for a browser.
    Svg,
}

/// Most steps of a plan for which implied arrows are omitted.
const REDUCED_MAX: usize = 2000;
/// Longest text of one line of a box or label, in characters; longer ones are truncated, except in the tooltip of an SVG.
const SHOWN_MAX: usize = 40;

/// Draws a plan.
///
/// # Errors
/// `limit_exceeded` for an SVG of more than 20,000 boxes and bends.
pub fn draw_plan(plan: &CheckedPlan, format: DrawingFormat) -> Result<String, ToolError> {
    let picture = PlanDrawing::of(plan);
    match format {
        DrawingFormat::Text => Ok(text::draw_text(&picture)),
        DrawingFormat::Dot => Ok(dot::draw_dot(&picture)),
        DrawingFormat::Mermaid => Ok(mermaid::draw_mermaid(&picture)),
        DrawingFormat::Svg => svg::draw_svg(&picture).ok_or_else(|| {
            let most = layout::VERTICES_MAX;
            tool_error!(
                LimitExceeded,
                "the plan needs more than {most} boxes and bends"
            )
            .hint("use `--format dot`, for Graphviz, or `--format text`")
        }),
    }
}

/// The content of a drawing, in any format.
struct PlanDrawing<'p> {
    title: String,
    summary: String,
    boxes: Vec<StepBox<'p>>,
    arrows: Vec<StepArrow>,
    /// Steps by wave.
    waves: Vec<Vec<usize>>,
}

/// A box of the drawing.
struct StepBox<'p> {
    step: &'p CheckedStep,
    wave: usize,
    /// Further lines below the name of the tool; whether each is about effects.
    marks: Vec<(String, bool)>,
}

/// Properties of a step that its box shows: class, meaning, and test.
type Class = (&'static str, &'static str, fn(&CheckedStep) -> bool);

const CLASSES: [Class; 3] = [
    ("effects", "has effects", |step| !step.effects.is_empty()),
    ("asks", "needs approval", CheckedStep::needs_approval),
    ("conditional", "conditional", |step| step.when.is_some()),
];

/// The reasons why one step waits for another.
struct StepArrow {
    from: usize,
    to: usize,
    /// The strongest reason.
    kind: ArrowKind,
    /// The resource of a conflict.
    label: Option<String>,
    /// Every reason as text.
    words: Vec<String>,
}

/// The drawing of a [`ArrowKind`]: its name and meaning, and its line in each format.
struct ArrowStyle {
    name: &'static str,
    words: &'static str,
    colour: &'static str,
    /// Dashes of a line in SVG; empty for a solid one.
    dashes: &'static str,
    dot: &'static str,
    mermaid: &'static str,
}

macro_rules! kinds {
    ($($kind:ident: $name:literal $words:literal $colour:literal $dashes:literal $dot:literal $mermaid:literal;)*) => {
        /// The reasons for waiting, strongest first.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        enum ArrowKind { $($kind),* }

        impl ArrowKind {
            const ALL: &[Self] = &[$(Self::$kind),*];

            fn of(reason: &EdgeReason) -> Self {
                match reason { $(EdgeReason::$kind { .. } => Self::$kind),* }
            }

            fn style(self) -> ArrowStyle {
                match self {
                    $(Self::$kind => ArrowStyle { name: $name, words: $words, colour: $colour, dashes: $dashes, dot: $dot, mermaid: $mermaid }),*
                }
            }
        }
    };
}

kinds! {
    Reference: "reference" "uses its output" "#2b5d8c" "" "solid" "-->";
    After: "after" "ordered by `after`" "#4a4a4a" "7 4" "dashed" "-.->";
    Conflict: "conflict" "same resource" "#b4500f" "" "solid" "==>";
    Mutations: "mutations" "effects in order" "#8a8a8a" "2 3" "dotted" "-.->";
    Exclusive: "exclusive" "runs alone" "#75399c" "8 3 2 3" "dotted" "-.->";
}

/// Writes a text with the characters that a format reserves in their escaped form; control characters become `control`.
fn escape_text<'a>(text: &str, control: char, escaped: impl Fn(char) -> Option<&'a str>) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match escaped(c) {
            Some(escaped) => out.push_str(escaped),
            None => out.push(if c.is_control() { control } else { c }),
        }
    }
    out
}

impl<'p> PlanDrawing<'p> {
    fn of(plan: &'p CheckedPlan) -> Self {
        let waves = plan.graph.waves();
        let steps = count_phrase(plan.steps.len() as u64, "step");
        let in_waves = count_phrase(waves.len() as u64, "wave");
        let barrier = if plan.barrier { ", wave by wave" } else { "" };
        let fallback = plan.fallback_reason.as_ref();
        let fallback = fallback.map_or("", |_| " (sequential)");
        let mode = plan.mode_used;
        let summary = format!("{steps} in {in_waves}, mode {mode}{barrier}{fallback}");
        let boxes = (0..plan.steps.len()).map(|step| StepBox::of(plan, step));
        Self {
            title: plan.id.to_string(),
            summary,
            boxes: boxes.collect(),
            arrows: reduce_transitively(plan_arrows(plan), plan.steps.len()),
            waves,
        }
    }
}

impl<'p> StepBox<'p> {
    fn of(plan: &'p CheckedPlan, position: usize) -> Self {
        let step = &plan.steps[position];
        let mut marks = Vec::new();
        let mut mark = |warns: bool, text: String| marks.push((text, warns));
        if let Some(map) = &step.map {
            mark(false, format!("map over {}", map.over_words()));
        }
        if let Some(when) = &step.when {
            mark(false, format!("when {when}"));
        }
        if step.retry.max > 0 {
            mark(false, format!("retry {}", step.retry.max));
        }
        if !step.effects.is_empty() {
            let names: Vec<&str> = step.effects.iter().map(|effect| effect.as_str()).collect();
            mark(true, names.join(", "));
        }
        if step.needs_approval() {
            mark(true, "needs approval".to_owned());
        }
        if let Some(undo) = &step.compensate {
            mark(false, format!("undone by {}", undo.tool));
        }
        let wave = plan.graph.wave(position);
        Self { step, wave, marks }
    }

    fn is_mapped(&self) -> bool {
        self.step.map.is_some()
    }

    /// The lines below the name of the tool, truncated.
    fn lines(&self) -> impl Iterator<Item = String> {
        self.marks.iter().map(|(text, _)| single_line_text(text))
    }
}

/// One arrow for each pair of steps, in the order of the graph.
fn plan_arrows(plan: &CheckedPlan) -> Vec<StepArrow> {
    let mut arrows: Vec<StepArrow> = Vec::new();
    for edge in plan.graph.edges() {
        let kind = ArrowKind::of(&edge.reason);
        let words = edge.reason.to_string();
        let label = match &edge.reason {
            EdgeReason::Conflict { resource, .. } => Some(resource.to_string()),
            _ => None,
        };
        match arrows.last_mut() {
            Some(arrow) if (arrow.from, arrow.to) == (edge.from, edge.to) => {
                arrow.kind = arrow.kind.min(kind);
                arrow.label = arrow.label.take().or(label);
                if !arrow.words.contains(&words) {
                    arrow.words.push(words);
                }
            }
            _ => arrows.push(StepArrow {
                from: edge.from,
                to: edge.to,
                kind,
                label,
                words: vec![words],
            }),
        }
    }
    arrows
}

/// Removes the arrows whose order is implied by a longer path.
fn reduce_transitively(mut arrows: Vec<StepArrow>, steps: usize) -> Vec<StepArrow> {
    if steps > REDUCED_MAX {
        return arrows;
    }
    let words = steps.div_ceil(64);
    // For every step a bit set of all steps before it. Arrows lead to later steps, in order.
    let mut before: Vec<Vec<u64>> = vec![vec![0; words]; steps];
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); steps];
    for arrow in &arrows {
        into[arrow.to].push(arrow.from);
    }
    for (step, direct) in into.iter().enumerate() {
        let mut set = vec![0; words];
        for &from in direct {
            (0..words).for_each(|word| set[word] |= before[from][word]);
            set[from / 64] |= 1 << (from % 64);
        }
        before[step] = set;
    }
    arrows.retain(|arrow| {
        let (word, bit) = (arrow.from / 64, arrow.from % 64);
        let implies = |&from: &usize| (before[from][word] >> bit) & 1 == 1;
        arrow.kind <= ArrowKind::After || !into[arrow.to].iter().any(implies)
    });
    arrows
}

/// A text in one line, truncated to [`SHOWN_MAX`].
fn single_line_text(text: &str) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut cut: String = text.chars().take(SHOWN_MAX).map(clean).collect();
    if text.chars().nth(SHOWN_MAX).is_some() {
        cut.pop();
        cut.push('…');
    }
    cut
}
