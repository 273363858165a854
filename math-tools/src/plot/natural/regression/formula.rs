//! `linear_regression` by a formula: observed values over fitted ones, residuals over fitted values, and their quantiles over normal ones.

use numerics::special::normal_quantile;
use plots::{CategoryOrder, ChannelDefinition, MarkKind, PartPlace, PlotColumn, PlotLayer};
use statistics::design::ModelColumn;

use super::super::result::{DrawnResult, in_call};
use super::super::{
    AxisField, NaturalPicture, NaturalSize, WHOLE, layer, plot_of, shared_table, table_of,
};
use super::line::line_points;
use super::{DrawnFit, SIZE, fit_words};
use crate::data::table::TableInput;
use crate::prelude::*;
use crate::stats::model_data::{ColumnArgument, ModelData, read_model};

/// Size of the picture of several terms.
const PANELS: NaturalSize = NaturalSize {
    width: 1000,
    height: 540,
};

/// Most categories that have colours of their own.
const LEVELS_MAX: usize = 7;

pub(super) fn draw_formula_regression(
    source: &DrawnResult<'_>,
    formula: &str,
) -> Result<NaturalPicture, ToolError> {
    let Some(data) = source.typed_table()? else {
        refuse!(invalid "/call/data", "missing"; "the result of `linear_regression` has no data to draw";
            "pass the table of the regression as `data`, or in the arguments of the regression as `call`");
    };
    let model = regression_model(source, formula, data)?;
    let fit = FormulaFit::new(source, &model)?;
    if let Some(x) = single_predictor(source, &model) {
        return fit.draw_line(source, x, formula);
    }
    let mut picture = NaturalPicture::new(formula, PANELS);
    picture.subtitle = measure_words(source);
    fit.draw_panels(source, &mut picture, category_labels(&model))?;
    Ok(picture)
}

/// The rows and columns of the regression, without those that it left out.
fn regression_model(
    source: &DrawnResult<'_>,
    formula: &str,
    data: TableInput,
) -> Result<ModelData, ToolError> {
    let column = |name: &'static str, pointer: &'static str| {
        let name = source.argument(name)?.as_str()?;
        Some(ColumnArgument { pointer, name })
    };
    let beside = [column("weights", "/weights"), column("cluster", "/cluster")];
    let beside: Vec<ColumnArgument<'_>> = beside.into_iter().flatten().collect();
    read_model(&Input::Inline(data), formula, &beside, source.ctx).map_err(in_call)
}

/// The rows of a regression with the values that its coefficients give them.
pub(in crate::plot::natural) struct FormulaFit {
    response: String,
    observed: Vec<f64>,
    fitted: Vec<f64>,
    /// Residuals over their standard deviation; empty where they do not vary, or each has its own.
    scaled: Vec<f64>,
}

impl FormulaFit {
    fn new(source: &DrawnResult<'_>, model: &ModelData) -> Result<Self, ToolError> {
        let response = model.numeric_response().map_err(in_call)?;
        let design = &model.frame.design;
        let mut fitted = match &model.frame.offset {
            Some(offset) => offset.clone(),
            None => vec![0.0; response.values.len()],
        };
        for term in source.result.items_at("terms") {
            let name = term.text("name").unwrap_or_default();
            let estimate = term.get("estimate").and_then(Value::as_f64);
            let place = design.names.iter().position(|known| known == name);
            let (Some(estimate), Some(place)) = (estimate, place) else {
                refuse!(invalid "/result/terms", "shape"; "the formula of the call has no column `{name}`";
                    "pass the result with the arguments of its own call");
            };
            let column = design.matrix.column(place);
            let rows = fitted.iter_mut().zip(column);
            rows.for_each(|(sum, cell)| *sum += estimate * cell);
        }
        let residuals = response.values.iter().zip(&fitted).map(|(y, f)| y - f);
        let given = source.number("residual_std").unwrap_or(f64::NAN);
        let scaled = residuals.map(|residual| residual / given).collect();
        // Weighted rows have variances of their own.
        let has_scale = given > 0.0 && source.argument("weights").is_none();
        Ok(Self {
            response: response.name.clone(),
            observed: response.values.clone(),
            fitted,
            scaled: if has_scale { scaled } else { Vec::new() },
        })
    }

    /// The fit of the call of a result.
    #[cfg(test)]
    pub(in crate::plot::natural) fn of_source(source: &DrawnResult<'_>) -> Result<Self, ToolError> {
        let formula = source.argument("formula").and_then(Value::as_str);
        let data = source.typed_table()?.expect("a table");
        let model = regression_model(source, formula.unwrap_or_default(), data)?;
        Self::new(source, &model)
    }

