//! A display list as SVG: text stays text, in a subset of the font that the file carries.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::colour::PlotColour;
use crate::font::{FONT, FONT_NAME};
use crate::scene::{
    PathStep, PlotScene, PointCloud, PointShape, SINGLE_MAX, SceneBox, SceneItem, SceneStroke,
    TextAnchor, TextRun,
};

/// Style of an SVG file, and the file without it.
pub(crate) struct SvgParts {
    pub(crate) style: String,
    pub(crate) body: String,
}

/// A number with at most two digits after the point.
pub(crate) fn short_number(into: &mut String, value: f64) {
    let hundredths = libm::round(value * 100.0);
    if !hundredths.is_finite() || hundredths.abs() > 1e15 {
        into.push('0');
        return;
    }
    let number = hundredths as i64;
    let (whole, rest) = (number.unsigned_abs() / 100, number.unsigned_abs() % 100);
    if number < 0 {
        into.push('-');
    }
    // Writing to a text does not fail.
    let _ = match rest {
        0 => write!(into, "{whole}"),
        rest if rest % 10 == 0 => write!(into, "{whole}.{}", rest / 10),
        rest => write!(into, "{whole}.{rest:02}"),
    };
}

fn attribute(into: &mut String, name: &str, value: f64) {
    let _ = write!(into, " {name}=\"");
    short_number(into, value);
    into.push('"');
}

