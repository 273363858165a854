//! The graph of a run as SVG, whose boxes are links to the steps.

use maud::{Markup, html};

use super::super::parts::OutsideText;
use crate::people::run::RunModel;
use crate::people::run::graph::{BOX_HEIGHT, BOX_WIDTH, GraphBox, RunGraph};
use crate::people::states::state_class;

/// Draws the graph; a step is a link to its card.
pub(super) fn draw_graph(model: &RunModel, link: &dyn Fn(&str) -> String) -> Markup {
    let graph = match RunGraph::of(model) {
        Ok(graph) => graph,
        Err(excess) => {
            return html! { p class="note" { "The graph has " (excess.boxes) " boxes and " (excess.arrows) " arrows, too many for a picture: the table below has every step." } };
        }
    };
    let (width, height) = graph.size();
    html! {
        @if graph.is_grouped { p class="small" { "Steps of one wave with the same tool and state stand together; the table has each." } }
        div class="graph" tabindex="0" role="region" aria-label="Graph of the steps" data-pan {
            svg width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } role="group" aria-label="Steps and what they wait for" {
                g class="arrows" aria-hidden="true" {
                    @for arrow in &graph.arrows {
                        path class={ @if arrow.is_failed { "failed" } } d=(arrow.path) {}
                    }
                }
                @for one in &graph.boxes { (box_markup(one, link)) }
            }
        }
    }
}

fn box_markup(one: &GraphBox, link: &dyn Fn(&str) -> String) -> Markup {
    let (class, sign) = state_class(&one.state);
    let words = one.state.replace('_', " ");
    let (title, tool) = one.lines();
    let right = one.x() + BOX_WIDTH - 16;
    html! {
        a href=(link(&one.step)) {
            g class={ "box " (class) } {
                title { (OutsideText(&one.title)) ", " (OutsideText(&one.tool)) ", " (OutsideText(&words)) }
                rect x=(one.x()) y=(one.y()) width=(BOX_WIDTH) height=(BOX_HEIGHT) rx="5" {}
                @if one.count > 1 { rect class="pile" x=(one.x() + 4) y=(one.y() + BOX_HEIGHT) width=(BOX_WIDTH - 8) height="4" rx="2" {} }
                text class="name" x=(one.x() + 10) y=(one.y() + 17) { (OutsideText(&title)) }
                text class="tool" x=(one.x() + 10) y=(one.y() + 32) { (OutsideText(&tool)) }
                text class="sign" aria-hidden="true" x=(right) y=(one.y() + 17) { (sign) }
            }
        }
    }
}
