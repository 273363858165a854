//! `/console/runs/ID/compare`: two runs side by side, with what differs first.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Extension, Path, RawQuery, State};
use journal::{RunFilter, RunRecord, StateStore};
use maud::{Markup, html};
use tool_core::{Object, Result, Value, json};

use super::super::super::server::HttpServer;
use super::super::form::{FormFields, encode_part};
use super::super::guard::ConsoleVisit;
use super::super::layout::{self, ConsolePage, ConsoleSection, PageReply};
use super::super::parts::{
    OutsideText, duration_words, empty_block, format_local_time, state_badge, time_element,
};
use super::super::values::value_block;
use super::step;
use crate::people::run::{RunModel, StepRow};
use crate::recorded;

/// Runs that are offered for a comparison.
const OFFERED_MAX: usize = 20;
/// Steps of the table; the first difference is shown wherever it is.
const STEPS_SHOWN: usize = 200;

/// Compares a run with the one of `with`, or offers those of the same plan.
pub(in super::super) async fn compare_runs(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> PageReply {
    let query = FormFields::parse(&query.unwrap_or_default())?;
    layout::build_page(&server, visit, move |server, visit| {
        let (state, scope) = (server.records()?, visit.session.caller.scope(server));
        let run = recorded::visible_run(state, &scope, &id)?;
        let body = match query.get("with") {
            Some(other) => {
                let other = recorded::visible_run(state, &scope, other)?;
                ComparedRuns::read(state, [&run, &other])?.body(state)
            }
            None => {
                let filter = RunFilter {
                    text: run.plan_id.clone(),
                    ..RunFilter::default()
                };
                let found = state.runs_matching(&scope, &filter, 0, OFFERED_MAX + 1)?;
                offered_runs(&run, &found)
            }
        };
        Ok(ConsolePage {
            title: format!("Compare runs of {}", run.plan_id),
            section: ConsoleSection::Runs,
            is_live: false,
            body: html! {
                p class="crumbs" { a href="/console/runs" { "Runs" } " / " a href={ "/console/runs/" (run.id) } { (OutsideText(&run.plan_id)) } }
                h1 { "Compare runs" }
                (body)
            },
        })
    })
    .await
}

fn offered_runs(run: &RunRecord, found: &[RunRecord]) -> Markup {
    let others: Vec<&RunRecord> = found.iter().filter(|one| one.id != run.id).collect();
    let path = format!("/console/runs/{}/compare", run.id);
    html! {
        form class="search" action=(path) {
            label for="with" { "The other run" }
            input id="with" name="with" placeholder="id of a run, or its beginning" required;
            button { "Compare" }
        }
        @if others.is_empty() { (empty_block("No other run has this plan.")) }
        @else {
            h2 { "Runs of the same plan" }
            ul { @for one in others {
                li {
                    a href={ (path) "?with=" (encode_part(&one.id)) } { code { (one.id) } }
                    " " (state_badge(one.state_shown())) " " (time_element(one.created_ms))
                }
            } }
        }
    }
}

/// Two runs with what each step of them gave.
struct ComparedRuns<'a> {
    runs: [&'a RunRecord; 2],
    models: [RunModel; 2],
    rows: Vec<ComparedStep>,
}

/// A step of either run, by its place in both.
struct ComparedStep {
    id: String,
    places: [Option<usize>; 2],
    difference: Option<&'static str>,
}

impl<'a> ComparedRuns<'a> {
    fn read(state: &StateStore, runs: [&'a RunRecord; 2]) -> Result<Self> {
        let models = [
            RunModel::read(state, runs[0])?,
            RunModel::read(state, runs[1])?,
        ];
        let rows = compared_steps(&models[0].steps, &models[1].steps);
        Ok(Self { runs, models, rows })
    }

    fn steps(&self, row: &ComparedStep) -> [Option<&StepRow>; 2] {
        let step = |side: usize| self.models[side].steps.get(row.places[side]?);
        [step(0), step(1)]
    }

    fn body(&self, state: &StateStore) -> Markup {
        let first = self.rows.iter().find(|row| row.difference.is_some());
        let differing = self.rows.iter().filter(|row| row.difference.is_some());
        html! {
            (self.facts())
            (inputs_table(state, self.runs))
            section aria-labelledby="first" {
                h2 id="first" { "First difference" }
                @match first {
                    None => p { "Every step ended alike, with results of the same digest." },
                    Some(row) => {
                        p { "At step " code { (OutsideText(&row.id)) } ": " (row.difference.unwrap_or_default()) ". " (differing.count()) " of " (self.rows.len()) " steps differ." }
                        div class="beside" {
                            @for (side, step) in self.steps(row).into_iter().enumerate() {
                                @match step {
                                    Some(step) => (step::step_card(state, &self.models[side], step, &format!("/console/runs/{}", self.runs[side].id))),
                                    None => article class="card" { p { "This run has no such step." } },
                                }
                            }
                        }
                    }
                }
            }
            (self.steps_table())
        }
    }

    /// What the runs are, where it differs.
    fn facts(&self) -> Markup {
        let named: [(&str, [&str; 2]); 4] = [
            (
                "plan digest",
                [&self.runs[0].plan_digest, &self.runs[1].plan_digest],
            ),
            ("role", [&self.runs[0].role, &self.runs[1].role]),
            ("program", [&self.runs[0].build, &self.runs[1].build]),
            ("processor", [&self.runs[0].profile, &self.runs[1].profile]),
        ];
        let seeds = self.runs.map(|run| run.seed.to_string());
        let differs = named.iter().filter(|(_, [a, b])| a != b);
        html! {
            div class="scroll" tabindex="0" role="region" aria-label="The runs" {
                table {
                    thead { tr { th scope="col" { "" } @for run in self.runs { th scope="col" { a href={ "/console/runs/" (run.id) } { code { (run.id) } } } } } }
                    tbody {
                        tr { th scope="row" { "state" } @for run in self.runs { td { (state_badge(run.state_shown())) } } }
                        tr { th scope="row" { "begun" } @for run in self.runs { td { (format_local_time(run.created_ms)) } } }
                        @for (name, values) in differs {
                            tr { th scope="row" { (name) } @for value in values { td class="wide" { code { (OutsideText(value)) } } } }
                        }
                        @if seeds[0] != seeds[1] { tr { th scope="row" { "seed" } @for seed in &seeds { td { code { (seed) } } } } }
                    }
                }
            }
        }
    }

    fn steps_table(&self) -> Markup {
        let hidden = self.rows.len().saturating_sub(STEPS_SHOWN);
        let took =
            |step: Option<&StepRow>| step.and_then(|step| step.elapsed_ms).map(duration_words);
        html! {
            section aria-labelledby="steps" {
                h2 id="steps" { "Steps" }
                div class="scroll" tabindex="0" role="region" aria-label="Steps of both runs" {
                    table class="rows" {
                        thead { tr {
                            th scope="col" { "Step" } th scope="col" { "First run" } th scope="col" { "took" } th scope="col" { "Second run" } th scope="col" { "took" } th scope="col" { "Compared" }
                        } }
                        tbody { @for row in self.rows.iter().take(STEPS_SHOWN) {
                            tr {
                                th scope="row" { (OutsideText(&row.id)) }
                                @for step in self.steps(row) {
                                    td { @match step { Some(step) => (state_badge(&step.state)), None => "-" } }
                                    td class="number" { (took(step).unwrap_or_default()) }
                                }
                                td { @match row.difference { Some(words) => b { (words) }, None => "equal" } }
                            }
                        } }
                    }
                }
                @if hidden > 0 { p class="small" { (hidden) " more steps are not shown." } }
            }
        }
    }
}

/// The members of both inputs that differ.
fn inputs_table(state: &StateStore, runs: [&RunRecord; 2]) -> Markup {
    let inputs = runs.map(|run| state.value(&run.inputs).unwrap_or_default());
    let none = Object::new();
    let members = [0, 1].map(|side: usize| inputs[side].as_object().unwrap_or(&none));
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in members[0].iter().chain(members[1].iter()) {
        let values = [members[0].get(name), members[1].get(name)];
        let texts = values.map(|value| value.map(json::to_text));
        if texts[0] != texts[1] && !names.contains(&name) {
            names.push(name);
        }
    }
    html! {
        @if !names.is_empty() {
            section aria-labelledby="inputs" {
                h2 id="inputs" { "Inputs that differ" }
                table {
                    tbody { @for name in names {
                        tr { th scope="row" { (OutsideText(name)) } @for side in members { td { (value_block(side.get(name).unwrap_or(&Value::Null))) } } }
                    } }
                }
            }
        }
    }
}

/// The steps of both, in the order of the first run and then of the second.
fn compared_steps<'a>(first: &'a [StepRow], second: &'a [StepRow]) -> Vec<ComparedStep> {
    let places_of = |steps: &'a [StepRow]| -> HashMap<&'a str, usize> {
        let places = steps.iter().enumerate();
        places
            .map(|(place, step)| (step.id.as_str(), place))
            .collect()
    };
    let (first_places, second_places) = (places_of(first), places_of(second));
    let mut rows = Vec::with_capacity(first.len());
    for (place, step) in first.iter().enumerate() {
        let other = second_places.get(step.id.as_str()).copied();
        rows.push(ComparedStep {
            id: step.id.clone(),
            places: [Some(place), other],
            difference: difference_of(step, other.map(|other| &second[other])),
        });
    }
    for (place, step) in second.iter().enumerate() {
        if !first_places.contains_key(step.id.as_str()) {
            rows.push(ComparedStep {
                id: step.id.clone(),
                places: [None, Some(place)],
                difference: Some("only the second run has it"),
            });
        }
    }
    rows
}

fn difference_of(step: &StepRow, other: Option<&StepRow>) -> Option<&'static str> {
    let Some(other) = other else {
        return Some("only the first run has it");
    };
    if step.state != other.state {
        return Some("another state");
    }
    if step.results != other.results {
        return Some("another result");
    }
    None
}
