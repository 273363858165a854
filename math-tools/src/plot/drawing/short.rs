//! The short form: columns named as arguments, from which layers are made.

use std::sync::Arc;

use plots::{
    AggregateKind, BinRule, ChannelDefinition, ChannelSource, ColumnCells, DataTable, ErrorExtent,
    FacetWrap, FieldKind, FitKind, LayerChannels, MarkKind, PlotColumn, PlotLayer,
    PlotSpecification, ScaleShape, SpecificationReading, StackMode,
};

use super::fields::PlottedFields;
use super::{Args, BarStacking, DrawingKind};
use crate::prelude::*;

/// Names of the columns that several columns become: which one it was, and its value.
const SERIES: &str = "series";
const VALUE: &str = "value";

/// The first argument that names a column or says how columns are drawn.
pub(super) fn first_column_argument(args: &Args) -> Option<&'static str> {
    let given = [
        ("x", args.x.is_some()),
        ("y", args.y.is_some()),
        ("y_right", args.y_right.is_some()),
        ("y2", args.y2.is_some()),
        ("y_error", args.y_error.is_some()),
        ("color", args.color.is_some()),
        ("size", args.size.is_some()),
        ("shape", args.shape.is_some()),
        ("label", args.label.is_some()),
        ("facet", args.facet.is_some()),
        ("kind", args.kind.is_some()),
        ("fit", args.fit.is_some()),
        ("stack", args.stack.is_some()),
        ("bins", args.bins.is_some()),
        ("log_x", args.log_x),
        ("log_y", args.log_y),
        ("x_label", args.x_label.is_some()),
        ("y_label", args.y_label.is_some()),
    ];
    let mut given = given.into_iter();
    given.find(|(_, is_given)| *is_given).map(|(name, _)| name)
}

/// The first argument that says how layers of columns are drawn; `x` and `y` name columns of a result's data too, and its axes have titles.
pub(super) fn first_layer_argument(args: &Args) -> Option<&'static str> {
    let without_columns = Args {
        x: None,
        y: None,
        x_label: None,
        y_label: None,
        ..args.clone()
    };
    first_column_argument(&without_columns)
}

/// The argument that a place in a specification came from.
pub(super) fn argument_place(place: &str) -> String {
    let channel = place.rsplit("/encoding/").next().unwrap_or_default();
    match channel.split('/').next().unwrap_or_default() {
        "x" | "y" | "y2" | "color" | "size" | "shape" if place.contains("/encoding/") => {
            format!("/{}", channel.split('/').next().unwrap_or_default())
        }
        "yError" => "/y_error".to_owned(),
        "text" => "/label".to_owned(),
        "facet" | "column" | "row" => "/facet".to_owned(),
        _ if place.starts_with("/width") || place.starts_with("/height") => place.to_owned(),
        _ => "/data".to_owned(),
    }
}

/// Size, theme and titles.
pub(super) fn apply_frame(args: &Args, plot: &mut PlotSpecification) {
    if let Some(width) = args.width {
        plot.width = width.size() as u32;
    }
    if let Some(height) = args.height {
        plot.height = height.size() as u32;
    }
    if let Some(theme) = args.theme {
        plot.theme = theme.into();
    }
    if !args.title.is_empty() {
        plot.title.clone_from(&args.title);
    }
    if !args.subtitle.is_empty() {
        plot.subtitle.clone_from(&args.subtitle);
    }
}