    pub(in crate::plot::natural) fn residuals(&self) -> Vec<f64> {
        let pairs = self.observed.iter().zip(&self.fitted);
        pairs.map(|(observed, fitted)| observed - fitted).collect()
    }

    /// The picture of a straight line in one column.
    fn draw_line(
        self,
        source: &DrawnResult<'_>,
        x: SinglePredictor,
        formula: &str,
    ) -> Result<NaturalPicture, ToolError> {
        let slope = source.numbers("coefficients")?.first().copied();
        let (slope, intercept) = (slope.unwrap_or(0.0), source.number("intercept")?);
        // Other errors than the classical ones have no band of this form.
        let errors = source.argument("errors").and_then(Value::as_str);
        let is_plain = errors.is_none_or(|errors| errors == "classical")
            && source.argument("weights").is_none()
            && source.argument("penalty").is_none();
        let value = |row: &[f64]| intercept + slope * row[0];
        let curve = line_points(source, &x.values, &value, !is_plain);
        let fit = DrawnFit {
            x_title: source.x_label.map_or(x.name, str::to_owned),
            y_title: source.y_label.unwrap_or(&self.response).to_owned(),
            x: x.values,
            observed: self.observed,
            fitted: self.fitted,
            curve: curve.sorted(),
        };
        let mut picture = NaturalPicture::new(formula, SIZE);
        picture.subtitle = fit_words(source, "terms");
        fit.compose(source, &mut picture)?;
        Ok(picture)
    }

    fn draw_panels(
        &self,
        source: &DrawnResult<'_>,
        picture: &mut NaturalPicture,
        categories: Option<RowLabels>,
    ) -> Result<(), ToolError> {
        let left = PartPlace {
            width: 0.56,
            ..WHOLE
        };
        let right = PartPlace {
            left: 0.56,
            width: 0.44,
            ..WHOLE
        };
        let observed = self.observed_layers(source, categories)?;
        picture.add(left, plot_of(observed));
        let residuals = plot_of(self.residual_layers(source)?);
        if self.scaled.is_empty() {
            picture.add(right, residuals);
            return Ok(());
        }
        picture.add(right.inner(PartPlace::of_cell(0, 2, 0, 1)), residuals);
        let quantiles = plot_of(self.quantile_layers(source)?);
        picture.add(right.inner(PartPlace::of_cell(1, 2, 0, 1)), quantiles);
        Ok(())
    }

    /// Observed over fitted values, with the line on which they are equal.
    fn observed_layers(
        &self,
        source: &DrawnResult<'_>,
        categories: Option<RowLabels>,
    ) -> Result<Vec<PlotLayer>, ToolError> {
        let title = format!("fitted {}", self.response);
        let (x, y) = (
            AxisField {
                field: "fitted",
                title: source.x_label.unwrap_or(&title),
            },
            AxisField {
                field: "observed",
                title: source.y_label.unwrap_or(&self.response),
            },
        );
        let mut columns = vec![
            PlotColumn::of_numbers("fitted", self.fitted.clone()),
            PlotColumn::of_numbers("observed", self.observed.clone()),
        ];
        if let Some(categories) = &categories {
            columns.push(PlotColumn::of_texts(
                "category",
                categories.labels.iter().map(|label| Some(label.as_str())),
            ));
        }
        let mut points = layer(MarkKind::Point, &shared_table(columns)?, x, y);
        points.style.opacity = Some(point_opacity(self.fitted.len()));
        match categories {
            Some(categories) => {
                points.channels.color = Some(ChannelDefinition {
                    title: Some(categories.name),
                    order: CategoryOrder::Given(categories.levels),
                    ..ChannelDefinition::of_field("category")
                });
            }
            None => points.style.colour = Some(source.theme.category(0)),
        }
        let (low, high) = range_of(&self.fitted);
        let ends = table_of(&[("fitted", &[low, high]), ("observed", &[low, high])])?;
        let mut line = layer(MarkKind::Line, &ends, x, y);
        line.style.colour = Some(source.theme.soft_ink());
        line.style.dashes = vec![5.0, 4.0];
        line.style.stroke_width = Some(1.5);
        Ok(vec![points, line])
    }

    fn residual_layers(&self, source: &DrawnResult<'_>) -> Result<Vec<PlotLayer>, ToolError> {
        let (x, y) = (
            AxisField {
                field: "fitted",
                title: "fitted",
            },
            AxisField {
                field: "residual",
                title: "residual",
            },
        );
        let data = table_of(&[("fitted", &self.fitted), ("residual", &self.residuals())])?;
        let mut points = layer(MarkKind::Point, &data, x, y);
        points.style.colour = Some(source.theme.category(0));
        points.style.size = Some(22.0);
        points.style.opacity = Some(point_opacity(self.fitted.len()));
        let zero = table_of(&[("residual", &[0.0])])?;
        let mut rule = layer(MarkKind::Rule, &zero, x, y);
        rule.channels.x = None;
        rule.style.colour = Some(source.theme.soft_ink());
        Ok(vec![points, rule])
    }

