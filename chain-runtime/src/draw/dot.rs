//! Graphviz: `dot -Tsvg`.

use std::fmt::Write as _;

use super::{Picture, escape, shown};

pub(super) fn draw(picture: &Picture<'_>) -> String {
    let mut text = format!(
        "digraph {} {{\n  label={}; labelloc=t; rankdir=TB; fontname=\"monospace\";\n",
        quoted(&picture.title),
        quoted(&format!("{}: {}", picture.title, picture.summary)),
    );
    text.push_str("  node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\", fontname=\"monospace\"];\n");
    text.push_str("  edge [fontname=\"monospace\", fontsize=10];\n");
    for (wave, steps) in picture.waves.iter().enumerate() {
        let _ = writeln!(text, "  {{ rank=same; // wave {wave}");
        for &step in steps {
            let one = &picture.boxes[step];
            let mut lines = vec![one.id.to_owned(), one.tool.to_owned()];
            lines.extend(one.marks.iter().map(|mark| shown(&mark.text)));
            let style = match one.conditional {
                true => ", style=\"rounded,filled,dashed\"",
                false => "",
            };
            let fill = match one.effects {
                true => ", fillcolor=\"#fff3e0\"",
                false => "",
            };
            let line = match one.asks {
                true => ", color=\"#b3261e\", penwidth=2",
                false => "",
            };
            let twice = if one.mapped { ", peripheries=2" } else { "" };
            let _ = writeln!(
                text,
                "    s{step} [label={}{style}{fill}{line}{twice}];",
                quoted(&lines.join("\n"))
            );
        }
        text.push_str("  }\n");
    }
    for arrow in &picture.arrows {
        let style = arrow.kind.style();
        let label = match &arrow.label {
            Some(label) => format!(", label={}", quoted(&shown(label))),
            None => String::new(),
        };
        let _ = writeln!(
            text,
            "  s{} -> s{} [style={}, color=\"{}\", tooltip={}{label}];",
            arrow.from,
            arrow.to,
            style.dot,
            style.colour,
            quoted(&arrow.words.join("\n")),
        );
    }
    text.push_str("}\n");
    text
}

/// Quotes a text for Graphviz.
fn quoted(text: &str) -> String {
    let text = escape(text, ' ', |c| match c {
        '"' => Some("\\\""),
        '\\' => Some("\\\\"),
        '\n' => Some("\\n"),
        _ => None,
    });
    format!("\"{text}\"")
}