/// A text without the characters that mean something to XML, and without those that XML lacks.
pub(crate) fn escape_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for one in text.chars() {
        match one {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{0}'..='\u{1f}' | '\u{7f}' | '\u{fffe}' | '\u{ffff}' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

fn paint(into: &mut String, name: &str, colour: Option<PlotColour>) {
    match colour {
        None => {
            let _ = write!(into, " {name}=\"none\"");
        }
        Some(colour) => {
            let _ = write!(into, " {name}=\"{}\"", colour.hex());
            if colour.alpha < 255 {
                attribute(
                    into,
                    &format!("{name}-opacity"),
                    f64::from(colour.alpha) / 255.0,
                );
            }
        }
    }
}

fn outline(into: &mut String, stroke: Option<&SceneStroke>) {
    let Some(stroke) = stroke else {
        return;
    };
    paint(into, "stroke", Some(stroke.colour));
    attribute(into, "stroke-width", stroke.width);
    if !stroke.dashes.is_empty() {
        into.push_str(" stroke-dasharray=\"");
        for (index, length) in stroke.dashes.iter().enumerate() {
            if index > 0 {
                into.push(' ');
            }
            short_number(into, *length);
        }
        into.push('"');
    }
}

fn steps_data(into: &mut String, steps: &[PathStep]) {
    for step in steps {
        let (letter, x, y) = match step {
            PathStep::Move(x, y) => ('M', *x, *y),
            PathStep::Line(x, y) => ('L', *x, *y),
            PathStep::Close => {
                into.push('Z');
                continue;
            }
        };
        into.push(letter);
        short_number(into, x);
        into.push(' ');
        short_number(into, y);
    }
}

fn box_attributes(into: &mut String, place: &SceneBox) {
    for (name, value) in [
        ("x", place.left),
        ("y", place.top),
        ("width", place.width),
        ("height", place.height),
    ] {
        attribute(into, name, value);
    }
}

fn draw_points(into: &mut String, cloud: &PointCloud) {
    into.push_str("<g");
    paint(into, "fill", cloud.fill);
    outline(into, cloud.stroke.as_ref());
    into.push('>');
    let is_plain_disc = cloud.shape == PointShape::Circle && cloud.stroke.is_none();
    if is_plain_disc && cloud.centres.len() > SINGLE_MAX {
        into.push_str("<path fill=\"none\" stroke-linecap=\"round\"");
        paint(into, "stroke", cloud.fill);
        attribute(into, "stroke-width", 2.0 * cloud.radius);
        into.push_str(" d=\"");
        for (x, y, length) in cloud.runs() {
            into.push('M');
            short_number(into, x);
            into.push(' ');
            short_number(into, y);
            let _ = write!(into, "h{length}");
        }
        into.push_str("\"/>");
    } else if cloud.shape == PointShape::Circle {
        for [x, y] in &cloud.centres {
            into.push_str("<circle");
            attribute(into, "cx", f64::from(*x));
            attribute(into, "cy", f64::from(*y));
            attribute(into, "r", cloud.radius);
            into.push_str("/>");
        }
    } else {
        for [x, y] in &cloud.centres {
            into.push_str("<path d=\"");
            for (index, (dx, dy)) in cloud.shape.corners().iter().enumerate() {
                into.push(if index == 0 { 'M' } else { 'L' });
                short_number(into, f64::from(*x) + dx * cloud.radius);
                into.push(' ');
                short_number(into, f64::from(*y) + dy * cloud.radius);
            }
            into.push_str("Z\"/>");
        }
    }
    into.push_str("</g>\n");
}

fn draw_text(into: &mut String, run: &TextRun) {
    into.push_str("<text");
    attribute(into, "x", run.x);
    attribute(into, "y", run.y);
    attribute(into, "font-size", run.size);
    // Another font than the one in the file keeps to the room that was measured.
    attribute(into, "textLength", run.length());
    into.push_str(" lengthAdjust=\"spacingAndGlyphs\"");
    let anchor = match run.anchor {
        TextAnchor::Start => "",
        TextAnchor::Middle => " text-anchor=\"middle\"",
        TextAnchor::End => " text-anchor=\"end\"",
    };
    into.push_str(anchor);
    paint(into, "fill", Some(run.colour));
    if run.is_vertical {
        into.push_str(" transform=\"rotate(-90 ");
        short_number(into, run.x);
        into.push(' ');
        short_number(into, run.y);
        into.push_str(")\"");
    }
    let _ = writeln!(into, ">{}</text>", escape_text(&run.text));
}

/// The glyphs of all texts.
pub(crate) fn glyphs_of(scene: &PlotScene) -> BTreeSet<u16> {
    scene
        .texts()
        .flat_map(|run| run.text.chars())
        .map(|one| FONT.glyph(one))
        .collect()
}

/// The parts of an SVG file.
pub(crate) fn svg_parts(scene: &PlotScene) -> SvgParts {
    let glyphs = glyphs_of(scene);
    let style = match glyphs.is_empty() {
        true => String::new(),
        false => format!(
            "@font-face{{font-family:\"{FONT_NAME}\";src:url(data:font/ttf;base64,{})}}",
            STANDARD.encode(FONT.subset(&glyphs))
        ),
    };
    let mut body = String::new();
    let (width, height) = (scene.width, scene.height);
    let whole = SceneBox::new(0.0, 0.0, f64::from(width), f64::from(height));
    body.push_str("<rect");
    box_attributes(&mut body, &whole);
    paint(&mut body, "fill", Some(scene.background));
    body.push_str("/>\n");
    let mut clips = 0;
    for item in &scene.items {
        match item {
            SceneItem::Rectangle {
                place,
                fill,
                stroke,
            } => {
                body.push_str("<rect");
                box_attributes(&mut body, place);
                paint(&mut body, "fill", *fill);
                outline(&mut body, stroke.as_ref());
                body.push_str("/>\n");
            }
            SceneItem::Path {
                steps,
                fill,
                stroke,
            } => {
                body.push_str("<path");
                paint(&mut body, "fill", *fill);
                outline(&mut body, stroke.as_ref());
                body.push_str(" d=\"");
                steps_data(&mut body, steps);
                body.push_str("\"/>\n");
            }
            SceneItem::Points(cloud) => draw_points(&mut body, cloud),
            SceneItem::Text(run) => draw_text(&mut body, run),
            SceneItem::Clip(place) => {
                let _ = write!(body, "<clipPath id=\"panel{clips}\"><rect");
                box_attributes(&mut body, place);
                let _ = writeln!(body, "/></clipPath><g clip-path=\"url(#panel{clips})\">");
                clips += 1;
            }
            SceneItem::EndClip => body.push_str("</g>\n"),
        }
    }
    SvgParts { style, body }
}

/// The element `svg` with its name and description.
pub(crate) fn svg_element(scene: &PlotScene, parts: &SvgParts) -> String {
    let (width, height) = (scene.width, scene.height);
    let (title, description) = (escape_text(&scene.title), escape_text(&scene.description));
    let style = if parts.style.is_empty() {
        String::new()
    } else {
        format!("<style>{}</style>\n", parts.style)
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"{title}\">\n<title>{title}</title>\n<desc>{description}</desc>\n{style}\
         <g font-family=\"'{FONT_NAME}', 'DejaVu Sans', Verdana, sans-serif\" stroke-linejoin=\"round\">\n{}</g>\n</svg>\n",
        parts.body
    )
}

impl PlotScene {
    /// The picture as an SVG file: text as text, with the glyphs it needs in the file, `role="img"`, a title and a description.
    #[must_use]
    pub fn to_svg(&self) -> String {
        svg_element(self, &svg_parts(self))
    }
}
