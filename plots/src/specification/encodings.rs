//! Reads the channels of a layer.

use serde_json::Value as Json;

use super::read::MemberReader;
use super::{
    AggregateKind, BinRule, CategoryOrder, ChannelDefinition, ChannelSource, FieldKind,
    LayerChannels, ScaleOptions, ScaleShape, StackMode, TimeUnit,
};
use crate::colour::{GradientPalette, parse_colour};
use crate::data::{kind_of, one_line};
use crate::dates::{parse_date, seconds_of_day};
use crate::error::PlotError;

/// Channels that are read; those of the panels are read by the plot.
pub(super) fn read_channels(
    json: &Json,
    place: &str,
    inherited: &LayerChannels,
    ignored: &mut Vec<String>,
) -> Result<LayerChannels, PlotError> {
    if !json.is_object() {
        return Err(PlotError::form(
            place,
            "an object of channels",
            kind_of(json),
        ));
    }
    let mut channels = inherited.clone();
    let mut encoding = MemberReader::new(json, place.to_owned());
    for known in ["row", "column", "facet", "tooltip", "order"] {
        encoding.take(known);
    }
    let mut colour_of_fill = None;
    for (name, slot) in [
        ("x", &mut channels.x),
        ("y", &mut channels.y),
        ("x2", &mut channels.x2),
        ("y2", &mut channels.y2),
        ("xError", &mut channels.x_error),
        ("yError", &mut channels.y_error),
        ("fill", &mut colour_of_fill),
        ("color", &mut channels.color),
        ("size", &mut channels.size),
        ("shape", &mut channels.shape),
        ("text", &mut channels.text),
        ("detail", &mut channels.detail),
    ] {
        if encoding.is_null(name) {
            *slot = None;
        }
        if let Some(json) = encoding.take(name)
            && let Some(channel) = read_channel(json, encoding.place_of(name), ignored)
        {
            *slot = Some(channel);
        }
    }
    channels.color = channels.color.or(colour_of_fill);
    for (name, value) in [("xOffset", &mut channels.y), ("yOffset", &mut channels.x)] {
        let Some(json) = encoding.take(name) else {
            continue;
        };
        let offset = read_channel(json, encoding.place_of(name), ignored);
        group_bars(offset, value, &mut channels.color);
    }
    encoding.finish(ignored);
    Ok(channels)
}

/// Vega-Lite moves bars of one place apart by a channel of its own; here bars of several colours stand beside each other.
fn group_bars(
    offset: Option<ChannelDefinition>,
    value: &mut Option<ChannelDefinition>,
    color: &mut Option<ChannelDefinition>,
) {
    let Some(offset) = offset else {
        return;
    };
    if let Some(value) = value {
        value.stack = value.stack.or(Some(StackMode::Grouped));
    }
    *color = color.take().or(Some(offset));
}

/// Reads one channel; `None` where it names nothing, which is then noted.
pub(super) fn read_channel(
    json: &Json,
    place: String,
    ignored: &mut Vec<String>,
) -> Option<ChannelDefinition> {
    // Short for a field, as in the short form of the tool and in Altair: `"name"`, `"mean(name)"`, `"name:Q"`.
    if let Some(text) = json.as_str() {
        return Some(read_shorthand(text));
    }
    if json.as_array().is_some_and(|items| !items.is_empty()) {
        return read_channel(&json[0], format!("{place}/0"), ignored);
    }
    let mut members = MemberReader::new(json, place);
    // Panels in a row are read by the plot.
    members.take("columns");
    let aggregate = members.take("aggregate").and_then(Json::as_str);
    let source = read_source(&mut members, aggregate);
    let Some(source) = source else {
        ignored.push(members.place);
        return None;
    };
    let mut channel = ChannelDefinition::of_source(source);
    channel.aggregate = aggregate.and_then(aggregate_named);
    if let Some(aggregate) = aggregate.filter(|_| channel.aggregate.is_none()) {
        ignored.push(format!(
            "{} (`{}` is not computed)",
            members.place_of("aggregate"),
            one_line(aggregate)
        ));
    }
    channel.kind = match members.text("type") {
        Some("quantitative") => Some(FieldKind::Quantity),
        Some("temporal") => Some(FieldKind::Time),
        Some("nominal" | "ordinal") => Some(FieldKind::Category),
        _ => None,
    };
    channel.bin = match members.take("bin") {
        Some(Json::Bool(true)) => Some(BinRule {
            most: None,
            step: None,
        }),
        Some(json @ Json::Object(_)) => {
            let mut bin = MemberReader::new(json, members.place_of("bin"));
            let rule = BinRule {
                most: bin
                    .number("maxbins")
                    .filter(|most| (1.0..=10_000.0).contains(most))
                    .map(|most| most as usize),
                step: bin.number("step").filter(|step| *step > 0.0),
            };
            bin.finish(ignored);
            Some(rule)
        }
        _ => None,
    };
    if let Some(unit) = members.text("timeUnit") {
        channel.time_unit = time_unit_named(unit);
        if channel.time_unit.is_none() {
            ignored.push(members.place_of("timeUnit"));
        }
    }
    if members.is_null("title") {
        channel.title = Some(String::new());
    }
    channel.title = members.text("title").map(one_line).or(channel.title);
    channel.stack = match members.take("stack") {
        Some(Json::Bool(true)) => Some(StackMode::Zero),
        Some(Json::Bool(false)) => Some(StackMode::Overlay),
        Some(json) => match json.as_str() {
            Some("zero") => Some(StackMode::Zero),
            Some("normalize") => Some(StackMode::Normalise),
            Some("group" | "grouped") => Some(StackMode::Grouped),
            _ => {
                ignored.push(members.place_of("stack"));
                None
            }
        },
        None if members.is_null("stack") => Some(StackMode::Overlay),
        None => None,
    };
    read_order(&mut members, &mut channel, ignored);
    read_guides(&mut members, &mut channel, ignored);
    channel.scale = read_scale(&mut members, ignored);
    members.finish(ignored);
    Some(channel)
}

