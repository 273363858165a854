//! What a plot shows, in words, for those who cannot see it.

use crate::dates::{DAY, format_date};
use crate::decimal::readable_number;
use crate::prepare::columns::ChannelColumn;
use crate::prepare::layers::LayerColumns;
use crate::prepare::prepared::{LayerAccount, PreparedPlot};
use crate::prepare::statistics::fit_line;
use crate::scale::{AxisScale, ScaleKind};
use crate::specification::{FieldKind, FitKind, MarkKind, PlotLayer};

/// Groups that are named one by one.
const NAMED_MAX: usize = 6;

/// The facts of a layer.
pub(crate) fn account_layer(layer: &PlotLayer, columns: &LayerColumns) -> LayerAccount {
    let title = |column: &Option<ChannelColumn>| {
        column
            .as_ref()
            .map(|column| column.title.clone())
            .unwrap_or_default()
    };
    let mut account = LayerAccount {
        mark: Some(layer.mark),
        rows: columns.rows,
        x: title(&columns.x),
        y: title(&columns.y),
        ..LayerAccount::default()
    };
    let position = [&columns.x, &columns.y];
    let is_missing = |row: usize| {
        position.iter().any(|column| {
            column
                .as_ref()
                .is_some_and(|column| !column.values[row].is_finite())
        })
    };
    account.missing = (0..columns.rows).filter(|&row| is_missing(row)).count();
    match (&columns.x, &columns.y) {
        (Some(x), Some(y))
            if y.kind == FieldKind::Quantity && !y.title.is_empty() && !x.title.is_empty() =>
        {
            account.sentences = describe_pair(layer, columns, x, y)
        }
        (Some(x), Some(y))
            if x.kind == FieldKind::Quantity && !x.title.is_empty() && !y.title.is_empty() =>
        {
            account.sentences = describe_pair(layer, columns, y, x)
        }
        (Some(only), None) | (None, Some(only))
            if only.kind == FieldKind::Quantity && !only.title.is_empty() =>
        {
            account.sentences.extend(describe_spread(only))
        }
        _ => {}
    }
    account
}

fn describe_spread(column: &ChannelColumn) -> Option<String> {
    let [low, high] = column.extent()?;
    Some(format!(
        "{} runs from {} to {}.",
        column.title,
        column.words(low),
        column.words(high)
    ))
}

/// Extremes, and trend or fit, of one value over another.
fn describe_pair(
    layer: &PlotLayer,
    columns: &LayerColumns,
    along: &ChannelColumn,
    value: &ChannelColumn,
) -> Vec<String> {
    let mut sentences = Vec::new();
    if matches!(
        layer.mark,
        MarkKind::Rect | MarkKind::Contour | MarkKind::Rule | MarkKind::Text
    ) {
        if let Some(column) = columns
            .color
            .as_ref()
            .filter(|column| !column.is_category())
        {
            sentences.extend(describe_spread(column));
        }
        return sentences;
    }
    let finite = || {
        (0..columns.rows)
            .filter(|&row| value.values[row].is_finite() && along.values[row].is_finite())
    };
    let lowest = finite().min_by(|&a, &b| value.values[a].total_cmp(&value.values[b]));
    let highest = finite().max_by(|&a, &b| value.values[a].total_cmp(&value.values[b]));
    if let (Some(low), Some(high)) = (lowest, highest) {
        let place = |row: usize| match (along.kind, along.width) {
            (FieldKind::Category, _) => format!("for {}", along.words(along.values[row])),
            (_, Some(width)) => format!(
                "between {} and {}",
                along.words(along.values[row]),
                along.words(along.values[row] + width)
            ),
            _ => format!("at {} {}", along.title, along.words(along.values[row])),
        };
        let words = |row: usize| value.words(value.values[row]);
        sentences.push(match value.values[low] == value.values[high] {
            true => format!("{} is {} throughout.", value.title, words(low)),
            false => format!(
                "{} is lowest, {}, {}, and highest, {}, {}.",
                value.title,
                words(low),
                place(low),
                words(high),
                place(high)
            ),
        });
    }
    let is_statistical = matches!(layer.mark, MarkKind::Box | MarkKind::Violin);
    if along.is_category() {
        if is_statistical {
            sentences.push(describe_medians(along, value));
        }
        return sentences;
    }
    if matches!(
        layer.mark,
        MarkKind::Point | MarkKind::Line | MarkKind::Area
    ) {
        sentences.extend(describe_trends(layer, columns, along, value));
    }
    sentences
}

