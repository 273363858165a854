//! The data of a test from its arguments.

use ::tables::DataTable;
use statistics::hypothesis::{CountTable, EventCount, SuccessCount};

use super::Args;
use super::names::SampleShape;
use crate::prelude::*;
use crate::stats::reporting::faults::test_fault;
use crate::stats::reporting::samples::{
    SampleGroup, column_samples, cross_counts, grouped_samples, number_cells, paired_samples,
};

/// What a test is computed from.
pub(crate) enum TestData {
    /// One sample, or independent groups.
    Groups(Vec<SampleGroup>),
    /// Values of the same subjects, and the subjects left out.
    Conditions(Vec<SampleGroup>, usize),
    /// A table of counts, and the rows without a category.
    Table(CountTable, usize),
    /// A list of counts.
    Counts(Vec<f64>),
    /// Successes of trials.
    Successes(Vec<SuccessCount>),
    /// Events over exposures.
    Events(Vec<EventCount>),
}

impl TestData {
    /// Observations.
    pub(crate) fn count(&self) -> f64 {
        match self {
            Self::Groups(groups) => {
                groups.iter().map(|group| group.values.len()).sum::<usize>() as f64
            }
            Self::Conditions(groups, _) => {
                groups.first().map_or(0, |group| group.values.len()) as f64
            }
            Self::Table(table, _) => table.margins().total,
            Self::Counts(counts) => counts.iter().sum(),
            Self::Successes(groups) => groups.iter().map(|group| group.trials).sum(),
            Self::Events(groups) => groups.iter().map(|group| group.events).sum(),
        }
    }

    /// Cells or subjects left out.
    pub(crate) fn missing(&self) -> usize {
        match self {
            Self::Groups(groups) => groups.iter().map(|group| group.missing).sum(),
            Self::Conditions(_, left_out) | Self::Table(_, left_out) => *left_out,
            _ => 0,
        }
    }

