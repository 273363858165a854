//! Several plots as one display list.

use super::{is_bare, lay_out};
use crate::prepare::composition::PreparedComposition;
use crate::scene::{HoverPoint, PlotScene, SceneItem};

/// Lays all parts out, each at its place.
pub(crate) fn lay_out_composition(picture: &PreparedComposition) -> PlotScene {
    let mut scene = PlotScene {
        width: picture.width,
        height: picture.height,
        background: picture.theme.background(),
        title: match picture.title.is_empty() {
            true => "Plots".to_owned(),
            false => picture.title.clone(),
        },
        description: describe_composition(picture),
        items: Vec::new(),
        panels: Vec::new(),
        hover: Vec::new(),
        dropped_texts: 0,
    };
    if is_bare(picture.width, picture.height) {
        scene.dropped_texts += usize::from(!picture.title.is_empty());
    } else {
        let heading = picture.heading();
        let texts = heading.texts(heading.sizes.pad);
        scene.items.extend(texts.into_iter().map(SceneItem::Text));
    }
    for part in &picture.parts {
        let drawn = lay_out(&part.plot);
        let shift = |item: SceneItem| item.shifted(part.left, part.top);
        scene.items.extend(drawn.items.into_iter().map(shift));
        let panels = drawn.panels.iter();
        scene
            .panels
            .extend(panels.map(|panel| panel.shifted(part.left, part.top)));
        let hover = drawn.hover.into_iter().map(|point| HoverPoint {
            x: point.x + part.left,
            y: point.y + part.top,
            ..point
        });
        scene.hover.extend(hover);
        scene.dropped_texts += drawn.dropped_texts;
    }
    scene.hover.truncate(crate::limits::HOVER_MAX);
    scene
}

/// What all parts show, in words.
pub(crate) fn describe_composition(picture: &PreparedComposition) -> String {
    let mut words = match picture.parts.len() {
        1 => Vec::new(),
        count => vec![format!("{count} plots.")],
    };
    if !picture.title.is_empty() {
        words.insert(0, format!("{}.", picture.title.trim_end_matches('.')));
    }
    for part in &picture.parts {
        words.push(crate::description::describe_plot(&part.plot));
    }
    words.join(" ")
}
