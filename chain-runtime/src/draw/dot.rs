//! Graphviz: `dot -Tsvg`.

use std::fmt::Write as _;

use super::{PlanDrawing, escape_text, single_line_text};

pub(super) fn draw_dot(picture: &PlanDrawing<'_>) -> String {
    let mut text = format!(
        "digraph {} {{\n  label={}; labelloc=t; rankdir=TB; fontname=\"monospace\";\n",
        quote_dot_text(&picture.title),
        quote_dot_text(&format!("{}: {}", picture.title, picture.summary)),
    );
    text.push_str("  node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\", fontname=\"monospace\"];\n");
    text.push_str("  edge [fontname=\"monospace\", fontsize=10];\n");
    for (wave, steps) in picture.waves.iter().enumerate() {
        let _ = writeln!(text, "  {{ rank=same; // wave {wave}");
        for &number in steps {
            let (one, step) = (&picture.boxes[number], picture.boxes[number].step);
            let mut lines = vec![step.id.to_string(), step.tool.to_owned()];
            lines.extend(one.lines());
            let _ = write!(
                text,
                "    s{number} [label={}",
                quote_dot_text(&lines.join("\n"))
            );
            let styles = [
                (step.when.is_some(), ", style=\"rounded,filled,dashed\""),
                (!step.effects.is_empty(), ", fillcolor=\"#fff3e0\""),
                (step.needs_approval(), ", color=\"#b3261e\", penwidth=2"),
                (one.is_mapped(), ", peripheries=2"),
            ];
            let styles = styles.into_iter().filter(|(applies, _)| *applies);
            styles.for_each(|(_, style)| text.push_str(style));
            text.push_str("];\n");
        }
        text.push_str("  }\n");
    }
    for arrow in &picture.arrows {
        let style = arrow.kind.style();
        let label = arrow.label.as_ref();
        let label =
            label.map(|label| format!(", label={}", quote_dot_text(&single_line_text(label))));
        let (line, colour, from, to) = (style.dot, style.colour, arrow.from, arrow.to);
        let (tip, label) = (
            quote_dot_text(&arrow.words.join("\n")),
            label.unwrap_or_default(),
        );
        let _ = writeln!(
            text,
            "  s{from} -> s{to} [style={line}, color=\"{colour}\", tooltip={tip}{label}];"
        );
    }
    text.push_str("}\n");
    text
}

/// Quotes a text for Graphviz.
fn quote_dot_text(text: &str) -> String {
    let text = escape_text(text, ' ', |c| match c {
        '"' => Some("\\\""),
        '\\' => Some("\\\\"),
        '\n' => Some("\\n"),
        _ => None,
    });
    format!("\"{text}\"")
}
