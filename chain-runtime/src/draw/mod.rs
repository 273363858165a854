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

use tool_core::{ErrorCode, ToolError};

use crate::check::CheckedPlan;
use crate::graph::Reason;

/// The format of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
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
pub fn draw(plan: &CheckedPlan, format: Format) -> Result<String, ToolError> {
    let picture = Picture::of(plan);
    match format {
        Format::Text => Ok(text::draw(&picture)),
        Format::Dot => Ok(dot::draw(&picture)),
        Format::Mermaid => Ok(mermaid::draw(&picture)),
        Format::Svg => svg::draw(&picture).ok_or_else(|| {
            ToolError::new(
                ErrorCode::LimitExceeded,
                format_args!(
                    "the plan needs more than {} boxes and bends",
                    layout::VERTICES_MAX
                ),
            )
            .hint("use `--format dot`, for Graphviz, or `--format text`")
        }),
    }
}

/// The content of a drawing, in any format.
struct Picture<'p> {
    title: String,
    summary: String,
    boxes: Vec<Step<'p>>,
    arrows: Vec<Arrow>,
    /// Steps by wave.
    waves: Vec<Vec<usize>>,
}

/// A box of the drawing.
struct Step<'p> {
    id: &'p str,
    tool: &'p str,
    wave: usize,
    /// Whether it has effects.
    effects: bool,
    /// Whether it needs approval.
    asks: bool,
    /// Whether it has a condition.
    conditional: bool,
    /// Whether it maps over a list.
    mapped: bool,
    /// Further lines.
    marks: Vec<Mark>,
}

/// A line below the name of a tool.
struct Mark {
    text: String,
    /// Whether it is about effects.
    warns: bool,
}

/// The reasons why one step waits for another.
struct Arrow {
    from: usize,
    to: usize,
    /// The strongest reason.
    kind: Kind,
    /// The resource of a conflict.
    label: Option<String>,
    /// Every reason as text.
    words: Vec<String>,
}

/// The reasons for waiting, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Reference,
    After,
    Conflict,
    Mutations,
    Exclusive,
}

/// The drawing of a [`Kind`]: its name and meaning, and its line in each format.
struct Style {
    name: &'static str,
    words: &'static str,
    colour: &'static str,
    /// Dashes of a line in SVG; empty for a solid one.
    dashes: &'static str,
    dot: &'static str,
    mermaid: &'static str,
}

/// The styles, in the order of [`Kind`].
const STYLES: [Style; 5] = [
    style(
        "reference",
        "uses its output",
        "#2b5d8c",
        "",
        "solid",
        "-->",
    ),
    style(
        "after",
        "ordered by `after`",
        "#4a4a4a",
        "7 4",
        "dashed",
        "-.->",
    ),
    style("conflict", "same resource", "#b4500f", "", "solid", "==>"),
    style(
        "mutations",
        "effects in order",
        "#8a8a8a",
        "2 3",
        "dotted",
        "-.->",
    ),
    style(
        "exclusive",
        "runs alone",
        "#75399c",
        "8 3 2 3",
        "dotted",
        "-.->",
    ),
];

const fn style(
    name: &'static str,
    words: &'static str,
    colour: &'static str,
    dashes: &'static str,
    dot: &'static str,
    mermaid: &'static str,
) -> Style {
    Style {
        name,
        words,
        colour,
        dashes,
        dot,
        mermaid,
    }
}

impl Kind {
    const ALL: [Self; 5] = [
        Self::Reference,
        Self::After,
        Self::Conflict,
        Self::Mutations,
        Self::Exclusive,
    ];

    fn of(reason: &Reason) -> Self {
        match reason {
            Reason::Reference(_) => Self::Reference,
            Reason::After => Self::After,
            Reason::Conflict { .. } => Self::Conflict,
            Reason::Mutations => Self::Mutations,
            Reason::Exclusive => Self::Exclusive,
        }
    }

    fn style(self) -> &'static Style {
        &STYLES[self as usize]
    }
}

