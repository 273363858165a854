//! The natural picture of another tool's result: one function for each tool, from its result to plots.

mod chains;
mod counts;
mod density;
mod forecast;
mod groups;
mod landscape;
mod matrix;
mod multivariate;
mod regression;
mod result;
mod spectrum;
mod survival;
#[cfg(test)]
mod tests;
mod trajectories;

use std::sync::Arc;

use plots::{
    ChannelDefinition, CompositionPart, DataTable, LayerChannels, MarkKind, PartPlace, PlotColumn,
    PlotComposition, PlotLayer, PlotSpecification,
};

use crate::prelude::*;
pub(super) use result::DrawnResult;
use result::recognise_tool;

/// A tool whose result has a natural picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum DrawnTool {
    /// Boxes and points by group, with means and their intervals.
    CompareGroups,
    /// The matrix of coefficients as a heat map.
    Correlation,
    /// Data, fit, band and residuals.
    CurveFit,
    /// The spectrum with its tones.
    Fft,
    /// Counts as bars.
    Histogram,
    /// Boxes and points of the samples, or the estimate with its interval.
    HypothesisTest,
    /// The density over the sample.
    KernelDensity,
    /// Data, line, band and residuals; of a formula observed over fitted values, residuals and their quantiles.
    LinearRegression,
    /// Traces of the chains, and the distributions of all pairs of variables.
    Mcmc,
    /// Lines of equal height with the path, of two variables; a curve of one.
    Optimize,
    /// Components over time, and the first two over each other.
    SolveOde,
    /// The series with its forecast, changes and anomalies, and its parts.
    TimeSeries,
    /// Rows by cluster, noise grey, and the curve whose knee is the radius.
    Dbscan,
    /// A dendrogram with its clusters.
    HierarchicalClustering,
    /// Rows by cluster, in the plane of two columns or components, with the means.
    Kmeans,
    /// Robust distances against local outlier factors.
    Outliers,
    /// Rows and columns over two components, and the shares of all.
    Pca,
    /// Curves of survival with their bands, or ratios of hazards with their intervals.
    Survival,
}

impl DrawnTool {
    pub(crate) const ALL: [Self; 18] = [
        Self::CompareGroups,
        Self::Correlation,
        Self::CurveFit,
        Self::Fft,
        Self::Histogram,
        Self::HypothesisTest,
        Self::KernelDensity,
        Self::LinearRegression,
        Self::Mcmc,
        Self::Optimize,
        Self::SolveOde,
        Self::TimeSeries,
        Self::Dbscan,
        Self::HierarchicalClustering,
        Self::Kmeans,
        Self::Outliers,
        Self::Pca,
        Self::Survival,
    ];

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CompareGroups => "compare_groups",
            Self::Correlation => "correlation",
            Self::CurveFit => "curve_fit",
            Self::Fft => "fft",
            Self::Histogram => "histogram",
            Self::HypothesisTest => "hypothesis_test",
            Self::KernelDensity => "kernel_density",
            Self::LinearRegression => "linear_regression",
            Self::Mcmc => "mcmc",
            Self::Optimize => "optimize",
            Self::SolveOde => "solve_ode",
            Self::TimeSeries => "time_series",
            Self::Dbscan => "dbscan",
            Self::HierarchicalClustering => "hierarchical_clustering",
            Self::Kmeans => "kmeans",
            Self::Outliers => "outliers",
            Self::Pca => "pca",
            Self::Survival => "survival",
        }
    }
}

/// Size of a picture that fits what it shows.
#[derive(Debug, Clone, Copy, PartialEq)]
struct NaturalSize {
    width: u32,
    height: u32,
}

/// The plots of a result.
#[derive(Debug, Clone)]
struct NaturalPicture {
    title: String,
    subtitle: String,
    size: NaturalSize,
    parts: Vec<CompositionPart>,
}

impl NaturalPicture {
    fn new(title: impl Into<String>, size: NaturalSize) -> Self {
        Self {
            title: title.into(),
            subtitle: String::new(),
            size,
            parts: Vec::new(),
        }
    }

