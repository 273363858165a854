//! SVG: boxes by wave, arrows by reason, and a legend.

use std::fmt::Write as _;

use super::layout::{self, BoxLink, BoxRectangle, BoxSize, DrawingLayout};
use super::{
    ArrowKind, ArrowStyle, CLASSES, Class, PlanDrawing, StepArrow, StepBox, escape_text,
    single_line_text,
};

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

pub(super) fn draw_svg(picture: &PlanDrawing<'_>) -> Option<String> {
    let layout = arrange_drawing(picture)?;
    let entries = legend_entries(picture);
    let header = text_width(&picture.title, 16.0).max(text_width(&picture.summary, SMALL));
    let entry_width = |words: &str| 44.0 + text_width(words, SMALL) + 18.0;
    let widths = entries.iter().map(|(_, words)| entry_width(words));
    let inner = widths.fold(header.max(LEFT + layout.width), f64::max);
    let width = inner + 2.0 * MARGIN;
    let body = TOP + layout.height + 26.0;
    // The legend in lines as wide as the drawing.
    let (mut samples, mut x, mut y) = (String::new(), 0.0, body);
    for (sample, words) in entries {
        if x + entry_width(words) > inner && x > 0.0 {
            (x, y) = (0.0, y + 20.0);
        }
        sample_of(&mut samples, sample, MARGIN + x, y);
        text_at(&mut samples, MARGIN + x + 44.0, y + 4.0, "note", words);
        x += entry_width(words);
    }
    let mut svg = svg_head(picture, width, y + 12.0 + MARGIN);
    draw_wave_names(&mut svg, picture, &layout, width);
    // Arrows first, below boxes and labels.
    for (arrow, way) in picture.arrows.iter().zip(&layout.ways) {
        let (name, path) = (arrow.kind.style().name, curve_path(way));
        let [from, to] = [arrow.from, arrow.to].map(|step| &picture.boxes[step].step.id);
        let tip = escape_svg_text(&format!("{from} -> {to}: {}", arrow.words.join(", ")));
        let _ = writeln!(
            svg,
            "<path class=\"{name}\" d=\"{path}\" marker-end=\"url(#{name}-end)\"><title>{tip}</title></path>"
        );
    }
    for (arrow, place) in picture.arrows.iter().zip(&layout.labels) {
        if let (Some(label), Some(place)) = (&arrow.label, place) {
            label_of(&mut svg, label, place);
        }
    }
    let boxes = picture.boxes.iter().zip(&layout.boxes);
    boxes.for_each(|(step, place)| box_of(&mut svg, step, place));
    svg.push_str(&samples);
    svg.push_str("</svg>\n");
    Some(svg)
}

/// Lays out the drawing, which begins below the title.
pub(super) fn arrange_drawing(picture: &PlanDrawing<'_>) -> Option<DrawingLayout> {
    let size = |one: &StepBox<'_>| {
        let names = [
            text_width(&one.step.id, FONT),
            text_width(one.step.tool, SMALL),
        ];
        let texts = one
            .lines()
            .map(|line| text_width(&line, SMALL))
            .chain(names);
        let sheet = if one.is_mapped() { SHEET } else { 0.0 };
        BoxSize {
            row: 2 * one.wave,
            width: texts.fold(60.0, f64::max) + 2.0 * PAD + sheet,
            height: LINE * (2 + one.marks.len()) as f64 + PAD + sheet,
        }
    };
    let link = |arrow: &StepArrow| BoxLink {
        from: arrow.from,
        to: arrow.to,
        label: (arrow.label.as_ref())
            .map(|label| (text_width(&single_line_text(label), SMALL) + 10.0, LINE)),
    };
    let boxes: Vec<BoxSize> = picture.boxes.iter().map(size).collect();
    let links: Vec<BoxLink> = picture.arrows.iter().map(link).collect();
    layout::compute_layout(&boxes, &links)
}

/// Largest width of a text; wide characters count twice.
fn text_width(text: &str, size: f64) -> f64 {
    let cells = text.chars().map(|c| 1 + usize::from(c as u32 >= 0x1100));
    cells.sum::<usize>() as f64 * size * ADVANCE
}