    /// Ordered residuals over the quantiles of a normal distribution, with the line on which they are equal.
    fn quantile_layers(&self, source: &DrawnResult<'_>) -> Result<Vec<PlotLayer>, ToolError> {
        let mut sorted = self.scaled.clone();
        sorted.sort_by(f64::total_cmp);
        let quantiles = normal_scores(sorted.len());
        let (x, y) = (
            AxisField {
                field: "quantile",
                title: "normal quantile",
            },
            AxisField {
                field: "residual",
                title: "residual / SD",
            },
        );
        let data = table_of(&[("quantile", &quantiles), ("residual", &sorted)])?;
        let mut points = layer(MarkKind::Point, &data, x, y);
        points.style.colour = Some(source.theme.category(0));
        points.style.size = Some(22.0);
        points.style.opacity = Some(point_opacity(sorted.len()));
        let (low, high) = range_of(&quantiles);
        let ends = table_of(&[("quantile", &[low, high]), ("residual", &[low, high])])?;
        let mut line = layer(MarkKind::Line, &ends, x, y);
        line.style.colour = Some(source.theme.soft_ink());
        line.style.dashes = vec![5.0, 4.0];
        line.style.stroke_width = Some(1.5);
        Ok(vec![points, line])
    }
}

/// Places of n ordered values among those of a normal distribution: the quantiles of (i - a) / (n + 1 - 2a), a = 3/8 up to 10 values, else 1/2
/// (G. Blom, "Statistical Estimates and Transformed Beta-Variables", 1958, as R's `ppoints`).
pub(in crate::plot::natural) fn normal_scores(count: usize) -> Vec<f64> {
    let shift = if count <= 10 { 0.375 } else { 0.5 };
    let whole = count as f64 + 1.0 - 2.0 * shift;
    let share = |index: usize| (index as f64 + 1.0 - shift) / whole;
    (0..count)
        .map(|index| normal_quantile(share(index)))
        .collect()
}

fn range_of(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (low, high)
}

/// Points of a crowd let each other shine through.
pub(in crate::plot::natural) fn point_opacity(count: usize) -> f64 {
    match count {
        0..=200 => 0.85,
        201..=2000 => 0.5,
        _ => 0.25,
    }
}

/// The one column of numbers that a formula is a straight line in.
struct SinglePredictor {
    name: String,
    values: Vec<f64>,
}

fn single_predictor(source: &DrawnResult<'_>, model: &ModelData) -> Option<SinglePredictor> {
    let design = &model.frame.design;
    let mut slopes = (0..design.names.len()).filter(|&place| design.terms[place].is_some());
    let (Some(only), None) = (slopes.next(), slopes.next()) else {
        return None;
    };
    let name = &design.names[only];
    let is_number = matches!(model.columns.get(name), Ok(ModelColumn::Numbers(_)));
    let is_plain = is_number && model.frame.offset.is_none();
    let has_result = source.result.items_at("coefficients").len() == 1;
    (is_plain && has_result).then(|| SinglePredictor {
        name: name.clone(),
        values: design.matrix.column(only).to_vec(),
    })
}

/// The category of each row.
struct RowLabels {
    name: String,
    levels: Vec<String>,
    labels: Vec<String>,
}

/// The first column of the formula that is a category of few levels.
fn category_labels(model: &ModelData) -> Option<RowLabels> {
    let names = model.frame.plan.formula().columns(false);
    names.into_iter().find_map(|name| {
        let Ok(ModelColumn::Categories(column)) = model.columns.get(name) else {
            return None;
        };
        let taken = column.take(&model.frame.rows);
        let label = |code: &Option<u32>| {
            let level = code.and_then(|code| taken.levels.get(code as usize));
            level.cloned().unwrap_or_default()
        };
        let has_colours = (2..=LEVELS_MAX).contains(&taken.levels.len());
        has_colours.then(|| RowLabels {
            name: name.to_owned(),
            labels: taken.codes.iter().map(label).collect(),
            levels: taken.levels.clone(),
        })
    })
}

/// The line below the title: the test of all terms, or the estimates.
fn measure_words(source: &DrawnResult<'_>) -> String {
    let Some(apa) = source.result.text("apa") else {
        return fit_words(source, "terms");
    };
    let rows = source.number("n").map(|n| format!("{n} rows: "));
    rows.unwrap_or_default() + &apa.replace("R2", "R²")
}