/// The layers that the arguments describe.
pub(super) fn read_short_form(
    args: &Args,
    data: Option<Arc<DataTable>>,
) -> Result<SpecificationReading, ToolError> {
    let Some(mut data) = data else {
        refuse!(invalid "/data", "missing"; "expected a table to draw, found none";
            "pass `data`, such as {\"x\": [1, 2], \"y\": [3, 5]} or {\"$file\": \"houses.csv\"}, or a `spec` with data");
    };
    let has = |data: &DataTable, name: &str| data.columns().iter().any(|one| one.name == name);
    // Columns that are called so need no naming.
    let usual = |name: &str| has(&data, name).then(|| name.to_owned());
    let is_bare = args.x.is_none() && args.y.is_none();
    let x = args.x.clone().or_else(|| usual("x").filter(|_| is_bare));
    let y = match &args.y {
        Some(PlottedFields::One(name)) if !has(&data, name) && name.contains(',') => {
            // As the command line writes a list.
            name.split(',').map(|name| name.trim().to_owned()).collect()
        }
        Some(PlottedFields::One(name)) => vec![name.clone()],
        Some(PlottedFields::Several(names)) => names.clone(),
        None => usual("y").filter(|_| is_bare).into_iter().collect(),
    };
    if x.is_none() && y.is_empty() {
        let names: Vec<&str> = data
            .columns()
            .iter()
            .take(20)
            .map(|one| one.name.as_str())
            .collect();
        let names = names.join(", ");
        let err = ToolError::invalid("/x", "expected a column to draw, found none");
        return Err(err
            .reason("missing")
            .hint(format!("name one of {names} for `x` or `y`")));
    }
    let mut channels = LayerChannels {
        x: x.as_deref().map(ChannelDefinition::of_short),
        color: args.color.as_deref().map(ChannelDefinition::of_short),
        ..LayerChannels::default()
    };
    match y.as_slice() {
        [] => {}
        [only] => channels.y = Some(ChannelDefinition::of_short(only)),
        several => {
            if args.color.is_some() {
                refuse!(invalid "/color"; "several columns for `y` have a colour each"; "leave `color` out, or name one column for `y`");
            }
            data = Arc::new(fold_columns(&data, several)?);
            channels.y = Some(ChannelDefinition {
                title: Some(args.y_label.clone().unwrap_or_else(|| several.join(", "))),
                ..ChannelDefinition::of_field(VALUE)
            });
            channels.color = Some(ChannelDefinition {
                title: Some(String::new()),
                order: plots::CategoryOrder::AsInData,
                ..ChannelDefinition::of_field(SERIES)
            });
        }
    }
    let kind = args.kind.unwrap_or_else(|| usual_kind(&channels, &data));
    set_options(args, kind, &mut channels, &data);
    let mut plot = PlotSpecification {
        data,
        layers: make_layers(args, kind, channels),
        wrap: args.facet.as_deref().map(|name| FacetWrap {
            channel: ChannelDefinition::of_short(name),
            columns: None,
        }),
        ..PlotSpecification::default()
    };
    apply_frame(args, &mut plot);
    Ok(SpecificationReading {
        specification: plot,
        ignored: Vec::new(),
    })
}

/// The kind of the values of a channel, as far as the table tells.
fn field_kind(channel: Option<&ChannelDefinition>, data: &DataTable) -> Option<FieldKind> {
    let channel = channel?;
    if channel.kind.is_some() {
        return channel.kind;
    }
    if channel.aggregate.is_some() {
        return Some(FieldKind::Quantity);
    }
    let ChannelSource::Field(name) = &channel.source else {
        return Some(FieldKind::Quantity);
    };
    let column = data.columns().iter().find(|column| column.name == *name)?;
    Some(match column.cells {
        ColumnCells::Numbers(_) => FieldKind::Quantity,
        ColumnCells::Times(_) => FieldKind::Time,
        ColumnCells::Texts { .. } => FieldKind::Category,
    })
}

/// What suits the columns.
fn usual_kind(channels: &LayerChannels, data: &DataTable) -> DrawingKind {
    let x = field_kind(channels.x.as_ref(), data);
    let y = field_kind(channels.y.as_ref(), data);
    let is_aggregated = |channel: &Option<ChannelDefinition>| {
        channel.as_ref().is_some_and(|one| one.aggregate.is_some())
    };
    match (x, y) {
        (Some(FieldKind::Category), None) | (None, Some(FieldKind::Category)) => DrawingKind::Bar,
        (_, None) | (None, _) => DrawingKind::Histogram,
        (Some(FieldKind::Time), Some(FieldKind::Quantity)) => DrawingKind::Line,
        (Some(FieldKind::Category), Some(FieldKind::Category)) => DrawingKind::Heatmap,
        (Some(FieldKind::Category), _) | (_, Some(FieldKind::Category)) => {
            let (category, value) = if x == Some(FieldKind::Category) {
                (&channels.x, &channels.y)
            } else {
                (&channels.y, &channels.x)
            };
            if is_aggregated(value) || !repeats(category.as_ref(), data) {
                DrawingKind::Bar
            } else {
                DrawingKind::Box
            }
        }
        _ if is_aggregated(&channels.y) => DrawingKind::Line,
        _ => DrawingKind::Scatter,
    }
}

/// Whether a category has several rows.
fn repeats(channel: Option<&ChannelDefinition>, data: &DataTable) -> bool {
    let Some(ChannelSource::Field(name)) = channel.map(|channel| &channel.source) else {
        return false;
    };
    let column = data.columns().iter().find(|column| column.name == *name);
    column.is_some_and(|column| match &column.cells {
        ColumnCells::Texts { levels, codes } => codes.len() > levels.len(),
        ColumnCells::Numbers(cells) | ColumnCells::Times(cells) => {
            let mut sorted = cells.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted.windows(2).any(|pair| pair[0] == pair[1])
        }
    })
}