    /// The labels of groups or conditions.
    pub(crate) fn labels(&self) -> Vec<String> {
        match self {
            Self::Groups(groups) | Self::Conditions(groups, _) => {
                groups.iter().map(|group| group.label.clone()).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Reads the data; `column` takes the place of `value` where several columns are tested.
pub(crate) fn read_data(
    args: &Args,
    shape: SampleShape,
    table: Option<&DataTable>,
    column: Option<&str>,
    ctx: &Ctx,
) -> Result<TestData, ToolError> {
    match shape {
        SampleShape::Successes => read_successes(args, ctx),
        SampleShape::Events => read_events(args),
        SampleShape::Table => read_table(args, table, ctx),
        SampleShape::Counts if args.x.is_none() => read_table(args, table, ctx),
        SampleShape::Counts => {
            let x = args.x.as_ref().map(|x| x.load(ctx)).transpose()?;
            Ok(TestData::Counts(x.map(|x| x.to_vec()).unwrap_or_default()))
        }
        _ => match table {
            Some(table) => read_samples(args, shape, table, column, ctx),
            None => read_lists(args, shape, ctx),
        },
    }
}

fn is_paired(shape: SampleShape) -> bool {
    matches!(shape, SampleShape::Pairs | SampleShape::Conditions)
}

fn read_samples(
    args: &Args,
    shape: SampleShape,
    table: &DataTable,
    column: Option<&str>,
    ctx: &Ctx,
) -> Result<TestData, ToolError> {
    let takes_columns = is_paired(shape) || shape == SampleShape::OneOrPairs;
    if takes_columns && column.is_none() && args.columns.len() > 1 {
        let read = column_samples(table, &args.columns, ctx)?;
        return check_count(
            TestData::Conditions(read.conditions, read.incomplete),
            shape,
        );
    }
    let Some(value) = column.or(args.value.as_deref()) else {
        refuse!(invalid "/value"; "expected the name of a column of numbers, found none";
            "name it in `value`, and the column of categories in `group`; pairs are two `columns`")
    };
    let data = match (&args.group, &args.subject) {
        (Some(group), Some(subject)) => {
            let read = paired_samples(table, value, group, subject, ctx)?;
            TestData::Conditions(read.conditions, read.incomplete)
        }
        (Some(_), None) if is_paired(shape) => {
            refuse!(invalid "/subject"; "expected the column that says which values belong together, found none";
                "name it in `subject`, or give the conditions as `columns`")
        }
        (Some(group), None) => {
            let read = grouped_samples(table, value, group, ctx)?;
            if read.without_group > 0 {
                ctx.warn(format!(
                    "{} rows have no `{group}` and are left out",
                    read.without_group
                ));
            }
            TestData::Groups(read.groups)
        }
        (None, _) => {
            let cells = number_cells(table, value, "/value", ctx)?;
            let values: Vec<f64> = cells.iter().copied().flatten().collect();
            let missing = cells.len() - values.len();
            TestData::Groups(vec![SampleGroup {
                label: value.to_owned(),
                values,
                missing,
            }])
        }
    };
    check_count(data, shape)
}

fn read_lists(args: &Args, shape: SampleShape, ctx: &Ctx) -> Result<TestData, ToolError> {
    let mut groups = Vec::new();
    for (name, list) in [("x", &args.x), ("y", &args.y)] {
        if let Some(list) = list {
            groups.push(SampleGroup::new(name, list.load(ctx)?.to_vec()));
        }
    }
    for (index, group) in args.groups.iter().enumerate() {
        let values: Vec<f64> = group.iter().map(|value| value.get()).collect();
        groups.push(SampleGroup::new(format!("group {}", index + 1), values));
    }
    if groups.is_empty() {
        refuse!(invalid "/x"; "expected data, found none";
            "give lists `x` and `y`, lists of `groups`, or a table `data` with `value` and `group`");
    }
    let is_paired = is_paired(shape) || (shape == SampleShape::OneOrPairs && groups.len() > 1);
    match is_paired {
        true => check_count(TestData::Conditions(groups, 0), shape),
        false => check_count(TestData::Groups(groups), shape),
    }
}

/// Refuses another number of samples than the test takes.
fn check_count(data: TestData, shape: SampleShape) -> Result<TestData, ToolError> {
    let found = data.labels().len();
    let (fits, expected) = match shape {
        SampleShape::One => (found == 1, "one sample"),
        SampleShape::OneOrTwo | SampleShape::OneOrPairs => (found <= 2, "one or two samples"),
        SampleShape::Two => (found == 2, "two groups"),
        SampleShape::Pairs => (found == 2, "two conditions"),
        SampleShape::Groups => (found >= 2, "two groups or more"),
        _ => (found >= 2, "two conditions or more"),
    };
    match fits {
        true => Ok(data),
        false => {
            let labels = data.labels();
            let shown: Vec<&str> = labels.iter().take(8).map(String::as_str).collect();
            let shown = shown.join(", ");
            refuse!(invalid "/test", "shape"; "the test takes {expected}, found {found}: {shown}";
                "leave groups out with `where` of the table, or choose a test for so many groups")
        }
    }
}

fn read_table(args: &Args, table: Option<&DataTable>, ctx: &Ctx) -> Result<TestData, ToolError> {
    if let Some(counts) = &args.table {
        let counts = counts.load(ctx)?;
        let made = CountTable::new(counts.as_slice(), counts.rows(), counts.columns());
        let made = made.map_err(|err| test_fault(err, "/table", ctx))?;
        return Ok(TestData::Table(made, 0));
    }
    let (Some(table), Some(rows), Some(columns)) = (table, &args.value, &args.group) else {
        refuse!(invalid "/table"; "expected a table of counts, found none";
            "give `table` as rows of counts, or `data` with two columns of categories named by `value` and `group`")
    };
    let read = cross_counts(table, rows, columns, ["/value", "/group"], ctx)?;
    Ok(TestData::Table(read.table, read.missing))
}

fn read_successes(args: &Args, ctx: &Ctx) -> Result<TestData, ToolError> {
    let (found, trials) = (args.successes.len(), args.trials.len());
    if found == 0 || found != trials {
        refuse!(invalid "/trials", "shape"; "expected as many `trials` as `successes`, at least one, found {trials} and {found}";
            "such as `successes: [12, 7], trials: [40, 41]`");
    }
    let pairs = args.successes.iter().zip(&args.trials);
    let counts = pairs.map(|(successes, trials)| SuccessCount::new(successes.get(), trials.get()));
    let counts: Result<Vec<SuccessCount>, _> = counts.collect();
    let counts = counts.map_err(|err| test_fault(err, "/successes", ctx))?;
    Ok(TestData::Successes(counts))
}

fn read_events(args: &Args) -> Result<TestData, ToolError> {
    let (found, exposures) = (args.events.len(), args.exposure.len());
    if !(1..=2).contains(&found) || (exposures != 0 && exposures != found) {
        refuse!(invalid "/events", "shape"; "expected one or two numbers of `events`, and as many of `exposure`, found {found} and {exposures}";
            "such as `events: [11, 23], exposure: [800, 783]`");
    }
    let counts = args
        .events
        .iter()
        .enumerate()
        .map(|(at, events)| EventCount {
            events: events.get(),
            exposure: args.exposure.get(at).map_or(1.0, |value| value.get()),
        });
    Ok(TestData::Events(counts.collect()))
}
