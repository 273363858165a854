//! Reads a stated subset of Vega-Lite, leniently: what is not understood is listed, and the rest is drawn.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::encodings::read_channels;
use super::{
    ErrorExtent, FacetWrap, FitKind, LayerChannels, LineInterpolation, MarkKind, PlotLayer,
    PlotSpecification,
};
use crate::colour::{PlotTheme, parse_colour};
use crate::data::{DataTable, kind_of, one_line};
use crate::error::PlotError;
use crate::limits::{LAYERS_MAX, SIDE_MAX};
use crate::scene::PointShape;

/// A specification, and what of its text was not understood.
#[derive(Debug, Clone)]
pub struct SpecificationReading {
    /// What to draw.
    pub specification: PlotSpecification,
    /// JSON pointers of members that have no effect, each with the reason where it is not that the member is unknown.
    pub ignored: Vec<String>,
}

/// The members of an object: what is asked for, and in the end what was not.
pub(super) struct MemberReader<'a> {
    members: Option<&'a Map<String, Json>>,
    pub(super) place: String,
    seen: BTreeSet<&'static str>,
}

impl<'a> MemberReader<'a> {
    pub(super) fn new(json: &'a Json, place: String) -> Self {
        Self {
            members: json.as_object(),
            place,
            seen: BTreeSet::new(),
        }
    }