pub(super) fn read_shorthand(text: &str) -> ChannelDefinition {
    let (text, kind) = match text.rsplit_once(':') {
        Some((name, "Q")) => (name, Some(FieldKind::Quantity)),
        Some((name, "T")) => (name, Some(FieldKind::Time)),
        Some((name, "N" | "O")) => (name, Some(FieldKind::Category)),
        _ => (text, None),
    };
    let call = text.strip_suffix(')').and_then(|text| text.split_once('('));
    let call = call.and_then(|(name, field)| Some((aggregate_named(name)?, field)));
    let mut channel = match call {
        Some((_, "")) => ChannelDefinition::of_source(ChannelSource::Rows),
        Some((_, field)) => ChannelDefinition::of_field(field),
        None => ChannelDefinition::of_field(text),
    };
    channel.aggregate = call.map(|(aggregate, _)| aggregate);
    channel.kind = kind;
    channel
}

fn read_source(members: &mut MemberReader<'_>, aggregate: Option<&str>) -> Option<ChannelSource> {
    if let Some(name) = members.text("field") {
        // `\\.` and `\\[` are how Vega-Lite writes a point and a bracket in a name.
        return Some(ChannelSource::Field(
            name.replace("\\.", ".")
                .replace("\\[", "[")
                .replace("\\]", "]"),
        ));
    }
    let datum = members.take("datum");
    let value = members.take("value");
    match datum.or(value) {
        Some(Json::Number(number)) => number.as_f64().map(ChannelSource::Number),
        Some(Json::String(text)) => Some(match (datum.is_some(), parse_date(text)) {
            (true, Some(seconds)) => ChannelSource::Number(seconds),
            _ => ChannelSource::Text(one_line(text)),
        }),
        Some(json @ Json::Object(_)) => {
            let part = |name: &str, otherwise: i64| {
                json.get(name).and_then(Json::as_i64).unwrap_or(otherwise)
            };
            let year = part("year", 1970).clamp(-200_000, 200_000);
            Some(ChannelSource::Number(seconds_of_day(
                year,
                part("month", 1).clamp(1, 12),
                part("date", 1).clamp(1, 31),
            )))
        }
        _ => (aggregate == Some("count")).then_some(ChannelSource::Rows),
    }
}

fn aggregate_named(name: &str) -> Option<AggregateKind> {
    Some(match name {
        "count" => AggregateKind::Count,
        "sum" => AggregateKind::Sum,
        "mean" | "average" | "avg" => AggregateKind::Mean,
        "median" => AggregateKind::Median,
        "min" => AggregateKind::Min,
        "max" => AggregateKind::Max,
        "stdev" | "std" => AggregateKind::Deviation,
        "variance" | "var" => AggregateKind::Variance,
        "q1" => AggregateKind::LowerQuartile,
        "q3" => AggregateKind::UpperQuartile,
        "distinct" => AggregateKind::Distinct,
        _ => return None,
    })
}

fn time_unit_named(name: &str) -> Option<TimeUnit> {
    Some(match name.strip_prefix("utc").unwrap_or(name) {
        "year" => TimeUnit::Year,
        "yearquarter" => TimeUnit::Quarter,
        "yearmonth" => TimeUnit::Month,
        "yearmonthdate" => TimeUnit::Day,
        "yearmonthdatehours" => TimeUnit::Hour,
        "month" => TimeUnit::MonthName,
        "day" => TimeUnit::WeekdayName,
        _ => return None,
    })
}