    fn add(&mut self, place: PartPlace, specification: PlotSpecification) {
        self.parts.push(CompositionPart {
            specification,
            place,
        });
    }
}

/// The picture of a result.
///
/// # Errors
/// `invalid_args` at `/result` for a result of no known form, at `/call` or `/data` where what the result lacks is missing.
pub(super) fn compose_result(
    source: &DrawnResult<'_>,
    of: Option<DrawnTool>,
) -> Result<PlotComposition, ToolError> {
    let tool = match of {
        Some(tool) => tool,
        None => recognise_tool(source)?,
    };
    let picture = match tool {
        DrawnTool::CompareGroups => groups::draw_compare_groups(source)?,
        DrawnTool::Correlation => matrix::draw_correlation(source)?,
        DrawnTool::CurveFit => regression::draw_curve_fit(source)?,
        DrawnTool::Fft => spectrum::draw_fft(source)?,
        DrawnTool::Histogram => counts::draw_histogram(source)?,
        DrawnTool::HypothesisTest => groups::draw_hypothesis_test(source)?,
        DrawnTool::KernelDensity => density::draw_kernel_density(source)?,
        DrawnTool::LinearRegression => regression::draw_linear_regression(source)?,
        DrawnTool::Mcmc => chains::draw_mcmc(source)?,
        DrawnTool::Optimize => landscape::draw_optimize(source)?,
        DrawnTool::SolveOde => trajectories::draw_solve_ode(source)?,
        DrawnTool::TimeSeries => forecast::draw_time_series(source)?,
        DrawnTool::Dbscan => multivariate::draw_dbscan(source)?,
        DrawnTool::HierarchicalClustering => multivariate::draw_hierarchical_clustering(source)?,
        DrawnTool::Kmeans => multivariate::draw_kmeans(source)?,
        DrawnTool::Outliers => multivariate::draw_outliers(source)?,
        DrawnTool::Pca => multivariate::draw_pca(source)?,
        DrawnTool::Survival => survival::draw_survival(source)?,
    };
    Ok(PlotComposition {
        title: picture.title,
        subtitle: picture.subtitle.replace("chi2(", "χ²("),
        width: picture.size.width,
        height: picture.size.height,
        theme: source.theme,
        parts: picture.parts,
    })
}

/// A number as a reader takes it in: four digits.
fn short_number(value: f64) -> String {
    plots::readable_number(value, 4)
}

/// A table of columns of numbers of one length.
fn table_of(columns: &[(&str, &[f64])]) -> Result<Arc<DataTable>, ToolError> {
    let columns = columns
        .iter()
        .map(|(name, cells)| PlotColumn::of_numbers(name, cells.to_vec()));
    shared_table(columns.collect())
}

fn shared_table(columns: Vec<PlotColumn>) -> Result<Arc<DataTable>, ToolError> {
    let table = DataTable::new(columns);
    table
        .map(Arc::new)
        .map_err(|err| ToolError::invalid("/result", err.to_string()).reason("shape"))
}

fn channel(field: &str, title: &str) -> Option<ChannelDefinition> {
    Some(ChannelDefinition {
        title: Some(title.to_owned()),
        ..ChannelDefinition::of_field(field)
    })
}

/// A layer of a mark over the columns of a table; titles of the axes come with the first layer.
fn layer(mark: MarkKind, data: &Arc<DataTable>, x: AxisField<'_>, y: AxisField<'_>) -> PlotLayer {
    let channels = LayerChannels {
        x: channel(x.field, x.title),
        y: channel(y.field, y.title),
        ..LayerChannels::default()
    };
    PlotLayer {
        data: Some(Arc::clone(data)),
        ..PlotLayer::of_mark(mark, channels)
    }
}

/// A column for an axis, and the title of the axis.
#[derive(Debug, Clone, Copy)]
struct AxisField<'a> {
    field: &'a str,
    title: &'a str,
}

fn plot_of(layers: Vec<PlotLayer>) -> PlotSpecification {
    PlotSpecification {
        layers,
        ..PlotSpecification::default()
    }
}

/// The whole picture.
const WHOLE: PartPlace = PartPlace {
    left: 0.0,
    top: 0.0,
    width: 1.0,
    height: 1.0,
};