    pub(super) fn take(&mut self, name: &'static str) -> Option<&'a Json> {
        self.seen.insert(name);
        self.members?.get(name).filter(|json| !json.is_null())
    }

    /// Whether a member is given, be it as `null`.
    pub(super) fn is_null(&self, name: &str) -> bool {
        self.members
            .and_then(|members| members.get(name))
            .is_some_and(Json::is_null)
    }

    pub(super) fn text(&mut self, name: &'static str) -> Option<&'a str> {
        self.take(name)?.as_str()
    }

    pub(super) fn number(&mut self, name: &'static str) -> Option<f64> {
        self.take(name)?
            .as_f64()
            .filter(|number| number.is_finite())
    }

    pub(super) fn flag(&mut self, name: &'static str) -> Option<bool> {
        self.take(name)?.as_bool()
    }

    pub(super) fn place_of(&self, name: &str) -> String {
        format!(
            "{}/{}",
            self.place,
            name.replace('~', "~0").replace('/', "~1")
        )
    }

    /// Notes the members that were not asked for.
    pub(super) fn finish(self, ignored: &mut Vec<String>) {
        let rest = self.members.into_iter().flat_map(Map::keys);
        let rest = rest.filter(|name| !self.seen.contains(name.as_str()));
        ignored.extend(rest.map(|name| self.place_of(&one_line(name))));
    }
}

/// Reads a specification. `data` are those of `{"data": {"name": ..}}` and of a specification without data.
///
/// # Errors
/// [`PlotError`] for what cannot be drawn even with members left out: no mark, a mark of no known kind, data of another form.
pub fn read_specification(
    json: &Json,
    data: Option<Arc<DataTable>>,
) -> Result<SpecificationReading, PlotError> {
    let mut ignored = Vec::new();
    if !json.is_object() {
        return Err(PlotError::form("", "an object", kind_of(json)));
    }
    let mut top = MemberReader::new(json, String::new());
    for harmless in [
        "$schema",
        "description",
        "name",
        "usermeta",
        "autosize",
        "padding",
        "background",
    ] {
        top.take(harmless);
    }
    let mut plot = PlotSpecification {
        data: data.unwrap_or_default(),
        ..PlotSpecification::default()
    };
    read_frame(&mut top, &mut plot, &mut ignored)?;
    let facet = top.take("facet");
    let columns = top.number("columns");
    if let Some(inner) = top.take("spec") {
        // The operator `facet`: what is drawn is inside.
        let facet =
            facet.ok_or_else(|| PlotError::form("/facet", "the fields of the panels", "none"))?;
        read_facets(facet, "/facet", columns, &mut plot, &mut ignored);
        let mut inner_top = MemberReader::new(inner, "/spec".to_owned());
        read_frame(&mut inner_top, &mut plot, &mut ignored)?;
        read_layers(
            &mut inner_top,
            &LayerChannels::default(),
            None,
            &mut plot,
            &mut ignored,
        )?;
        inner_top.finish(&mut ignored);
    } else {
        let encoding = top.members.and_then(|members| members.get("encoding"));
        let columns_of = encoding
            .and_then(|one| one.get("facet"))
            .and_then(|one| one.get("columns"));
        read_layers(
            &mut top,
            &LayerChannels::default(),
            None,
            &mut plot,
            &mut ignored,
        )?;
        if let Some(encoding) = encoding {
            read_facets(
                encoding,
                "/encoding",
                columns.or(columns_of.and_then(Json::as_f64)),
                &mut plot,
                &mut ignored,
            );
        }
    }
    if plot.layers.is_empty() {
        return Err(PlotError::form("", "a `mark` or a `layer`", "neither"));
    }
    if plot.layers.len() > LAYERS_MAX {
        return Err(PlotError::TooMany {
            place: "/layer".to_owned(),
            what: "layers".to_owned(),
            found: plot.layers.len(),
            most: LAYERS_MAX,
        });
    }
    top.finish(&mut ignored);
    ignored.retain(|place| !place.is_empty());
    Ok(SpecificationReading {
        specification: plot,
        ignored,
    })
}

/// As [`read_specification`], from the text of a JSON document.
///
/// # Errors
/// As there, and [`PlotError::Form`] for a text that is no JSON.
pub fn read_specification_text(
    text: &str,
    data: Option<Arc<DataTable>>,
) -> Result<SpecificationReading, PlotError> {
    let json: Json = serde_json::from_str(text)
        .map_err(|err| PlotError::form("", "a JSON document", err.to_string()))?;
    read_specification(&json, data)
}

/// Title, size, theme and data.
pub(super) fn read_frame(
    top: &mut MemberReader<'_>,
    plot: &mut PlotSpecification,
    ignored: &mut Vec<String>,
) -> Result<(), PlotError> {
    match top.take("title") {
        Some(Json::String(text)) => plot.title = one_line(text),
        Some(Json::Array(lines)) => plot.title = join_lines(lines),
        Some(json @ Json::Object(_)) => {
            let mut title = MemberReader::new(json, top.place_of("title"));
            let line = |json: &Json| match json {
                Json::Array(lines) => join_lines(lines),
                other => other.as_str().map(one_line).unwrap_or_default(),
            };
            plot.title = title.take("text").map(line).unwrap_or_default();
            plot.subtitle = title.take("subtitle").map(line).unwrap_or_default();
            title.finish(ignored);
        }
        _ => {}
    }
    for (name, side) in [("width", &mut plot.width), ("height", &mut plot.height)] {
        match top.take(name) {
            Some(Json::Number(number)) => {
                *side = read_side(number.as_f64().unwrap_or(0.0), &top.place_of(name))?
            }
            Some(_) => ignored.push(top.place_of(name)),
            None => {}
        }
    }
    if let Some(theme) = top.text("theme") {
        plot.theme = match theme {
            "light" => PlotTheme::Light,
            "dark" => PlotTheme::Dark,
            "print" => PlotTheme::Print,
            other => {
                return Err(PlotError::form(
                    top.place_of("theme"),
                    "light, dark or print",
                    format!("`{}`", one_line(other)),
                ));
            }
        };
    }
    if let Some(table) = read_data(top, ignored)? {
        plot.data = table;
    }
    Ok(())
}

/// A side in pixels.
pub(crate) fn read_side(number: f64, place: &str) -> Result<u32, PlotError> {
    if (1.0..=f64::from(SIDE_MAX)).contains(&number) {
        return Ok(libm::round(number) as u32);
    }
    Err(PlotError::form(
        place,
        format!("a number of pixels from 1 to {SIDE_MAX}"),
        format!("{number}"),
    ))
}

fn join_lines(lines: &[Json]) -> String {
    let lines: Vec<&str> = lines.iter().filter_map(Json::as_str).collect();
    one_line(&lines.join(" "))
}

/// The data of a layer or plot; a name means the data that came with the call, and a URL is ignored.
fn read_data(
    top: &mut MemberReader<'_>,
    ignored: &mut Vec<String>,
) -> Result<Option<Arc<DataTable>>, PlotError> {
    let Some(json) = top.take("data") else {
        return Ok(None);
    };
    let place = top.place_of("data");
    if json.is_array() {
        return Ok(Some(Arc::new(DataTable::from_json(json, &place)?)));
    }
    let mut data = MemberReader::new(json, place);
    data.take("name");
    data.take("format");
    if data.take("url").is_some() {
        ignored.push(format!(
            "{} (files and addresses are not read: pass `data`)",
            data.place_of("url")
        ));
    }
    let table = match data.take("values") {
        Some(values @ (Json::Array(_) | Json::Object(_))) => Some(Arc::new(DataTable::from_json(
            values,
            &data.place_of("values"),
        )?)),
        Some(other) => {
            return Err(PlotError::form(
                data.place_of("values"),
                "a list of records",
                kind_of(other),
            ));
        }
        None => None,
    };
    data.finish(ignored);
    Ok(table)
}

fn read_facets(
    json: &Json,
    place: &str,
    columns: Option<f64>,
    plot: &mut PlotSpecification,
    ignored: &mut Vec<String>,
) {
    let mut facets = MemberReader::new(json, place.to_owned());
    let mut quiet = Vec::new();
    let one = |json: &Json, place: String, ignored: &mut Vec<String>| {
        super::encodings::read_channel(json, place, ignored)
    };
    plot.row = facets
        .take("row")
        .and_then(|json| one(json, format!("{place}/row"), ignored))
        .or(plot.row.take());
    plot.column = facets
        .take("column")
        .and_then(|json| one(json, format!("{place}/column"), ignored))
        .or(plot.column.take());
    let columns = columns
        .filter(|columns| *columns >= 1.0)
        .map(|columns| columns as usize);
    let wrapped = match facets.take("facet") {
        Some(json) => one(json, format!("{place}/facet"), ignored),
        None if facets.take("field").is_some() && !place.ends_with("encoding") => {
            one(json, place.to_owned(), &mut quiet)
        }
        None => None,
    };
    if let Some(channel) = wrapped {
        plot.wrap = Some(FacetWrap { channel, columns });
    }
}

/// The layers of a view: its own mark, or those of `layer`, which inherit its channels and data.
fn read_layers(
    view: &mut MemberReader<'_>,
    inherited: &LayerChannels,
    data: Option<&Arc<DataTable>>,
    plot: &mut PlotSpecification,
    ignored: &mut Vec<String>,
) -> Result<(), PlotError> {
    let channels = match view.take("encoding") {
        Some(encoding) => read_channels(encoding, &view.place_of("encoding"), inherited, ignored)?,
        None => inherited.clone(),
    };
    let fit = read_transforms(view, ignored);
    let is_right = read_resolve(view, ignored);
    if let Some(mark) = view.take("mark") {
        let mut layer = read_mark(mark, &view.place_of("mark"), ignored)?;
        layer.channels = channels;
        layer.place = view.place.clone();
        layer.data = data.cloned();
        let own_fit = match view.take("fit") {
            Some(Json::String(kind)) if kind == "linear" => Some(FitKind::Linear),
            Some(_) => {
                ignored.push(view.place_of("fit"));
                None
            }
            None => None,
        };
        // A line of a table that a regression has made is that of the regression.
        layer.is_fit_alone = own_fit.is_none() && fit.is_some() && layer.mark == MarkKind::Line;
        layer.fit = own_fit.or(fit);
        settle_mark(&mut layer, mark);
        plot.layers.push(layer);
        return Ok(());
    }
    let Some(layers) = view.take("layer").and_then(Json::as_array) else {
        return Ok(());
    };
    for (index, json) in layers.iter().take(LAYERS_MAX + 1).enumerate() {
        let place = format!("{}/{index}", view.place_of("layer"));
        if !json.is_object() {
            return Err(PlotError::form(place, "a layer, an object", kind_of(json)));
        }
        let mut layer = MemberReader::new(json, place);
        let own = read_data(&mut layer, ignored)?;
        let first = plot.layers.len();
        read_layers(&mut layer, &channels, own.as_ref().or(data), plot, ignored)?;
        for made in &mut plot.layers[first..] {
            made.is_right |= is_right && index > 0;
        }
        for title in ["title", "name", "description", "width", "height"] {
            layer.take(title);
        }
        layer.finish(ignored);
    }
    Ok(())
}

/// A regression is the line of a fit; other transforms are ignored, and said to be.
fn read_transforms(view: &mut MemberReader<'_>, ignored: &mut Vec<String>) -> Option<FitKind> {
    let mut fit = None;
    let steps = view.take("transform").and_then(Json::as_array);
    for (index, step) in steps.into_iter().flatten().enumerate() {
        match step.get("regression") {
            Some(_) if step.get("method").is_none_or(|method| method == "linear") => {
                fit = Some(FitKind::Linear)
            }
            _ => ignored.push(format!(
                "{}/{index} (transforms are not computed: pass data that are ready)",
                view.place_of("transform")
            )),
        }
    }
    fit
}

/// Whether layers have a y axis each.
fn read_resolve(view: &mut MemberReader<'_>, ignored: &mut Vec<String>) -> bool {
    let Some(json) = view.take("resolve") else {
        return false;
    };
    let mut resolve = MemberReader::new(json, view.place_of("resolve"));
    let is_independent = |json: &Json| json.get("y").and_then(Json::as_str) == Some("independent");
    let scale = resolve.take("scale").is_some_and(is_independent);
    let axis = resolve.take("axis").is_some_and(is_independent);
    resolve.finish(ignored);
    scale || axis
}

fn mark_named(name: &str) -> Option<MarkKind> {
    Some(match name {
        "line" | "trail" => MarkKind::Line,
        "area" => MarkKind::Area,
        "band" | "errorband" => MarkKind::Band,
        "point" | "circle" | "square" | "scatter" => MarkKind::Point,
        "bar" => MarkKind::Bar,
        "histogram" => MarkKind::Histogram,
        "box" | "boxplot" => MarkKind::Box,
        "violin" => MarkKind::Violin,
        "rect" | "heatmap" => MarkKind::Rect,
        "contour" => MarkKind::Contour,
        "errorbar" => MarkKind::ErrorBar,
        "rule" => MarkKind::Rule,
        "tick" => MarkKind::Tick,
        "text" => MarkKind::Text,
        _ => return None,
    })
}

fn read_mark(json: &Json, place: &str, ignored: &mut Vec<String>) -> Result<PlotLayer, PlotError> {
    let name = json
        .as_str()
        .or_else(|| json.get("type").and_then(Json::as_str));
    let expected = "one of line, area, band, point, bar, histogram, boxplot, violin, rect, contour, errorbar, rule, tick, text";
    let name = name.ok_or_else(|| PlotError::form(place, expected, kind_of(json)))?;
    let kind = mark_named(name)
        .ok_or_else(|| PlotError::form(place, expected, format!("`{}`", one_line(name))))?;
    let mut layer = PlotLayer::of_mark(kind, LayerChannels::default());
    let style = &mut layer.style;
    if name == "square" {
        style.shape = Some(PointShape::Square);
    }
    if !json.is_object() {
        return Ok(layer);
    }
    let mut mark = MemberReader::new(json, place.to_owned());
    for known in ["type", "tooltip", "clip", "aria", "cursor"] {
        mark.take(known);
    }
    for member in ["color", "fill", "stroke"] {
        if let Some(text) = mark.text(member) {
            match parse_colour(text) {
                Some(colour) => {
                    style.colour = Some(
                        style
                            .colour
                            .filter(|_| member == "stroke")
                            .unwrap_or(colour),
                    )
                }
                None => ignored.push(mark.place_of(member)),
            }
        }
    }
    let opacities = ["opacity", "fillOpacity"].map(|member| mark.number(member));
    style.opacity = opacities
        .into_iter()
        .flatten()
        .next()
        .map(|value| value.clamp(0.0, 1.0));
    style.size = mark
        .number("size")
        .or(mark.number("fontSize"))
        .filter(|size| (0.0..=1e6).contains(size));
    style.stroke_width = mark
        .number("strokeWidth")
        .or(mark.number("thickness"))
        .filter(|width| (0.0..=200.0).contains(width));
    if let Some(Json::Array(dashes)) = mark.take("strokeDash") {
        let lengths: Vec<f64> = dashes
            .iter()
            .filter_map(Json::as_f64)
            .filter(|length| (0.0..=1e4).contains(length))
            .take(8)
            .collect();
        if lengths.len() == dashes.len() && lengths.iter().sum::<f64>() > 0.5 {
            style.dashes = lengths;
        } else {
            ignored.push(mark.place_of("strokeDash"));
        }
    }
    style.is_filled = mark.flag("filled");
    if let Some(text) = mark.text("shape") {
        style.shape = shape_named(text);
        if style.shape.is_none() {
            ignored.push(mark.place_of("shape"));
        }
    }
    match mark.text("interpolate") {
        Some("step") => style.interpolation = LineInterpolation::Step,
        Some("step-after") => style.interpolation = LineInterpolation::StepAfter,
        Some("step-before") => style.interpolation = LineInterpolation::StepBefore,
        Some("linear") | None => {}
        Some(_) => ignored.push(mark.place_of("interpolate")),
    }
    style.has_points = match mark.take("point") {
        Some(Json::Bool(flag)) => *flag,
        Some(Json::Object(_)) => true,
        Some(_) => false,
        None => false,
    };
    if let Some(extent) = mark.text("extent") {
        match extent {
            "stderr" => style.extent = ErrorExtent::StandardError,
            "stdev" => style.extent = ErrorExtent::StandardDeviation,
            "ci" => style.extent = ErrorExtent::ConfidenceInterval,
            "iqr" => style.extent = ErrorExtent::Quartiles,
            _ => ignored.push(mark.place_of("extent")),
        }
    }
    style.shift = (
        mark.number("dx").unwrap_or(0.0).clamp(-1e3, 1e3),
        mark.number("dy").unwrap_or(0.0).clamp(-1e3, 1e3),
    );
    style.keeps_order = mark.take("order").is_some();
    mark.finish(ignored);
    Ok(layer)
}

/// Vega-Lite writes a histogram as bars of counts over intervals; both forms become the same.
fn settle_mark(layer: &mut PlotLayer, mark: &Json) {
    let named = mark
        .as_str()
        .or_else(|| mark.get("type").and_then(Json::as_str));
    // Points of Vega-Lite are hollow, its circles and squares are not.
    if named == Some("point") && layer.style.is_filled.is_none() && layer.style.shape.is_none() {
        layer.style.is_filled = Some(true);
    }
}

/// A shape by its name.
pub(crate) fn shape_named(name: &str) -> Option<PointShape> {
    Some(match name {
        "circle" => PointShape::Circle,
        "square" => PointShape::Square,
        "triangle" | "triangle-up" => PointShape::Triangle,
        "triangle-down" => PointShape::Down,
        "diamond" => PointShape::Diamond,
        "cross" => PointShape::Cross,
        _ => return None,
    })
}
