//! `/console/runs`: recorded runs that a caller sees, by state and words, a part at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Extension, RawQuery, State};
use journal::{RunFilter, RunRecord, RunState};
use maud::{Markup, html};
use tool_core::Result;

use super::super::server::HttpServer;
use super::form::{FormFields, link_to};
use super::guard::ConsoleVisit;
use super::layout::{self, ConsolePage, ConsoleSection, PageReply};
use super::parts::{OutsideText, empty_block, page_links, state_badge, time_element};

/// Runs of a page.
const SHOWN: usize = 50;
/// Pages that can be reached; a search finds what lies behind them.
const PAGES_MAX: usize = 1000;

/// A choice of states.
struct StateChoice {
    name: &'static str,
    words: &'static str,
    states: &'static [RunState],
    /// The states as they are counted.
    counted: &'static [&'static str],
}

const CHOICES: [StateChoice; 6] = [
    StateChoice {
        name: "",
        words: "All",
        states: &[],
        counted: &[],
    },
    StateChoice {
        name: "waiting",
        words: "Waiting",
        states: &[RunState::Suspended, RunState::NeedsDecision],
        counted: &["suspended", "needs_decision"],
    },
    StateChoice {
        name: "failed",
        words: "Failed",
        states: &[RunState::Failed, RunState::Rejected],
        counted: &["failed", "rejected"],
    },
    StateChoice {
        name: "running",
        words: "Running or interrupted",
        states: &[RunState::Running],
        counted: &["running", "interrupted"],
    },
    StateChoice {
        name: "succeeded",
        words: "Succeeded",
        states: &[RunState::Succeeded],
        counted: &["succeeded"],
    },
    StateChoice {
        name: "cancelled",
        words: "Cancelled",
        states: &[RunState::Cancelled],
        counted: &["cancelled"],
    },
];

impl StateChoice {
    fn count(&self, counts: &BTreeMap<String, u64>) -> u64 {
        let all = counts.iter();
        all.filter(|(state, _)| self.counted.is_empty() || self.counted.contains(&state.as_str()))
            .map(|(_, count)| count)
            .sum()
    }
}

/// Lists runs, newest first.
pub(super) async fn list_runs(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    RawQuery(query): RawQuery,
) -> PageReply {
    let query = FormFields::parse(&query.unwrap_or_default())?;
    layout::build_page(&server, visit, move |server, visit| {
        Ok(ConsolePage {
            title: "Runs".to_owned(),
            section: ConsoleSection::Runs,
            is_live: true,
            body: runs_body(server, visit, &query)?,
        })
    })
    .await
}

fn runs_body(server: &HttpServer, visit: &ConsoleVisit, query: &FormFields) -> Result<Markup> {
    let (state, scope) = (server.records()?, visit.session.caller.scope(server));
    let search = query.get("q").unwrap_or_default();
    let wanted = query.get("state").unwrap_or_default();
    let page = query.number("page").min(PAGES_MAX);
    let choice = CHOICES.iter().find(|choice| choice.name == wanted);
    let choice = choice.unwrap_or(&CHOICES[0]);
    let filter = RunFilter {
        states: choice.states.to_vec(),
        text: search.to_owned(),
    };
    // One more than is shown tells whether there are others.
    let mut runs = state.runs_matching(&scope, &filter, page * SHOWN, SHOWN + 1)?;
    let has_older = runs.len() > SHOWN && page < PAGES_MAX;
    runs.truncate(SHOWN);
    let counts = state.run_counts(&scope)?;
    let link = |name: &str, page: usize| {
        let page = if page == 0 {
            String::new()
        } else {
            page.to_string()
        };
        link_to(
            "/console/runs",
            &[("state", name), ("q", search), ("page", &page)],
        )
    };
    let newer = (page > 0).then(|| link(choice.name, page - 1));
    let older = has_older.then(|| link(choice.name, page + 1));
    Ok(html! {
        h1 { "Runs" }
        nav class="chips" aria-label="States" {
            @for one in &CHOICES {
                a href=(link(one.name, 0)) aria-current=[(one.name == choice.name).then_some("true")] {
                    (one.words) " " span class="count" { (one.count(&counts)) }
                }
            }
        }
        form class="search" action="/console/runs" role="search" {
            input type="hidden" name="state" value=(choice.name);
            label for="q" class="unseen" { "Plan, role, or beginning of an id" }
            input id="q" name="q" type="search" value=(search) placeholder="Plan, role, or beginning of an id";
            button { "Search" }
        }
        @if runs.is_empty() {
            (empty_block(if search.is_empty() && choice.name.is_empty() { "No run is recorded here yet: `mathchain run PLAN` makes one." } else { "No run is like that." }))
        } @else {
            (runs_table(&runs))
            (page_links((newer.as_deref(), "Newer"), (older.as_deref(), "Older")))
        }
    })
}

/// Runs as a table.
pub(super) fn runs_table(runs: &[RunRecord]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="Runs" {
            table class="rows" {
                thead { tr {
                    th scope="col" { "State" } th scope="col" { "Plan" } th scope="col" { "Run" } th scope="col" { "Role" }
                    th scope="col" { "Begun" } th scope="col" { "Changed" }
                } }
                tbody {
                    @for run in runs {
                        tr id={ "run-" (run.id) } {
                            td { (state_badge(run.state_shown())) }
                            th scope="row" { a href={ "/console/runs/" (run.id) } { (OutsideText(&run.plan_id)) } }
                            td { code { (run.id) } @if run.parent.is_some() { " " span class="small" { "nested" } } }
                            td { (OutsideText(&run.role)) }
                            td { (time_element(run.created_ms)) }
                            td { (time_element(run.changed_ms)) }
                        }
                    }
                }
            }
        }
    }
}