/// Writes a text with the characters that a format reserves in their escaped form; control characters become `control`.
fn escape<'a>(text: &str, control: char, escaped: impl Fn(char) -> Option<&'a str>) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match escaped(c) {
            Some(escaped) => out.push_str(escaped),
            None => out.push(if c.is_control() { control } else { c }),
        }
    }
    out
}

impl<'p> Picture<'p> {
    fn of(plan: &'p CheckedPlan) -> Self {
        let waves = plan.graph.waves();
        let mut summary = format!(
            "{} in {}, mode {}",
            counted(plan.steps.len(), "step"),
            counted(waves.len(), "wave"),
            plan.mode_used
        );
        if plan.barrier {
            summary.push_str(", wave by wave");
        }
        if plan.fallback_to_seq() {
            summary.push_str(" (sequential)");
        }
        let boxes = (0..plan.steps.len()).map(|step| Step::of(plan, step));
        Self {
            title: plan.id.to_string(),
            summary,
            boxes: boxes.collect(),
            arrows: reduced(arrows(plan), plan.steps.len()),
            waves,
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl<'p> Step<'p> {
    fn of(plan: &'p CheckedPlan, position: usize) -> Self {
        let step = &plan.steps[position];
        let asks = step.needs_approval();
        let mut marks = Vec::new();
        let mut mark = |warns: bool, text: String| marks.push(Mark { text, warns });
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
        if asks {
            mark(true, "needs approval".to_owned());
        }
        if let Some(undo) = &step.compensate {
            mark(false, format!("undone by {}", undo.tool));
        }
        Self {
            id: &step.id,
            tool: step.tool,
            wave: plan.graph.wave(position),
            effects: !step.effects.is_empty(),
            asks,
            conditional: step.when.is_some(),
            mapped: step.map.is_some(),
            marks,
        }
    }
}

/// One arrow for each pair of steps, in the order of the graph.
fn arrows(plan: &CheckedPlan) -> Vec<Arrow> {
    let mut arrows: Vec<Arrow> = Vec::new();
    for edge in plan.graph.edges() {
        let kind = Kind::of(&edge.reason);
        let words = match edge.reason.detail() {
            Some(detail) => format!("{} {detail}", edge.reason.kind()),
            None => edge.reason.kind().to_owned(),
        };
        let label = match &edge.reason {
            Reason::Conflict { resource, .. } => Some(resource.to_string()),
            _ => None,
        };
        match arrows.last_mut() {
            Some(arrow) if (arrow.from, arrow.to) == (edge.from, edge.to) => {
                arrow.kind = arrow.kind.min(kind);
                if arrow.label.is_none() {
                    arrow.label = label;
                }
                if !arrow.words.contains(&words) {
                    arrow.words.push(words);
                }
            }
            _ => arrows.push(Arrow {
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
fn reduced(arrows: Vec<Arrow>, steps: usize) -> Vec<Arrow> {
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
    let has = |set: &[u64], step: usize| (set[step / 64] >> (step % 64)) & 1 == 1;
    for (step, direct) in into.iter().enumerate() {
        let mut set = vec![0; words];
        for &from in direct {
            set.iter_mut()
                .zip(&before[from])
                .for_each(|(all, more)| *all |= more);
            set[from / 64] |= 1 << (from % 64);
        }
        before[step] = set;
    }
    let implied = |arrow: &Arrow| {
        let longer = |&from: &usize| from != arrow.from && has(&before[from], arrow.from);
        arrow.kind > Kind::After && into[arrow.to].iter().any(longer)
    };
    let mut kept = arrows;
    kept.retain(|arrow| !implied(arrow));
    kept
}

/// A text in one line, truncated to [`SHOWN_MAX`].
fn shown(text: &str) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut cut: String = text.chars().take(SHOWN_MAX).map(clean).collect();
    if text.chars().nth(SHOWN_MAX).is_some() {
        cut.pop();
        cut.push('…');
    }
    cut
}