/// Titles, scales, intervals and stacks.
fn set_options(args: &Args, kind: DrawingKind, channels: &mut LayerChannels, data: &DataTable) {
    let is_category = |channel: &Option<ChannelDefinition>| {
        field_kind(channel.as_ref(), data) == Some(FieldKind::Category)
    };
    let counts = || Some(ChannelDefinition::of_source(ChannelSource::Rows));
    if kind == DrawingKind::Bar {
        match (channels.x.is_some(), channels.y.is_some()) {
            (true, false) => channels.y = counts(),
            (false, true) => channels.x = counts(),
            _ => {}
        }
    }
    // Two categories: the number of rows of each pair.
    if kind == DrawingKind::Heatmap && channels.color.is_none() {
        channels.color = counts();
    }
    if let (DrawingKind::Heatmap, Some(color)) = (kind, &mut channels.color)
        && color.aggregate.is_none()
        && color.source != ChannelSource::Rows
        && field_kind(Some(color), data) == Some(FieldKind::Quantity)
    {
        color.aggregate = Some(AggregateKind::Mean);
    }
    // Several rows of a bar are their mean: sums of prices mean nothing.
    let (place, value) = if is_category(&channels.y) {
        (&channels.y, &mut channels.x)
    } else {
        (&channels.x, &mut channels.y)
    };
    if kind == DrawingKind::Bar
        && let Some(value) = value
        && value.aggregate.is_none()
        && let ChannelSource::Field(name) = &value.source
        && args.y2.is_none()
        && bars_repeat(place, args, data)
    {
        // A title that was given to the column says what it is a mean of.
        value.title = value
            .title
            .take()
            .or_else(|| Some(format!("mean of {name}")));
        value.aggregate = Some(AggregateKind::Mean);
    }
    for (channel, title, is_log) in [
        (&mut channels.x, &args.x_label, args.log_x),
        (&mut channels.y, &args.y_label, args.log_y),
    ] {
        if let Some(channel) = channel {
            channel.title = title.clone().or(channel.title.take());
            if is_log {
                channel.scale.shape = ScaleShape::Logarithmic;
            }
            channel.stack = args.stack.map(|stack| match stack {
                BarStacking::Stacked => StackMode::Zero,
                BarStacking::Normalized => StackMode::Normalise,
                BarStacking::Grouped => StackMode::Grouped,
            });
        }
    }
    let bins = BinRule {
        most: args.bins.map(|bins| bins.size()),
        step: None,
    };
    let binned = if kind == DrawingKind::Histogram && channels.x.is_none() {
        &mut channels.y
    } else {
        &mut channels.x
    };
    if let (DrawingKind::Histogram | DrawingKind::Heatmap, Some(channel)) = (kind, binned)
        && (kind == DrawingKind::Histogram || args.bins.is_some())
        && field_kind(Some(channel), data) == Some(FieldKind::Quantity)
    {
        channel.bin = Some(bins);
    }
}

/// Whether several rows share the place and colour of a bar.
fn bars_repeat(place: &Option<ChannelDefinition>, args: &Args, data: &DataTable) -> bool {
    let place = place.as_ref().and_then(|channel| match &channel.source {
        ChannelSource::Field(name) => Some(name.as_str()),
        _ => None,
    });
    let names: Vec<&str> = [place, args.color.as_deref(), args.facet.as_deref()]
        .into_iter()
        .flatten()
        .collect();
    let cell = |name: &&str, row: usize| {
        let column = data.columns().iter().find(|column| column.name == **name)?;
        Some(match &column.cells {
            ColumnCells::Texts { codes, .. } => u64::from(codes[row]),
            ColumnCells::Numbers(cells) | ColumnCells::Times(cells) => cells[row].to_bits(),
        })
    };
    let mut seen = std::collections::BTreeSet::new();
    (0..data.rows()).any(|row| {
        let key: Vec<Option<u64>> = names.iter().map(|name| cell(name, row)).collect();
        !seen.insert(key)
    })
}

