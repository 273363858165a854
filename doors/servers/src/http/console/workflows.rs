//! `/console/workflows`: pipelines that a caller sees, and workflows with their stage.

use std::sync::Arc;

use axum::extract::{Extension, State};
use journal::PipelineRecord;
use maud::{Markup, html};
use workflow::tools::log;

use super::super::server::HttpServer;
use super::guard::ConsoleVisit;
use super::layout::{self, ConsolePage, ConsoleSection, PageReply};
use super::parts::{OutsideText, empty_block, state_badge, time_element};

/// Pipelines and workflows that are listed.
const SHOWN: usize = 100;

/// Lists pipelines, and workflows for who may read their events.
pub(super) async fn list_workflows(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
) -> PageReply {
    layout::build_page(&server, visit, move |server, visit| {
        let scope = visit.session.caller.scope(server);
        let pipelines = server.records()?.pipelines_in(&scope, SHOWN)?;
        // The same question as `/v1/events` asks: who may not call `workflow:status` reads none.
        let context = &visit.session.caller.context;
        let may_read = server.toolkit.events_for(context, u64::MAX >> 1).is_ok();
        let workflows = match server.toolkit.workflows().filter(|_| may_read) {
            Some(events) => Some(log::load_state(&**events)?),
            None => None,
        };
        let body = html! {
            h1 { "Workflows and pipelines" }
            section aria-labelledby="workflows" {
                h2 id="workflows" { "Workflows" }
                @match &workflows {
                    None => (empty_block("This session does not read workflows.")),
                    Some(state) if state.workflows().is_empty() => (empty_block("No workflow has begun.")),
                    Some(state) => {
                        div class="scroll" tabindex="0" role="region" aria-label="Table of workflows" {
                            table class="rows" {
                                thead { tr { th scope="col" { "Workflow" } th scope="col" { "Stage" } th scope="col" { "Stages" } th scope="col" { "Feedback open" } } }
                                tbody {
                                    @for one in state.workflows().values().rev().take(SHOWN) {
                                        tr {
                                            th scope="row" { code { (OutsideText(&one.id)) } }
                                            td { @if one.ended.is_some() { "ended" } @else { (OutsideText(one.current().map_or("-", |stage| &stage.name))) @if one.awaits(one.stage) { " " (state_badge("pending")) } } }
                                            td class="number" { (one.stages.len()) }
                                            td class="number" { (one.feedback.values().filter(|item| item.status.is_open()).count()) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            section aria-labelledby="pipelines" {
                h2 id="pipelines" { "Pipelines" }
                @if pipelines.is_empty() { (empty_block("No pipeline has begun: `mathchain pipeline run` begins one.")) }
                @else { (pipelines_table(&pipelines)) }
            }
        };
        Ok(ConsolePage {
            title: "Workflows".to_owned(),
            section: ConsoleSection::Workflows,
            is_live: true,
            body,
        })
    })
    .await
}

fn pipelines_table(pipelines: &[PipelineRecord]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="Table of pipelines" {
            table class="rows" {
                thead { tr { th scope="col" { "State" } th scope="col" { "Pipeline" } th scope="col" { "File" } th scope="col" { "Role" } th scope="col" { "Changed" } } }
                tbody {
                    @for one in pipelines {
                        tr {
                            td { (state_badge(one.state.as_str())) }
                            th scope="row" { code { (OutsideText(&one.id)) } }
                            td { (OutsideText(&one.file)) }
                            td { (OutsideText(one.role.as_deref().unwrap_or("-"))) }
                            td { (time_element(one.changed_ms)) }
                        }
                    }
                }
            }
        }
    }
}