fn read_order(
    members: &mut MemberReader<'_>,
    channel: &mut ChannelDefinition,
    ignored: &mut Vec<String>,
) {
    if members.is_null("sort") {
        channel.order = CategoryOrder::AsInData;
    }
    let by_value = |name: &str| matches!(name, "x" | "y");
    channel.order = match members.take("sort") {
        None => return,
        Some(Json::String(text)) => match text.as_str() {
            "ascending" => CategoryOrder::Ascending,
            "descending" => CategoryOrder::Descending,
            name if by_value(name) => CategoryOrder::ByValue {
                is_descending: false,
            },
            name if name.strip_prefix('-').is_some_and(by_value) => CategoryOrder::ByValue {
                is_descending: true,
            },
            _ => {
                ignored.push(members.place_of("sort"));
                return;
            }
        },
        Some(Json::Array(names)) => CategoryOrder::Given(
            names
                .iter()
                .map(|name| name.as_str().map_or_else(|| name.to_string(), one_line))
                .collect(),
        ),
        Some(json @ Json::Object(_))
            if json
                .get("encoding")
                .and_then(Json::as_str)
                .is_some_and(by_value) =>
        {
            CategoryOrder::ByValue {
                is_descending: json.get("order").and_then(Json::as_str) == Some("descending"),
            }
        }
        Some(_) => {
            ignored.push(members.place_of("sort"));
            return;
        }
    };
}

/// Axis and legend: their titles, and whether they are there.
fn read_guides(
    members: &mut MemberReader<'_>,
    channel: &mut ChannelDefinition,
    ignored: &mut Vec<String>,
) {
    for guide in ["axis", "legend", "header"] {
        if members.is_null(guide) {
            channel.is_hidden = true;
        }
        if let Some(json @ Json::Object(_)) = members.take(guide) {
            let mut inner = MemberReader::new(json, members.place_of(guide));
            if inner.is_null("title") {
                channel.title = Some(String::new());
            }
            channel.title = inner.text("title").map(one_line).or(channel.title.take());
            // The grid and the orientation of labels follow from the theme and the room.
            for known in ["grid", "labelAngle", "orient", "labelOverlap"] {
                inner.take(known);
            }
            inner.finish(ignored);
        }
    }
}

fn read_scale(members: &mut MemberReader<'_>, ignored: &mut Vec<String>) -> ScaleOptions {
    let mut options = ScaleOptions::default();
    let Some(json) = members.take("scale").filter(|json| json.is_object()) else {
        return options;
    };
    let mut scale = MemberReader::new(json, members.place_of("scale"));
    match scale.text("type") {
        Some("log" | "symlog") => options.shape = ScaleShape::Logarithmic,
        Some("linear" | "time" | "utc" | "point" | "band" | "ordinal") | None => {}
        Some(_) => ignored.push(scale.place_of("type")),
    }
    match scale.take("domain") {
        Some(Json::Array(ends)) => {
            let number = |json: &Json| json.as_f64().or_else(|| parse_date(json.as_str()?));
            let numbers: Vec<f64> = ends.iter().filter_map(number).collect();
            match numbers[..] {
                [low, high] if ends.len() == 2 && low < high => options.domain = Some([low, high]),
                [high, low] if ends.len() == 2 && low < high => {
                    options.domain = Some([low, high]);
                    options.is_reversed = true;
                }
                _ => {
                    options.levels = ends
                        .iter()
                        .map(|end| end.as_str().map_or_else(|| end.to_string(), one_line))
                        .collect()
                }
            }
        }
        Some(_) => ignored.push(scale.place_of("domain")),
        None => {}
    }
    options.has_zero = scale.flag("zero");
    options.is_reversed ^= scale.flag("reverse").unwrap_or(false);
    scale.take("nice");
    scale.take("padding");
    if let Some(json) = scale.take("scheme") {
        let name = json
            .as_str()
            .or_else(|| json.get("name").and_then(Json::as_str))
            .unwrap_or_default();
        options.palette = match name {
            "viridis" => GradientPalette::Viridis,
            "batlow" => GradientPalette::Batlow,
            "blueorange" | "redblue" | "blue-red" | "redyellowblue" => GradientPalette::BlueRed,
            "greys" => GradientPalette::Greys,
            _ => {
                ignored.push(format!(
                    "{} (the palettes are viridis, batlow, blue-red and greys)",
                    scale.place_of("scheme")
                ));
                GradientPalette::Viridis
            }
        };
    }
    if let Some(range) = scale.take("range") {
        let colours = range.as_array().map(|items| {
            items
                .iter()
                .map(|item| parse_colour(item.as_str()?))
                .collect::<Option<Vec<_>>>()
        });
        match colours.flatten() {
            Some(colours) => options.colours = colours,
            None => ignored.push(scale.place_of("range")),
        }
    }
    scale.finish(ignored);
    options
}