fn make_layers(args: &Args, kind: DrawingKind, channels: LayerChannels) -> Vec<PlotLayer> {
    let of_name = |name: &Option<String>| name.as_deref().map(ChannelDefinition::of_short);
    let mark = match kind {
        DrawingKind::Scatter => MarkKind::Point,
        DrawingKind::Line => MarkKind::Line,
        DrawingKind::Area => MarkKind::Area,
        DrawingKind::Band => MarkKind::Band,
        DrawingKind::Bar => MarkKind::Bar,
        DrawingKind::Histogram => MarkKind::Histogram,
        DrawingKind::Box => MarkKind::Box,
        DrawingKind::Violin => MarkKind::Violin,
        DrawingKind::Heatmap => MarkKind::Rect,
        DrawingKind::Contour => MarkKind::Contour,
        DrawingKind::Errorbar => MarkKind::ErrorBar,
        DrawingKind::Strip => MarkKind::Tick,
    };
    let mut layers = Vec::new();
    let has_errors = args.y_error.is_some();
    if has_errors && kind != DrawingKind::Errorbar {
        let with_errors = LayerChannels {
            y_error: of_name(&args.y_error),
            ..channels.clone()
        };
        layers.push(PlotLayer::of_mark(MarkKind::ErrorBar, with_errors));
    }
    let mut main = PlotLayer::of_mark(
        mark,
        LayerChannels {
            y2: of_name(&args.y2),
            y_error: of_name(&args.y_error).filter(|_| kind == DrawingKind::Errorbar),
            size: of_name(&args.size),
            shape: of_name(&args.shape),
            ..channels.clone()
        },
    );
    main.fit = args.fit.map(|_| FitKind::Linear);
    if kind == DrawingKind::Errorbar {
        main.style.has_points = true;
        main.style.extent = ErrorExtent::ConfidenceInterval;
    }
    layers.push(main);
    if let Some(label) = &args.label {
        let mut text = PlotLayer::of_mark(
            MarkKind::Text,
            LayerChannels {
                x: channels.x.clone(),
                y: channels.y.clone(),
                text: Some(ChannelDefinition::of_short(label)),
                ..LayerChannels::default()
            },
        );
        text.style.shift = (0.0, -11.0);
        layers.push(text);
    }
    if let Some(right) = &args.y_right {
        let mut line = PlotLayer::of_mark(
            MarkKind::Line,
            LayerChannels {
                x: channels.x,
                y: Some(ChannelDefinition::of_short(right)),
                ..LayerChannels::default()
            },
        );
        line.is_right = true;
        layers.push(line);
    }
    layers
}

/// Several columns below each other: the other columns repeated, the name of the column, and its value.
fn fold_columns(data: &DataTable, names: &[String]) -> Result<DataTable, ToolError> {
    let rows = data.rows();
    let mut values = Vec::with_capacity(rows * names.len());
    for (index, name) in names.iter().enumerate() {
        let Some(column) = data.columns().iter().find(|column| column.name == *name) else {
            let known: Vec<&str> = data.columns().iter().map(|one| one.name.as_str()).collect();
            let hint = did_you_mean(name, known.iter().copied()).unwrap_or_else(|| {
                format!(
                    "the columns are {}",
                    known[..known.len().min(20)].join(", ")
                )
            });
            let err = ToolError::invalid(
                format!("/y/{index}"),
                format!("the data have no column `{name}`"),
            );
            return Err(err.reason("unknown_column").hint(hint));
        };
        match &column.cells {
            ColumnCells::Numbers(cells) => values.extend_from_slice(cells),
            _ => {
                refuse!(invalid format!("/y/{index}"), "shape"; "expected a column of numbers, `{name}` has none");
            }
        }
    }
    let repeat = |column: &PlotColumn| {
        let cells = match &column.cells {
            ColumnCells::Numbers(cells) => ColumnCells::Numbers(cells.repeat(names.len()).into()),
            ColumnCells::Times(cells) => ColumnCells::Times(cells.repeat(names.len()).into()),
            ColumnCells::Texts { levels, codes } => ColumnCells::Texts {
                levels: Arc::clone(levels),
                codes: codes.repeat(names.len()).into(),
            },
        };
        PlotColumn {
            name: column.name.clone(),
            cells,
        }
    };
    let mut columns: Vec<PlotColumn> = data
        .columns()
        .iter()
        .filter(|column| {
            !names.contains(&column.name) && column.name != SERIES && column.name != VALUE
        })
        .map(repeat)
        .collect();
    let series = names
        .iter()
        .flat_map(|name| std::iter::repeat_n(Some(name.as_str()), rows));
    columns.push(PlotColumn::of_texts(SERIES, series));
    columns.push(PlotColumn::of_numbers(VALUE, values));
    DataTable::new(columns)
        .map_err(|err| ToolError::invalid("/data", err.to_string()).reason("limit"))
}
