//! Mermaid, for Markdown pages. Nodes are numbered, so that no text of the plan is parsed as Mermaid.

use std::fmt::Write as _;

use super::{ArrowKind, CLASSES, PlanDrawing, escape_text, single_line_text};

pub(super) fn draw_mermaid(picture: &PlanDrawing<'_>) -> String {
    let title = single_line_text(&picture.title).replace(['%', '{', '}'], " ");
    let mut text = format!("flowchart TB\n  %% {title}: {}\n", picture.summary);
    for (wave, steps) in picture.waves.iter().enumerate() {
        let _ = writeln!(text, "  subgraph w{wave}[\"wave {wave}\"]");
        for &step in steps {
            let one = &picture.boxes[step];
            let id = format!("<b>{}</b>", escape_mermaid_text(&one.step.id));
            let mut lines = vec![id, escape_mermaid_text(one.step.tool)];
            lines.extend(one.lines().map(|line| escape_mermaid_text(&line)));
            let (open, close) = match one.is_mapped() {
                true => ("[[", "]]"),
                false => ("[", "]"),
            };
            let _ = writeln!(text, "    s{step}{open}\"{}\"{close}", lines.join("<br/>"));
        }
        text.push_str("  end\n");
    }
    for arrow in &picture.arrows {
        let line = arrow.kind.style().mermaid;
        let label = match (&arrow.label, arrow.kind) {
            (Some(label), _) => format!("|\"{}\"|", escape_mermaid_text(&single_line_text(label))),
            (None, ArrowKind::Reference) => String::new(),
            (None, kind) => format!("|\"{}\"|", escape_mermaid_text(kind.style().words)),
        };
        let _ = writeln!(text, "  s{} {line}{label} s{}", arrow.from, arrow.to);
    }
    let styles = [
        "fill:#fff3e0,stroke:#c77700,color:#1c1c1c",
        "stroke:#b3261e,stroke-width:2px",
        "stroke-dasharray:5 4",
    ];
    for ((name, _, applies), style) in CLASSES.into_iter().zip(styles) {
        let members = picture.boxes.iter().enumerate();
        let members = members.filter(|(_, one)| applies(one.step));
        let members: Vec<String> = members.map(|(step, _)| format!("s{step}")).collect();
        if !members.is_empty() {
            let members = members.join(",");
            let _ = writeln!(text, "  classDef {name} {style}\n  class {members} {name}");
        }
    }
    text
}

/// Escapes a text in quotes: special characters of Mermaid and HTML become entities.
fn escape_mermaid_text(text: &str) -> String {
    escape_text(text, ' ', |c| match c {
        '"' => Some("#quot;"),
        '<' => Some("#lt;"),
        '>' => Some("#gt;"),
        '&' => Some("#amp;"),
        '#' => Some("#35;"),
        '`' => Some("#96;"),
        '\\' => Some("#92;"),
        _ => None,
    })
}