fn describe_medians(along: &ChannelColumn, value: &ChannelColumn) -> String {
    let mut by_level: Vec<Vec<f64>> = vec![Vec::new(); along.levels.len()];
    for (level, cell) in along
        .values
        .iter()
        .zip(value.values.iter())
        .filter(|(level, cell)| level.is_finite() && cell.is_finite())
    {
        by_level[*level as usize].push(*cell);
    }
    let medians = along
        .levels
        .iter()
        .zip(&mut by_level)
        .filter(|(_, cells)| !cells.is_empty())
        .take(NAMED_MAX)
        .map(|(level, cells)| {
            cells.sort_by(f64::total_cmp);
            format!(
                "{level} {}",
                value.words(crate::prepare::statistics::quantile_of(cells, 0.5))
            )
        });
    let medians: Vec<String> = medians.collect();
    let more = along.levels.len().saturating_sub(NAMED_MAX);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("Medians: {}{rest}.", medians.join(", "))
}

fn describe_trends(
    layer: &PlotLayer,
    columns: &LayerColumns,
    along: &ChannelColumn,
    value: &ChannelColumn,
) -> Vec<String> {
    // A trend in words needs no more rows; a fitted line has them all.
    const TREND_ROWS: usize = 200_000;
    let stride = match layer.fit {
        Some(_) => 1,
        None => columns.rows.div_ceil(TREND_ROWS).max(1),
    };
    let points = move |level: Option<f64>| {
        let colours = columns.color.as_ref().map(|column| &column.values);
        (0..columns.rows)
            .step_by(stride)
            .filter(move |&row| {
                level.is_none_or(|level| colours.is_some_and(|colours| colours[row] == level))
            })
            .map(|row| (along.values[row], value.values[row]))
    };
    let line = |name: &str, level: Option<f64>| {
        let fit = fit_line(points(level))?;
        let subject = if name.is_empty() {
            value.title.clone()
        } else {
            format!("For {name}, {}", value.title)
        };
        let size = libm::sqrt(fit.explained) * if fit.slope < 0.0 { -1.0 } else { 1.0 };
        if layer.fit == Some(FitKind::Linear) && along.kind == FieldKind::Quantity {
            let constant = readable_number(fit.value(0.0), 4);
            return Some(format!(
                "{subject} = {constant} + {} × {} (least squares, {} points, R² = {}).",
                readable_number(fit.slope, 4),
                along.title,
                fit.count,
                readable_number(fit.explained, 3),
            ));
        }
        let trend = match size {
            size if size > 0.3 => "rises",
            size if size < -0.3 => "falls",
            _ => "has no clear trend",
        };
        let over = if trend.starts_with("has") {
            "over"
        } else {
            "with"
        };
        Some(format!(
            "{subject} {trend} {over} {} (correlation {}).",
            along.title,
            readable_number(size, 2)
        ))
    };
    match columns
        .color
        .as_ref()
        .filter(|column| column.is_category() && column.levels.len() > 1)
    {
        Some(column) if column.levels.len() <= NAMED_MAX => {
            let lines = column
                .levels
                .iter()
                .enumerate()
                .filter_map(|(index, name)| line(name, Some(index as f64)));
            lines.collect()
        }
        _ => line("", None).into_iter().collect(),
    }
}

