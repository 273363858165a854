//! Kaplan and Meier's curves and the log-rank test.

use statistics::design::{CategoryColumn, ModelColumns};
use statistics::models::survival::{LogRank, SurvivalCurve, kaplan_meier, log_rank};

use super::answer::{CurveRow, LogRankAnswer, SurvivalGroup};
use super::{Args, Output, check_times, event_flags};
use crate::data::table::table_fault;
use crate::prelude::*;
use crate::stats::model_data::data_columns;
use crate::stats::reporting::words::{apa_p, estimate_words, p_words};

/// Most groups.
const GROUPS_MAX: usize = 1000;

/// The columns of the complete rows.
struct CurveData {
    columns: ModelColumns,
    rows: Vec<usize>,
}

impl CurveData {
    fn read(
        args: &Args,
        names: [(&'static str, Option<&str>); 4],
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        let table = args.data.load(ctx)?.into_table(ctx)?;
        let mut used = Vec::new();
        for (pointer, name) in names {
            let Some(name) = name else { continue };
            table
                .position(name)
                .map_err(|err| table_fault(err, pointer, &table, ctx))?;
            used.push(name.to_owned());
        }
        let columns = data_columns(&table, &used, ctx)?;
        let rows = columns.complete_rows(used.iter().map(String::as_str));
        let rows = rows.map_err(|err| ToolError::invalid("/data", err))?;
        if rows.is_empty() {
            refuse!(invalid "/data", "empty"; "no row has a time and an event"; "pass rows with both");
        }
        if rows.len() < columns.rows() {
            let (missing, all) = (columns.rows() - rows.len(), columns.rows());
            ctx.warn(format!(
                "{missing} of {all} rows have a missing cell and are left out"
            ));
        }
        Ok(Self { columns, rows })
    }

    fn numbers(&self, pointer: &'static str, name: &str) -> Result<Vec<f64>, ToolError> {
        let numbers = self.columns.numbers(name, &pointer[1..]);
        let numbers = numbers.map_err(|err| ToolError::invalid(pointer, err).reason("table"))?;
        Ok(self.rows.iter().map(|row| numbers[*row]).collect())
    }

    fn categories(&self, name: &str) -> Result<CategoryColumn, ToolError> {
        let column = self
            .columns
            .get(name)
            .map_err(|err| ToolError::invalid("/data", err))?;
        Ok(column.to_categories().take(&self.rows))
    }

    /// Events as numbers; of a text of two levels the last one is the event.
    fn events(&self, name: &str) -> Result<Vec<f64>, ToolError> {
        let column = self
            .columns
            .get(name)
            .map_err(|err| ToolError::invalid("/event", err))?;
        let statistics::design::ModelColumn::Categories(category) = column else {
            return self.numbers("/event", name);
        };
        let category = category.take(&self.rows);
        let count = category.levels.len();
        if count > 2 {
            refuse!(invalid "/event", "event"; "column `{name}` has {count} levels, and an event has two"; "such as `died` and `alive`");
        }
        let last = column_last(&category);
        Ok(category
            .codes
            .iter()
            .flatten()
            .map(|code| f64::from(u8::from(*code == last)))
            .collect())
    }
}

fn column_last(category: &CategoryColumn) -> u32 {
    category.levels.len().saturating_sub(1) as u32
}

/// Estimates the curves of the groups, and tests whether they differ.
pub(super) fn run_curves(args: &Args, ctx: &Ctx) -> Result<Output, ToolError> {
    let (Some(time), Some(event)) = (&args.time, &args.event) else {
        let pointer = if args.time.is_none() {
            "/time"
        } else {
            "/event"
        };
        refuse!(invalid pointer, "missing"; "expected the columns `time` and `event`, or a `formula`"; "such as {\"time\": \"days\", \"event\": \"died\"}");
    };
    let confidence = confidence_level(args.confidence)?;
    let names = [
        ("/time", Some(time.as_str())),
        ("/event", Some(event.as_str())),
        ("/group", args.group.as_deref()),
        ("/strata", args.strata.as_deref()),
    ];
    let data = CurveData::read(args, names, ctx)?;
    let table_row = |row: usize| data.rows.get(row).copied().unwrap_or(row);
    let times = data.numbers("/time", time)?;
    check_times(&times, table_row, "/time")?;
    let is_event = event_flags(&data.events(event)?, table_row, "/event", ctx)?;
    let groups = args
        .group
        .as_deref()
        .map(|name| data.categories(name))
        .transpose()?;
    let strata = args
        .strata
        .as_deref()
        .map(|name| data.categories(name))
        .transpose()?;
    let codes: Vec<u32> = match &groups {
        Some(groups) => groups.codes.iter().flatten().copied().collect(),
        None => vec![0; times.len()],
    };
    let levels = groups.map_or_else(|| vec!["all".to_owned()], |groups| groups.levels);
    if levels.len() > GROUPS_MAX {
        let count = levels.len();
        refuse!(invalid "/group", "groups"; "column `group` has {count} groups, more than {GROUPS_MAX}"; "a Cox regression takes numbers");
    }
    let strata: Option<Vec<u32>> =
        strata.map(|strata| strata.codes.iter().flatten().copied().collect());
    let curves = group_curves(&times, &is_event, &codes, levels.len(), confidence);
    let test = match args.group {
        Some(_) => Some(tested(log_rank(
            &times,
            &is_event,
            &codes,
            strata.as_deref(),
        ))?),
        None => None,
    };
    Ok(output(args, &data, &levels, &curves, test.as_ref()))
}

fn tested(test: Option<LogRank>) -> Result<LogRank, ToolError> {
    test.ok_or_else(|| {
        let error = ToolError::invalid("/group", "no event compares two groups");
        error
            .reason("groups")
            .hint("each comparison needs an event while two groups are under observation")
    })
}

fn group_curves(
    times: &[f64],
    is_event: &[bool],
    codes: &[u32],
    count: usize,
    confidence: f64,
) -> Vec<SurvivalCurve> {
    let mut parts: Vec<(Vec<f64>, Vec<bool>)> = vec![(Vec::new(), Vec::new()); count];
    for ((time, event), code) in times.iter().zip(is_event).zip(codes) {
        let part = &mut parts[*code as usize];
        part.0.push(*time);
        part.1.push(*event);
    }
    parts
        .iter()
        .map(|(times, events)| kaplan_meier(times, events, confidence))
        .collect()
}

fn output(
    args: &Args,
    data: &CurveData,
    levels: &[String],
    curves: &[SurvivalCurve],
    test: Option<&LogRank>,
) -> Output {
    let group = |(index, (level, curve)): (usize, (&String, &SurvivalCurve))| SurvivalGroup {
        group: level.clone(),
        n: curve.n,
        events: curve.events,
        median: curve.median,
        median_lower: curve.median_interval[0],
        median_upper: curve.median_interval[1],
        restricted_mean: curve.restricted_mean,
        last_time: curve.last_time,
        expected: test.map(|test| test.groups[index].expected),
    };
    let mut rows = Vec::new();
    for (level, curve) in levels.iter().zip(curves) {
        rows.extend(
            curve
                .points
                .iter()
                .take(args.points.size())
                .map(|point| CurveRow {
                    group: level.clone(),
                    time: point.time,
                    at_risk: point.at_risk,
                    events: point.events,
                    survival: point.survival,
                    standard_error: point.standard_error,
                    lower: point.interval[0],
                    upper: point.interval[1],
                }),
        );
    }
    Output {
        groups: Some(levels.iter().zip(curves).enumerate().map(group).collect()),
        curve: Some(rows),
        test: test.map(|found| LogRankAnswer {
            statistic: found.test.statistic,
            df: found.test.df1,
            p: found.test.p,
            apa: format!(
                "chi2({}) = {:.2}, {}",
                found.test.df1,
                found.test.statistic,
                apa_p(found.test.p)
            ),
        }),
        terms: None,
        fit: None,
        proportional: None,
        n: data.rows.len(),
        events: curves.iter().map(|curve| curve.events).sum(),
        missing: data.columns.rows() - data.rows.len(),
        summary: summary_sentence(levels, curves, test),
    }
}

fn summary_sentence(levels: &[String], curves: &[SurvivalCurve], test: Option<&LogRank>) -> String {
    const SHOWN: usize = 4;
    let median = |curve: &SurvivalCurve| match curve.median {
        Some(median) => format!("at most half survive {}", estimate_words(median)),
        None => "more than half survive to the last event".to_owned(),
    };
    let Some(test) = test else {
        let curve = &curves[0];
        return format!(
            "{} of {} rows had the event; {}.",
            curve.events,
            curve.n,
            median(curve)
        );
    };
    let pairs = levels.iter().zip(curves).take(SHOWN);
    let medians: Vec<String> = pairs
        .map(|(level, curve)| format!("{level}: {}", median(curve)))
        .collect();
    let verdict = match test.test.p < 0.05 {
        true => "The groups survive differently",
        false => {
            "No clear difference between the groups was found, which does not show that there is none"
        }
    };
    format!(
        "{verdict} (log-rank {}); {}.",
        p_words(test.test.p),
        medians.join(", ")
    )
}
