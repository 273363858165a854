//! Text for a terminal: waves, steps, and below each its dependencies.

use std::fmt::Write as _;

use super::{PlanDrawing, single_line_text};

pub(super) fn draw_text(picture: &PlanDrawing<'_>) -> String {
    let mut text = format!("{}: {}\n", picture.title, picture.summary);
    let widest = |of: fn(&super::StepBox<'_>) -> usize| picture.boxes.iter().map(of).max();
    let id_width = widest(|one| one.step.id.len()).unwrap_or(0);
    let tool_width = widest(|one| one.step.tool.len()).unwrap_or(0);
    let mut into: Vec<Vec<&super::StepArrow>> = vec![Vec::new(); picture.boxes.len()];
    for arrow in &picture.arrows {
        into[arrow.to].push(arrow);
    }
    for (wave, steps) in picture.waves.iter().enumerate() {
        let _ = writeln!(text, "wave {wave}");
        for &step in steps {
            let one = &picture.boxes[step];
            let marks = one.lines().collect::<Vec<_>>().join("; ");
            let (id, tool) = (&one.step.id, one.step.tool);
            let line = format!("  {id:id_width$}  {tool:tool_width$}  {marks}");
            let _ = writeln!(text, "{}", line.trim_end());
            for arrow in &into[step] {
                let (id, words) = (&picture.boxes[arrow.from].step.id, arrow.words.join(", "));
                let _ = writeln!(text, "    <- {id:id_width$}  {}", single_line_text(&words));
            }
        }
    }
    text
}
