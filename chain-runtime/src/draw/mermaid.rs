//! Mermaid, as pages in Markdown show it. Names of nodes are numbers, so that no text of the plan is read as Mermaid.

use std::fmt::Write as _;

use super::{Kind, Picture, shown};

pub(super) fn draw(picture: &Picture<'_>) -> String {
    let mut text = String::from("flowchart TB\n");
    let _ = writeln!(
        text,
        "  %% {}: {}",
        shown(&picture.title).replace(['%', '{', '}'], " "),
        picture.summary
    );
    for (wave, steps) in picture.waves.iter().enumerate() {
        let _ = writeln!(text, "  subgraph w{wave}[\"wave {wave}\"]");
        for &step in steps {
            let one = &picture.boxes[step];
            let mut lines = vec![format!("<b>{}</b>", escaped(one.id)), escaped(one.tool)];
            lines.extend(one.marks.iter().map(|mark| escaped(&shown(&mark.text))));
            let (open, close) = match one.mapped {
                true => ("[[", "]]"),
                false => ("[", "]"),
            };
            let _ = writeln!(text, "    s{step}{open}\"{}\"{close}", lines.join("<br/>"));
        }
        text.push_str("  end\n");
    }
    for arrow in &picture.arrows {
        let line = match arrow.kind {
            Kind::Reference => "-->",
            Kind::Conflict => "==>",
            Kind::After | Kind::Mutations | Kind::Exclusive => "-.->",
        };
        let label = match (&arrow.label, arrow.kind) {
            (Some(label), _) => format!("|\"{}\"|", escaped(&shown(label))),
            (None, Kind::Reference) => String::new(),
            (None, kind) => format!("|\"{}\"|", kind.words()),
        };
        let _ = writeln!(text, "  s{} {line}{label} s{}", arrow.from, arrow.to);
    }
    let of = |wanted: fn(&super::Step<'_>) -> bool| -> Vec<String> {
        let steps = picture.boxes.iter().enumerate();
        steps
            .filter(|(_, one)| wanted(one))
            .map(|(step, _)| format!("s{step}"))
            .collect()
    };
    let classes = [
        (
            "effects",
            "fill:#fff3e0,stroke:#c77700,color:#1c1c1c",
            of(|one| one.effects),
        ),
        (
            "asks",
            "stroke:#b3261e,stroke-width:2px",
            of(|one| one.asks),
        ),
        (
            "conditional",
            "stroke-dasharray:5 4",
            of(|one| one.conditional),
        ),
    ];
    for (name, style, members) in classes.iter().filter(|(_, _, members)| !members.is_empty()) {
        let _ = writeln!(text, "  classDef {name} {style}");
        let _ = writeln!(text, "  class {} {name}", members.join(","));
    }
    text
}

/// A text inside quotes: what Mermaid or HTML would read is written as an entity.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' => out.push_str("#quot;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '&' => out.push_str("#amp;"),
            '#' => out.push_str("#35;"),
            '`' => out.push_str("#96;"),
            '\\' => out.push_str("#92;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
