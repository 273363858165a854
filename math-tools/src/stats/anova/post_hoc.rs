//! Comparisons of pairs of cells.

use statistics::anova::{
    COMPARED_MAX, compare_dunn, compare_dunnett, compare_games_howell, compare_tukey,
};

use super::Args;
use crate::prelude::*;
use crate::stats::reporting::ComparisonRecord;
use crate::stats::reporting::faults::test_fault;
use crate::stats::reporting::samples::{SampleGroup, group_slices};

/// Comparisons after an analysis of variance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum PostHocName {
    /// Tukey's honest significant differences.
    #[default]
    Tukey,
    /// Games and Howell, for different variances.
    GamesHowell,
    /// Dunnett, with one group alone.
    Dunnett,
    /// Dunn, by ranks.
    Dunn,
    /// None.
    None,
}

/// Comparisons with the name of their method, and what is to be said of them.
pub(crate) struct CellComparisons {
    pub method: String,
    pub records: Vec<ComparisonRecord>,
    pub notes: Vec<String>,
}

/// Compares the cells as the call asks.
pub(crate) fn compare_cells(
    args: &Args,
    cells: &[SampleGroup],
    ctx: &Ctx,
) -> Result<CellComparisons, ToolError> {
    let mut made = CellComparisons {
        method: String::new(),
        records: Vec::new(),
        notes: Vec::new(),
    };
    if args.post_hoc == PostHocName::None {
        return Ok(made);
    }
    if cells.len() > COMPARED_MAX {
        made.notes.push(format!(
            "{} cells are too many to compare in pairs",
            cells.len()
        ));
        return Ok(made);
    }
    let groups = group_slices(cells);
    let confidence = args.confidence.get();
    ctx.check()?;
    let (method, compared) = match args.post_hoc {
        PostHocName::Tukey | PostHocName::None => ("Tukey HSD", compare_tukey(&groups, confidence)),
        PostHocName::GamesHowell => ("Games-Howell", compare_games_howell(&groups, confidence)),
        PostHocName::Dunn => (
            "Dunn",
            compare_dunn(&groups, args.correction.into(), confidence),
        ),
        PostHocName::Dunnett => {
            let control = control_place(args, cells)?;
            ("Dunnett", compare_dunnett(&groups, control, confidence))
        }
    };
    let compared = compared.map_err(|err| test_fault(err, "/post_hoc", ctx))?;
    let labels: Vec<String> = cells.iter().map(|cell| cell.label.clone()).collect();
    made.method = method.to_owned();
    made.records = compared
        .iter()
        .map(|it| ComparisonRecord::new(it, &labels))
        .collect();
    Ok(made)
}

fn control_place(args: &Args, cells: &[SampleGroup]) -> Result<usize, ToolError> {
    let Some(control) = &args.control else {
        return Ok(0);
    };
    let labels = || cells.iter().map(|cell| cell.label.as_str());
    match labels().position(|label| label == control) {
        Some(place) => Ok(place),
        None => {
            let near = did_you_mean(control, labels());
            let error =
                ToolError::invalid("/control", format_args!("no group is named `{control}`"));
            let known = || format!("the groups are {}", labels().collect::<Vec<_>>().join("; "));
            Err(error.reason("group").hint(near.unwrap_or_else(known)))
        }
    }
}
