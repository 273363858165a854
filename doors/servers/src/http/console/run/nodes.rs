//! Where the calls of a run were computed, and what moving them cost.

use maud::{Markup, html};
use tool_core::Value;
use tool_core::brief::count_phrase;

use super::super::parts::{OutsideText, duration_words};
use crate::people::run::RunModel;

/// Nodes that are shown.
const NODES_SHOWN: usize = 100;

/// The nodes of a run with an engine; nothing for any other.
pub(super) fn nodes_section(model: &RunModel) -> Markup {
    let (nodes, fallen_back) = model.nodes();
    if nodes.is_empty() && fallen_back == 0 {
        return html! {};
    }
    html! {
        section aria-labelledby="nodes" {
            h2 id="nodes" { "Nodes" }
            @if let Some(costs) = &model.tickets { p class="small" { (costs_words(costs)) } }
            div class="scroll" tabindex="0" role="region" aria-label="Table of nodes" {
                table class="rows" {
                    thead { tr { th scope="col" { "Node" } th scope="col" { "Calls" } } }
                    tbody {
                        @for (node, count) in nodes.iter().take(NODES_SHOWN) {
                            tr { th scope="row" { (OutsideText(node)) } td class="number" { (count) } }
                        }
                        @if fallen_back > 0 {
                            tr { th scope="row" { "here, although an engine was wanted" } td class="number" { (fallen_back) } }
                        }
                    }
                }
            }
            @if nodes.len() > NODES_SHOWN { p class="small" { (count_phrase((nodes.len() - NODES_SHOWN) as u64, "more node")) } }
        }
    }
}

/// Bytes and times of the tickets of a run.
fn costs_words(costs: &Value) -> String {
    let count = |key: &str| costs.get(key).and_then(Value::as_i64).unwrap_or(0);
    let time = |key: &str| {
        let ms = costs.get(key).and_then(Value::as_f64);
        duration_words(ms.unwrap_or(0.0))
    };
    format!(
        "{}: {} bytes sent, {} received; computing {}, waiting for a worker {}, in transit {}",
        count_phrase(count("tickets").unsigned_abs(), "ticket"),
        count("bytes_sent"),
        count("bytes_received"),
        time("computing_ms"),
        time("waiting_ms"),
        time("moving_ms"),
    )
}
