//! SVG: boxes by wave, arrows by reason, and a legend.

use std::fmt::Write as _;

use super::layout::{self, Layout, Link, Place, Size};
use super::{Kind, Picture, Step, escape, shown};

const FONT: f64 = 13.0;
const SMALL: f64 = 11.0;
/// Width of a character of a monospaced font, in its size.
const ADVANCE: f64 = 0.61;
const LINE: f64 = 17.0;
/// Margin around the drawing, and space left of it for the names of waves.
const MARGIN: f64 = 24.0;
const LEFT: f64 = 88.0;
const TOP: f64 = 62.0;
/// Padding of a box.
const PAD: f64 = 12.0;
/// Offset of the second sheet of a step with `map`.
const SHEET: f64 = 5.0;

pub(super) fn draw(picture: &Picture<'_>) -> Option<String> {
    let layout = arranged(picture)?;
    let entries = legend(picture);
    let header = wide(&picture.title, 16.0).max(wide(&picture.summary, SMALL));
    let entry_width = |words: &str| 44.0 + wide(words, SMALL) + 18.0;
    let widest_entry = entries
        .iter()
        .map(|(_, words)| entry_width(words))
        .fold(0.0, f64::max);
    let inner = (LEFT + layout.width).max(header).max(widest_entry);
    let width = inner + 2.0 * MARGIN;
    let mut rows: Vec<Vec<(f64, usize)>> = vec![Vec::new()];
    let mut x = 0.0;
    for (index, (_, words)) in entries.iter().enumerate() {
        let needed = entry_width(words);
        if x + needed > inner && x > 0.0 {
            rows.push(Vec::new());
            x = 0.0;
        }
        rows.last_mut()?.push((x, index));
        x += needed;
    }
    let body = TOP + layout.height + 26.0;
    let height = body + rows.len() as f64 * 20.0 + MARGIN - 8.0;
    let mut svg = head(picture, width, height);
    waves(&mut svg, picture, &layout, width);
    // Arrows first, below boxes and labels.
    for (arrow, way) in picture.arrows.iter().zip(&layout.ways) {
        let tip = format!(
            "{} -> {}: {}",
            picture.boxes[arrow.from].id,
            picture.boxes[arrow.to].id,
            arrow.words.join(", ")
        );
        let _ = writeln!(
            svg,
            "<path class=\"{}\" d=\"{}\" marker-end=\"url(#{}-end)\"><title>{}</title></path>",
            arrow.kind.style().name,
            curve(way),
            arrow.kind.style().name,
            escaped(&tip)
        );
    }
    for (arrow, place) in picture.arrows.iter().zip(&layout.labels) {
        if let (Some(label), Some(place)) = (&arrow.label, place) {
            label_of(&mut svg, label, place);
        }
    }
    for (step, place) in picture.boxes.iter().zip(&layout.boxes) {
        box_of(&mut svg, step, place);
    }
    for (line, row) in rows.iter().enumerate() {
        let y = body + line as f64 * 20.0;
        for &(x, index) in row {
            let (sample, words) = &entries[index];
            sample_of(&mut svg, *sample, MARGIN + x, y);
            text_at(&mut svg, MARGIN + x + 44.0, y + 4.0, "note", words);
        }
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

/// Lays out the drawing, which begins below the title.
pub(super) fn arranged(picture: &Picture<'_>) -> Option<Layout> {
    let boxes: Vec<Size> = picture
        .boxes
        .iter()
        .map(|step| {
            let marks = step
                .marks
                .iter()
                .map(|mark| wide(&shown(&mark.text), SMALL));
            let text = marks
                .chain([wide(step.id, FONT), wide(step.tool, SMALL)])
                .fold(60.0, f64::max);
            let sheet = if step.mapped { SHEET } else { 0.0 };
            Size {
                row: 2 * step.wave,
                width: text + 2.0 * PAD + sheet,
                height: LINE * (2 + step.marks.len()) as f64 + PAD + sheet,
            }
        })
        .collect();
    let links: Vec<Link> = picture
        .arrows
        .iter()
        .map(|arrow| Link {
            from: arrow.from,
            to: arrow.to,
            label: arrow
                .label
                .as_ref()
                .map(|label| (wide(&shown(label), SMALL) + 10.0, LINE)),
        })
        .collect();
    layout::place(&boxes, &links)
}

/// Largest width of a text; wide characters count twice.
fn wide(text: &str, size: f64) -> f64 {
    let cells: usize = text
        .chars()
        .map(|c| if (c as u32) < 0x1100 { 1 } else { 2 })
        .sum();
    cells as f64 * size * ADVANCE
}

fn head(picture: &Picture<'_>, width: f64, height: f64) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-labelledby=\"title\">\n",
        number(width),
        number(height)
    );
    let _ = writeln!(
        svg,
        "<title id=\"title\">{}: {}</title>",
        escaped(&picture.title),
        escaped(&picture.summary)
    );
    svg.push_str("<style>\ntext { font-family: ui-monospace, \"DejaVu Sans Mono\", Menlo, Consolas, monospace; fill: #1c1c1c; }\n");
    let _ = writeln!(
        svg,
        ".title {{ font-size: 16px; font-weight: bold; }}\n.id {{ font-size: {FONT}px; font-weight: bold; }}\n.tool, .mark, .warn, .label, .note {{ font-size: {SMALL}px; }}\n.tool, .note {{ fill: #565656; }}\n.mark {{ fill: #2b5d8c; }}\n.warn {{ fill: #9a3b00; }}\n.label {{ fill: {}; }}",
        Kind::Conflict.style().colour
    );
    svg.push_str(".box { fill: #ffffff; stroke: #5a6672; }\n.effects { fill: #fff3e0; stroke: #c77700; }\n.asks { stroke: #b3261e; stroke-width: 2.2; }\n.conditional { stroke-dasharray: 6 4; }\n.wave { stroke: #ececec; }\npath { fill: none; stroke-width: 1.5; }\n");
    for kind in Kind::ALL {
        let dashes = match kind.style().dashes {
            "" => String::new(),
            dashes => format!(" stroke-dasharray: {dashes};"),
        };
        let _ = writeln!(
            svg,
            ".{} {{ stroke: {};{dashes} }}",
            kind.style().name,
            kind.style().colour
        );
    }
    svg.push_str("</style>\n<defs>\n");
    for kind in Kind::ALL {
        let _ = writeln!(
            svg,
            "<marker id=\"{}-end\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0.8 L8 4 L0 7.2 Z\" style=\"fill: {}; stroke: none\"/></marker>",
            kind.style().name,
            kind.style().colour
        );
    }
    let _ = writeln!(
        svg,
        "</defs>\n<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>",
        number(width),
        number(height)
    );
    text_at(&mut svg, MARGIN, 30.0, "title", &picture.title);
    text_at(&mut svg, MARGIN, 47.0, "note", &picture.summary);
    svg
}

/// The name of each wave, left of a thin line above it.
fn waves(svg: &mut String, picture: &Picture<'_>, layout: &Layout, width: f64) {
    for (wave, steps) in picture.waves.iter().enumerate() {
        let top = steps
            .iter()
            .map(|&step| layout.boxes[step].top)
            .fold(f64::INFINITY, f64::min);
        let bottom = steps
            .iter()
            .map(|&step| layout.boxes[step].bottom())
            .fold(0.0, f64::max);
        let y = TOP + (top + bottom) / 2.0;
        let _ = writeln!(
            svg,
            "<line class=\"wave\" x1=\"{}\" y1=\"{1}\" x2=\"{2}\" y2=\"{1}\"/>",
            number(MARGIN + LEFT - 12.0),
            number(y),
            number(width - MARGIN)
        );
        text_at(svg, MARGIN, y + 4.0, "note", &format!("wave {wave}"));
    }
}

/// A smooth path through rows.
fn curve(way: &[(f64, f64)]) -> String {
    let x = |point: (f64, f64)| number(MARGIN + LEFT + point.0);
    let y = |point: (f64, f64)| number(TOP + point.1);
    /// Length of the straight end, so that the head points down.
    const STRAIGHT: f64 = 9.0;
    let mut path = format!("M{} {}", x(way[0]), y(way[0]));
    for (index, pair) in way.windows(2).enumerate() {
        let (from, mut to) = (pair[0], pair[1]);
        let is_last = index + 2 == way.len();
        if index + 3 == way.len() {
            to.1 -= STRAIGHT;
        }
        if from == to && !is_last {
            continue;
        }
        if index % 2 == 0 || from.0 == to.0 {
            let _ = write!(path, " L{} {}", x(to), y(to));
        } else {
            let middle = number(TOP + (from.1 + to.1) / 2.0);
            let _ = write!(
                path,
                " C{} {middle} {} {middle} {} {}",
                x(from),
                x(to),
                x(to),
                y(to)
            );
        }
    }
    path
}

fn label_of(svg: &mut String, label: &str, place: &Place) {
    let (left, top) = (MARGIN + LEFT + place.left(), TOP + place.top);
    let _ = writeln!(
        svg,
        "<g><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"#ffffff\" stroke=\"#e6c9b5\"/>",
        escaped(label),
        number(left),
        number(top),
        number(place.width),
        number(place.height)
    );
    text_at(svg, left + 5.0, top + 12.5, "label", &shown(label));
    svg.push_str("</g>\n");
}

fn box_of(svg: &mut String, step: &Step<'_>, place: &Place) {
    let (left, top) = (MARGIN + LEFT + place.left(), TOP + place.top);
    let sheet = if step.mapped { SHEET } else { 0.0 };
    let (width, height) = (place.width - sheet, place.height - sheet);
    let mut class = String::from("box");
    for (name, holds) in [
        ("effects", step.effects),
        ("asks", step.asks),
        ("conditional", step.conditional),
    ] {
        if holds {
            class.push(' ');
            class.push_str(name);
        }
    }
    let all: Vec<&str> = step.marks.iter().map(|mark| &*mark.text).collect();
    let _ = writeln!(
        svg,
        "<g><title>{}</title>",
        escaped(&format!("{}: {}\n{}", step.id, step.tool, all.join("\n")))
    );
    let mut sheets = vec![0.0];
    if step.mapped {
        sheets.insert(0, SHEET);
    }
    for shift in sheets {
        let _ = writeln!(
            svg,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/>",
            number(left + shift),
            number(top + shift),
            number(width),
            number(height)
        );
    }
    let mut y = top + LINE + 2.0;
    text_at(svg, left + PAD, y, "id", step.id);
    y += LINE;
    text_at(svg, left + PAD, y, "tool", step.tool);
    for mark in &step.marks {
        y += LINE;
        let class = if mark.warns { "warn" } else { "mark" };
        text_at(svg, left + PAD, y, class, &shown(&mark.text));
    }
    svg.push_str("</g>\n");
}

/// A sample in the legend.
#[derive(Clone, Copy)]
enum Sample {
    Line(Kind),
    Box(&'static str),
    Sheets,
}

/// The kinds of arrows and boxes in the drawing.
fn legend(picture: &Picture<'_>) -> Vec<(Sample, &'static str)> {
    let has = |of: fn(&Step<'_>) -> bool| picture.boxes.iter().any(of);
    let used = |kind: &Kind| picture.arrows.iter().any(|arrow| arrow.kind == *kind);
    let lines = Kind::ALL.into_iter().filter(used);
    let mut entries: Vec<_> = lines
        .map(|kind| (Sample::Line(kind), kind.style().words))
        .collect();
    let boxes: [(bool, Sample, &str); 4] = [
        (
            has(|step| step.effects),
            Sample::Box("effects"),
            "has effects",
        ),
        (has(|step| step.asks), Sample::Box("asks"), "needs approval"),
        (
            has(|step| step.conditional),
            Sample::Box("conditional"),
            "conditional",
        ),
        (has(|step| step.mapped), Sample::Sheets, "maps over a list"),
    ];
    let boxes = boxes.into_iter().filter(|(is_used, ..)| *is_used);
    entries.extend(boxes.map(|(_, sample, words)| (sample, words)));
    entries
}

fn sample_of(svg: &mut String, sample: Sample, x: f64, y: f64) {
    let mut rectangle = |x: f64, y: f64, class: &str| {
        let _ = writeln!(
            svg,
            "<rect class=\"box {class}\" x=\"{}\" y=\"{}\" width=\"26\" height=\"11\" rx=\"3\"/>",
            number(x),
            number(y)
        );
    };
    match sample {
        Sample::Box(class) => rectangle(x + 4.0, y - 5.5, class),
        Sample::Sheets => {
            rectangle(x + 8.0, y - 2.5, "");
            rectangle(x + 4.0, y - 6.5, "");
        }
        Sample::Line(kind) => {
            let _ = writeln!(
                svg,
                "<path class=\"{0}\" d=\"M{1} {2} L{3} {2}\" marker-end=\"url(#{0}-end)\"/>",
                kind.style().name,
                number(x),
                number(y),
                number(x + 34.0)
            );
        }
    }
}

fn text_at(svg: &mut String, x: f64, y: f64, class: &str, text: &str) {
    let _ = writeln!(
        svg,
        "<text class=\"{class}\" x=\"{}\" y=\"{}\">{}</text>",
        number(x),
        number(y),
        escaped(text)
    );
}

/// A coordinate rounded to one decimal, so that all machines print the same.
fn number(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    format!("{rounded}")
}

/// Escapes a text for an element or attribute.
fn escaped(text: &str) -> String {
    escape(text, '\u{fffd}', |c| match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        '\n' => Some("\n"),
        // Characters that XML does not allow.
        '\u{fffe}' | '\u{ffff}' => Some("\u{fffd}"),
        _ => None,
    })
}