fn svg_head(picture: &PlanDrawing<'_>, width: f64, height: f64) -> String {
    let [w, h] = [width, height].map(format_coordinate);
    let [title, summary] = [&picture.title, &picture.summary].map(|text| escape_svg_text(text));
    let conflict = ArrowKind::Conflict.style().colour;
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img" aria-labelledby="title">
<title id="title">{title}: {summary}</title>
<style>
text {{ font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1c1c1c; }}
.title {{ font-size: 16px; font-weight: bold; }}
.id {{ font-size: {FONT}px; font-weight: bold; }}
.tool, .mark, .warn, .label, .note {{ font-size: {SMALL}px; }}
.tool, .note {{ fill: #565656; }}
.mark {{ fill: #2b5d8c; }}
.warn {{ fill: #9a3b00; }}
.label {{ fill: {conflict}; }}
.box {{ fill: #ffffff; stroke: #5a6672; }}
.effects {{ fill: #fff3e0; stroke: #c77700; }}
.asks {{ stroke: #b3261e; stroke-width: 2.2; }}
.conditional {{ stroke-dasharray: 6 4; }}
.wave {{ stroke: #ececec; }}
path {{ fill: none; stroke-width: 1.5; }}
"#
    );
    let styles = || ArrowKind::ALL.iter().map(|kind| kind.style());
    for ArrowStyle {
        name,
        colour,
        dashes,
        ..
    } in styles()
    {
        let dashes = match dashes {
            "" => String::new(),
            dashes => format!(" stroke-dasharray: {dashes};"),
        };
        let _ = writeln!(svg, ".{name} {{ stroke: {colour};{dashes} }}");
    }
    svg.push_str("</style>\n<defs>\n");
    for ArrowStyle { name, colour, .. } in styles() {
        let _ = writeln!(
            svg,
            r#"<marker id="{name}-end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.8 L8 4 L0 7.2 Z" style="fill: {colour}; stroke: none"/></marker>"#
        );
    }
    let _ = writeln!(
        svg,
        "</defs>\n<rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>"
    );
    text_at(&mut svg, MARGIN, 30.0, "title", &picture.title);
    text_at(&mut svg, MARGIN, 47.0, "note", &picture.summary);
    svg
}

/// The name of each wave, left of a thin line above it.
fn draw_wave_names(
    svg: &mut String,
    picture: &PlanDrawing<'_>,
    layout: &DrawingLayout,
    width: f64,
) {
    for (wave, steps) in picture.waves.iter().enumerate() {
        let places = || steps.iter().map(|&step| &layout.boxes[step]);
        let top = places()
            .map(|place| place.top)
            .fold(f64::INFINITY, f64::min);
        let bottom = places().map(BoxRectangle::bottom).fold(0.0, f64::max);
        let middle = TOP + (top + bottom) / 2.0;
        let [from, to, y] = [MARGIN + LEFT - 12.0, width - MARGIN, middle].map(format_coordinate);
        let _ = writeln!(
            svg,
            "<line class=\"wave\" x1=\"{from}\" y1=\"{y}\" x2=\"{to}\" y2=\"{y}\"/>"
        );
        text_at(svg, MARGIN, middle + 4.0, "note", &format!("wave {wave}"));
    }
}

/// A smooth path through rows.
fn curve_path(way: &[(f64, f64)]) -> String {
    /// Length of the straight end, so that the head points down.
    const STRAIGHT: f64 = 9.0;
    let at = |(x, y): (f64, f64)| {
        format!(
            "{} {}",
            format_coordinate(MARGIN + LEFT + x),
            format_coordinate(TOP + y)
        )
    };
    let mut path = format!("M{}", at(way[0]));
    for (index, pair) in way.windows(2).enumerate() {
        let (from, mut to) = (pair[0], pair[1]);
        let is_last = index + 2 == way.len();
        if index + 3 == way.len() {
            to.1 -= STRAIGHT;
        }
        if from == to && !is_last {
            continue;
        }
        let middle = (from.1 + to.1) / 2.0;
        let _ = match index % 2 == 0 || from.0 == to.0 {
            true => write!(path, " L{}", at(to)),
            false => {
                let bends = [(from.0, middle), (to.0, middle), to].map(at);
                write!(path, " C{}", bends.join(" "))
            }
        };
    }
    path
}

fn label_of(svg: &mut String, label: &str, place: &BoxRectangle) {
    let (left, top) = (MARGIN + LEFT + place.left(), TOP + place.top);
    let [x, y, width, height] = [left, top, place.width, place.height].map(format_coordinate);
    let title = escape_svg_text(label);
    let _ = writeln!(
        svg,
        r##"<g><title>{title}</title><rect x="{x}" y="{y}" width="{width}" height="{height}" rx="3" fill="#ffffff" stroke="#e6c9b5"/>"##
    );
    text_at(
        svg,
        left + 5.0,
        top + 12.5,
        "label",
        &single_line_text(label),
    );
    svg.push_str("</g>\n");
}

fn box_of(svg: &mut String, one: &StepBox<'_>, place: &BoxRectangle) {
    let (left, top) = (MARGIN + LEFT + place.left(), TOP + place.top);
    let classes = CLASSES.iter().filter(|(.., applies)| applies(one.step));
    let class = classes.fold(String::from("box"), |all, (name, ..)| all + " " + name);
    let marks: Vec<&str> = one.marks.iter().map(|(text, _)| &**text).collect();
    let title = format!("{}: {}\n{}", one.step.id, one.step.tool, marks.join("\n"));
    let _ = writeln!(svg, "<g><title>{}</title>", escape_svg_text(&title));
    let sheets: &[f64] = if one.is_mapped() {
        &[SHEET, 0.0]
    } else {
        &[0.0]
    };
    for shift in sheets {
        let (width, height) = (place.width - sheets[0], place.height - sheets[0]);
        let [x, y, width, height] =
            [left + shift, top + shift, width, height].map(format_coordinate);
        let _ = writeln!(
            svg,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>"
        );
    }
    let names = [
        ("id", one.step.id.to_string()),
        ("tool", one.step.tool.to_owned()),
    ];
    let warns = one.marks.iter();
    let warns = warns.map(|(_, warns)| if *warns { "warn" } else { "mark" });
    let mut y = top + 2.0;
    for (class, text) in names.into_iter().chain(warns.zip(one.lines())) {
        y += LINE;
        text_at(svg, left + PAD, y, class, &text);
    }
    svg.push_str("</g>\n");
}

/// A sample in the legend.
enum LegendSample {
    Line(ArrowKind),
    Box(&'static str),
    Sheets,
}

/// The kinds of arrows and boxes in the drawing.
fn legend_entries(picture: &PlanDrawing<'_>) -> Vec<(LegendSample, &'static str)> {
    let used = |kind: &&ArrowKind| picture.arrows.iter().any(|arrow| arrow.kind == **kind);
    let lines = ArrowKind::ALL.iter().filter(used);
    let lines = lines.map(|&kind| (LegendSample::Line(kind), kind.style().words));
    let holds = |(.., applies): &&Class| picture.boxes.iter().any(|one| applies(one.step));
    let boxes = CLASSES.iter().filter(holds);
    let boxes = boxes.map(|(name, words, _)| (LegendSample::Box(name), *words));
    let mapped = picture.boxes.iter().any(StepBox::is_mapped);
    let sheets = mapped.then_some((LegendSample::Sheets, "maps over a list"));
    lines.chain(boxes).chain(sheets).collect()
}

fn sample_of(svg: &mut String, sample: LegendSample, x: f64, y: f64) {
    let mut rectangle = |x: f64, y: f64, class: &str| {
        let [x, y] = [x, y].map(format_coordinate);
        let _ = writeln!(
            svg,
            "<rect class=\"box {class}\" x=\"{x}\" y=\"{y}\" width=\"26\" height=\"11\" rx=\"3\"/>"
        );
    };
    match sample {
        LegendSample::Box(class) => rectangle(x + 4.0, y - 5.5, class),
        LegendSample::Sheets => {
            rectangle(x + 8.0, y - 2.5, "");
            rectangle(x + 4.0, y - 6.5, "");
        }
        LegendSample::Line(kind) => {
            let (name, [x, y, end]) = (kind.style().name, [x, y, x + 34.0].map(format_coordinate));
            let _ = writeln!(
                svg,
                "<path class=\"{name}\" d=\"M{x} {y} L{end} {y}\" marker-end=\"url(#{name}-end)\"/>"
            );
        }
    }
}

fn text_at(svg: &mut String, x: f64, y: f64, class: &str, text: &str) {
    let ([x, y], text) = ([x, y].map(format_coordinate), escape_svg_text(text));
    let _ = writeln!(
        svg,
        "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>"
    );
}

/// A coordinate rounded to one decimal, so that all machines print the same.
fn format_coordinate(value: f64) -> String {
    ((value * 10.0).round() / 10.0).to_string()
}

/// Escapes a text for an element or attribute.
fn escape_svg_text(text: &str) -> String {
    escape_text(text, '\u{fffd}', |c| match c {
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