/// An axis in words.
fn describe_axis(name: &str, axis: &AxisScale) -> Option<String> {
    if axis.is_hidden && axis.title.is_empty() {
        return None;
    }
    let title = if axis.title.is_empty() {
        String::new()
    } else {
        format!(" shows {}", axis.title)
    };
    let [low, high] = axis.data.unwrap_or([axis.low, axis.high]);
    let number = |value: f64| match axis.kind {
        // Without the time of day where days do not matter.
        ScaleKind::Time if high - low > 10.0 * DAY => format_date(libm::floor(value / DAY) * DAY),
        ScaleKind::Time => format_date(libm::round(value)),
        _ => readable_number(value, 4),
    };
    Some(match axis.kind {
        ScaleKind::Band => {
            let named: Vec<&str> = axis
                .levels
                .iter()
                .take(NAMED_MAX)
                .map(String::as_str)
                .collect();
            let more = axis.levels.len().saturating_sub(NAMED_MAX);
            let rest = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            format!("The {name} axis{title}: {}{rest}.", named.join(", "))
        }
        ScaleKind::Logarithmic => format!(
            "The {name} axis{title}, logarithmic from {} to {}.",
            number(low),
            number(high)
        ),
        _ => format!(
            "The {name} axis{title} from {} to {}.",
            number(low),
            number(high)
        ),
    })
}

/// The whole plot in words.
pub(crate) fn describe_plot(plot: &PreparedPlot) -> String {
    let mut sentences = Vec::new();
    let kinds: Vec<&str> = {
        let mut kinds = Vec::new();
        for account in &plot.accounts {
            let name = account.mark.map_or("plot", kind_words);
            if !kinds.contains(&name) {
                kinds.push(name);
            }
        }
        kinds
    };
    let of = match plot.accounts.first() {
        Some(account) if !account.x.is_empty() && !account.y.is_empty() => {
            format!(" of {} over {}", account.y, account.x)
        }
        Some(account) if !account.x.is_empty() || !account.y.is_empty() => {
            format!(" of {}{}", account.x, account.y)
        }
        _ => String::new(),
    };
    let title = if plot.title.is_empty() {
        String::new()
    } else {
        format!("{}. ", plot.title.trim_end_matches('.'))
    };
    let mut first = format!("{title}{}{of}", capitalised(&kinds.join(" with ")));
    if let Some(colours) = plot
        .guides
        .categories
        .as_ref()
        .filter(|colours| !colours.is_hidden && !colours.title.is_empty())
    {
        let named: Vec<&str> = colours
            .levels
            .iter()
            .take(NAMED_MAX)
            .map(String::as_str)
            .collect();
        let more = colours.levels.len().saturating_sub(NAMED_MAX);
        let rest = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        first += &format!(
            ", coloured by {} ({}{rest})",
            colours.title,
            named.join(", ")
        );
    }
    if let Some(colours) = plot
        .guides
        .quantities
        .as_ref()
        .filter(|colours| !colours.is_hidden && !colours.title.is_empty())
    {
        first += &format!(
            ", coloured by {} from {} to {}",
            colours.title,
            readable_number(colours.scale.low, 4),
            readable_number(colours.scale.high, 4)
        );
    }
    if plot.panels.len() > 1 {
        first += &format!(", in {} panels", plot.panels.len());
    }
    if let Some(account) = plot.accounts.first() {
        first += &format!(
            ", {} {}",
            account.rows,
            if account.rows == 1 { "row" } else { "rows" }
        );
        if account.missing > 0 {
            first += &format!(" of which {} lack a value", account.missing);
        }
    }
    sentences.push(first + ".");
    sentences.extend(describe_axis("x", &plot.axes.x));
    sentences.extend(describe_axis("y", &plot.axes.y));
    sentences.extend(
        plot.axes
            .right
            .as_ref()
            .and_then(|axis| describe_axis("right", axis)),
    );
    for account in &plot.accounts {
        for sentence in &account.sentences {
            if !sentences.contains(sentence) {
                sentences.push(sentence.clone());
            }
        }
    }
    sentences.join(" ")
}

fn kind_words(kind: MarkKind) -> &'static str {
    match kind {
        MarkKind::Line => "line chart",
        MarkKind::Area => "area chart",
        MarkKind::Band => "band",
        MarkKind::Point => "scatter plot",
        MarkKind::Bar => "bar chart",
        MarkKind::Histogram => "histogram",
        MarkKind::Box => "box plot",
        MarkKind::Violin => "violin plot",
        MarkKind::Rect => "heat map",
        MarkKind::Contour => "contour plot",
        MarkKind::ErrorBar => "error bars",
        MarkKind::Rule => "rule",
        MarkKind::Tick => "strip plot",
        MarkKind::Text => "text",
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map(|first| first.to_uppercase().chain(characters).collect())
        .unwrap_or_default()
}
