//! `compare_groups` and `hypothesis_test`: boxes and points of the samples with their means, or the estimate with its interval.

use std::sync::Arc;

use plots::{
    CategoryOrder, ChannelDefinition, DataTable, LayerChannels, MarkKind, PlotColumn, PlotLayer,
};

use super::regression::point_opacity;
use super::result::{DrawnResult, in_call, number_list};
use super::{
    AxisField, NaturalPicture, NaturalSize, WHOLE, layer, plot_of, shared_table, short_number,
    table_of,
};
use crate::prelude::*;
use crate::stats::compare_groups::{Args as CompareArgs, read_groups};
use crate::stats::hypothesis_test::{Args as TestArgs, TestData, read_data};
use crate::stats::reporting::GroupRecord;
use crate::stats::reporting::samples::{SampleGroup, grouped_samples};

/// Most groups that are drawn; of more, the first ones.
const GROUPS_MAX: usize = 40;

/// Most groups beside each other; more lie below each other.
const GROUPS_ACROSS: usize = 10;

/// Most points that are drawn one by one.
const POINTS_MAX: usize = 3000;

/// Fewest values of a group that make a box.
const BOX_VALUES: usize = 5;

/// Most subjects whose values are joined.
const SUBJECTS_MAX: usize = 60;

pub(super) fn draw_compare_groups(source: &DrawnResult<'_>) -> Result<NaturalPicture, ToolError> {
    let args = source.call_arguments::<CompareArgs>()?;
    let value = source.y.or(args.as_ref().map(|args| args.value.as_str()));
    let group = source.x.or(args.as_ref().map(|args| args.group.as_str()));
    let samples = match (source.typed_table()?, &args) {
        (None, _) => Vec::new(),
        (Some(table), Some(args)) if source.x.is_none() && source.y.is_none() => {
            let table = table.into_table(source.ctx)?;
            let read = read_groups(args, &table, source.ctx).map_err(in_call)?;
            read.groups
        }
        (Some(table), _) => {
            let (Some(value), Some(group)) = (value, group) else {
                refuse!(invalid "/data", "unknown_column"; "the column of numbers and that of groups are not named";
                    "name them with `y` and `x`, or pass the arguments of the comparison as `call`");
            };
            let table = table.into_table(source.ctx)?;
            grouped_samples(&table, value, group, source.ctx)?.groups
        }
    };
    let is_paired = args.as_ref().is_some_and(|args| args.subject.is_some());
    let (value, group) = (value.unwrap_or("value"), group.unwrap_or("group"));
    let drawn = DrawnGroups {
        value: source.y_label.unwrap_or(value).to_owned(),
        group: source.x_label.unwrap_or(group).to_owned(),
        means: group_means(source),
        samples,
        is_paired,
        null: None,
    };
    drawn.picture(source, format!("{value} by {group}"))
}

pub(super) fn draw_hypothesis_test(source: &DrawnResult<'_>) -> Result<NaturalPicture, ToolError> {
    let args = source.call_arguments::<TestArgs>()?;
    let samples = match &args {
        Some(args) => test_samples(source, args)?,
        None => TestSamples::default(),
    };
    if samples.groups.is_empty() {
        return draw_estimate(source);
    }
    let confidence = args.as_ref().map_or(0.95, |args| args.confidence.get());
    let records = samples.groups.iter();
    let means = records.map(|group| GroupMean::new(&GroupRecord::new(group, confidence)));
    let name = |name: Option<&str>| name.unwrap_or_default().to_owned();
    let value = args.as_ref().and_then(|args| args.value.as_deref());
    let group = args.as_ref().and_then(|args| args.group.as_deref());
    // Under the hypothesis one sample lies around a value of its own scale.
    let estimate = source.result.get("estimate");
    let null = estimate.and_then(|estimate| estimate.get("null")?.as_f64());
    let has_null = samples.groups.len() == 1
        && estimate.is_some_and(|one| matches!(one.text("name"), Some("mean" | "median")));
    let drawn = DrawnGroups {
        value: source.y_label.map_or_else(|| name(value), str::to_owned),
        group: source.x_label.map_or_else(|| name(group), str::to_owned),
        means: means.collect(),
        samples: samples.groups,
        is_paired: samples.is_paired,
        null: null.filter(|_| has_null),
    };
    let title = source.result.text("test").unwrap_or("Test of a hypothesis");
    drawn.picture(source, capitalise(title))
}

/// The samples of a test, none for tests of counts.
#[derive(Default)]
struct TestSamples {
    groups: Vec<SampleGroup>,
    is_paired: bool,
}

fn test_samples(source: &DrawnResult<'_>, args: &TestArgs) -> Result<TestSamples, ToolError> {
    let has_several = !source.result.items_at("tests").is_empty();
    if has_several {
        refuse!(invalid "/result/tests", "shape"; "the tests of several columns have no picture";
            "draw the test of one column, with `value`");
    }
    let table = match source.typed_table()? {
        Some(table) => Some(table.into_table(source.ctx)?),
        None => None,
    };
    let data = read_data(args, args.test.shape(), table.as_ref(), None, source.ctx);
    Ok(match data.map_err(in_call)? {
        TestData::Groups(groups) => TestSamples {
            groups,
            is_paired: false,
        },
        TestData::Conditions(groups, _) => TestSamples {
            groups,
            is_paired: true,
        },
        _ => TestSamples::default(),
    })
}

/// The mean of a group with the ends of its interval.
struct GroupMean {
    label: String,
    mean: f64,
    low: f64,
    high: f64,
}

impl GroupMean {
    fn new(record: &GroupRecord) -> Self {
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
        Self {
            label: record.group.clone(),
            mean: number(record.mean),
            low: number(record.low),
            high: number(record.high),
        }
    }
}

fn group_means(source: &DrawnResult<'_>) -> Vec<GroupMean> {
    let groups = source.result.items_at("groups");
    let mean = |group: &Value| {
        let number = |name: &str| group.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN);
        GroupMean {
            label: group.text("group").unwrap_or_default().to_owned(),
            mean: number("mean"),
            low: number("low"),
            high: number("high"),
        }
    };
    groups.iter().map(mean).collect()
}

/// Samples and their means, group by group.
struct DrawnGroups {
    value: String,
    group: String,
    means: Vec<GroupMean>,
    /// Empty where the data are not known.
    samples: Vec<SampleGroup>,
    /// Whether the values of all groups are of the same subjects in one order.
    is_paired: bool,
    /// The value under the hypothesis, where it is on the axis.
    null: Option<f64>,
}

impl DrawnGroups {
    fn picture(
        mut self,
        source: &DrawnResult<'_>,
        title: String,
    ) -> Result<NaturalPicture, ToolError> {
        let all = self.means.len();
        self.means.truncate(GROUPS_MAX);
        let is_across = all <= GROUPS_ACROSS;
        let count = self.means.len() as u32;
        let size = match is_across {
            true => NaturalSize {
                width: (320 + 110 * count).min(960),
                height: 480,
            },
            false => NaturalSize {
                width: 760,
                height: 160 + 26 * count,
            },
        };
        let mut picture = NaturalPicture::new(title, size);
        let mut words: Vec<String> = Vec::new();
        words.extend(source.result.text("apa").map(str::to_owned));
        if self.means.len() < all {
            words.push(format!("the first {} of {all} groups", self.means.len()));
        }
        picture.subtitle = words.join("; ");
        picture.add(WHOLE, plot_of(self.layers(source, is_across)?));
        Ok(picture)
    }

    fn layers(
        &self,
        source: &DrawnResult<'_>,
        is_across: bool,
    ) -> Result<Vec<PlotLayer>, ToolError> {
        let drawn = |group: &&SampleGroup| {
            let mut means = self.means.iter();
            means.any(|mean| mean.label == group.label)
        };
        let samples: Vec<&SampleGroup> = self.samples.iter().filter(drawn).collect();
        let mut layers = Vec::new();
        let boxed = samples
            .iter()
            .filter(|group| group.values.len() >= BOX_VALUES);
        let boxed = self.value_table(boxed.copied())?;
        if boxed.rows() > 0 {
            let mut boxes = self.layer(MarkKind::Box, &boxed, is_across);
            boxes.style.opacity = Some(0.45);
            layers.push(boxes);
        }
        let rows: usize = samples.iter().map(|group| group.values.len()).sum();
        let subjects = samples.first().map_or(0, |group| group.values.len());
        if self.is_paired && samples.len() > 1 && subjects <= SUBJECTS_MAX {
            layers.push(self.subject_lines(source, &samples, is_across)?);
        }
        if (1..=POINTS_MAX).contains(&rows) {
            let table = self.value_table(samples.iter().copied())?;
            let mut points = self.layer(MarkKind::Point, &table, is_across);
            points.style.size = Some(26.0);
            points.style.opacity = Some(0.6 * point_opacity(rows));
            layers.push(points);
        }
        layers.extend(self.mean_layers(source, is_across)?);
        layers.extend(
            self.null
                .map(|null| self.null_layer(source, null, is_across))
                .transpose()?,
        );
        Ok(layers)
    }

    /// A table of the groups' values.
    fn value_table<'a>(
        &self,
        samples: impl Iterator<Item = &'a SampleGroup>,
    ) -> Result<Arc<DataTable>, ToolError> {
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        for group in samples {
            values.extend_from_slice(&group.values);
            labels.extend(group.values.iter().map(|_| Some(group.label.as_str())));
        }
        shared_table(vec![
            PlotColumn::of_numbers("value", values),
            PlotColumn::of_texts("group", labels.into_iter()),
        ])
    }

    /// A layer over the categories of the groups, in their order and colours.
    fn layer(&self, mark: MarkKind, data: &Arc<DataTable>, is_across: bool) -> PlotLayer {
        let labels: Vec<String> = self.means.iter().map(|mean| mean.label.clone()).collect();
        let category = ChannelDefinition {
            title: Some(self.group.clone()),
            kind: Some(plots::FieldKind::Category),
            order: CategoryOrder::Given(labels),
            ..ChannelDefinition::of_field("group")
        };
        let value = ChannelDefinition {
            title: Some(self.value.clone()),
            ..ChannelDefinition::of_field("value")
        };
        let color = ChannelDefinition {
            is_hidden: true,
            ..category.clone()
        };
        let (x, y) = match is_across {
            true => (category, value),
            false => (value, category),
        };
        let channels = LayerChannels {
            x: Some(x),
            y: Some(y),
            color: Some(color),
            ..LayerChannels::default()
        };
        PlotLayer {
            data: Some(Arc::clone(data)),
            ..PlotLayer::of_mark(mark, channels)
        }
    }

    /// Lines that join the values of each subject.
    fn subject_lines(
        &self,
        source: &DrawnResult<'_>,
        samples: &[&SampleGroup],
        is_across: bool,
    ) -> Result<PlotLayer, ToolError> {
        let (mut values, mut labels, mut subjects) = (Vec::new(), Vec::new(), Vec::new());
        for group in samples {
            for (subject, value) in group.values.iter().enumerate() {
                values.push(*value);
                labels.push(Some(group.label.as_str()));
                subjects.push(format!("subject {subject}"));
            }
        }
        let table = shared_table(vec![
            PlotColumn::of_numbers("value", values),
            PlotColumn::of_texts("group", labels.into_iter()),
            PlotColumn::of_texts("subject", subjects.iter().map(|name| Some(name.as_str()))),
        ])?;
        let mut lines = self.layer(MarkKind::Line, &table, is_across);
        lines.channels.color = None;
        lines.channels.detail = Some(ChannelDefinition::of_field("subject"));
        lines.style.colour = Some(source.theme.soft_ink());
        lines.style.stroke_width = Some(0.8);
        lines.style.opacity = Some(0.45);
        Ok(lines)
    }

    /// The means with their intervals.
    fn mean_layers(
        &self,
        source: &DrawnResult<'_>,
        is_across: bool,
    ) -> Result<Vec<PlotLayer>, ToolError> {
        let known: Vec<&GroupMean> = self
            .means
            .iter()
            .filter(|mean| mean.mean.is_finite())
            .collect();
        let labels = || known.iter().map(|mean| Some(mean.label.as_str()));
        let pick =
            |of: fn(&GroupMean) -> f64| known.iter().map(|mean| of(mean)).collect::<Vec<_>>();
        let means = shared_table(vec![
            PlotColumn::of_numbers("value", pick(|mean| mean.mean)),
            PlotColumn::of_texts("group", labels()),
        ])?;
        let intervals = shared_table(vec![
            PlotColumn::of_numbers("value", pick(|mean| mean.low)),
            PlotColumn::of_numbers("high", pick(|mean| mean.high)),
            PlotColumn::of_texts("group", labels()),
        ])?;
        let ink = source.theme.ink();
        let mut bars = self.layer(MarkKind::Rule, &intervals, is_across);
        let end = Some(ChannelDefinition::of_field("high"));
        match is_across {
            true => bars.channels.y2 = end,
            false => bars.channels.x2 = end,
        }
        bars.channels.color = None;
        bars.style.colour = Some(ink);
        bars.style.stroke_width = Some(3.0);
        let mut points = self.layer(MarkKind::Point, &means, is_across);
        points.channels.color = None;
        points.style.colour = Some(ink);
        points.style.size = Some(80.0);
        points.style.shape = Some(plots::PointShape::Diamond);
        Ok(vec![bars, points])
    }

    fn null_layer(
        &self,
        source: &DrawnResult<'_>,
        null: f64,
        is_across: bool,
    ) -> Result<PlotLayer, ToolError> {
        let table = table_of(&[("value", &[null])])?;
        let mut rule = self.layer(MarkKind::Rule, &table, is_across);
        match is_across {
            true => rule.channels.x = None,
            false => rule.channels.y = None,
        }
        rule.channels.color = None;
        rule.style.colour = Some(source.theme.soft_ink());
        rule.style.dashes = vec![5.0, 4.0];
        Ok(rule)
    }
}

/// The estimate of a test with its interval, beside its value under the hypothesis.
fn draw_estimate(source: &DrawnResult<'_>) -> Result<NaturalPicture, ToolError> {
    let estimate = source.result.get("estimate").filter(|one| !one.is_null());
    let number = |name: &str| {
        let found = estimate?.get(name)?;
        number_list(&Value::array(vec![found.clone()]))?
            .first()
            .copied()
    };
    let Some(value) = number("value").filter(|value| value.is_finite()) else {
        refuse!(invalid "/result/estimate", "missing"; "the test has no samples to draw, and no estimate";
            "pass the arguments of the test as `call`; tests of samples and of proportions, rates and ratios have a picture");
    };
    let name = estimate
        .and_then(|one| one.text("name"))
        .unwrap_or("estimate");
    let ends = [number("low"), number("high")].map(|end| end.unwrap_or(f64::NAN));
    let size = NaturalSize {
        width: 720,
        height: 240,
    };
    let title = source.result.text("test").unwrap_or("Test of a hypothesis");
    let mut picture = NaturalPicture::new(capitalise(title), size);
    picture.subtitle = source.result.text("apa").unwrap_or_default().to_owned();
    let x = AxisField {
        field: "value",
        title: source.x_label.unwrap_or(name),
    };
    let y = AxisField {
        field: "name",
        title: "",
    };
    let row = |cells: &[(&str, f64)]| {
        let columns = cells.iter();
        let columns = columns.map(|(name, cell)| PlotColumn::of_numbers(name, vec![*cell]));
        let label = PlotColumn::of_texts("name", [Some(name)].into_iter());
        shared_table(columns.chain([label]).collect())
    };
    let colour = Some(source.theme.category(0));
    let mut layers = Vec::new();
    if ends.iter().all(|end| end.is_finite()) {
        let table = row(&[("value", ends[0]), ("high", ends[1])])?;
        let mut bar = layer(MarkKind::Rule, &table, x, y);
        bar.channels.x2 = Some(ChannelDefinition::of_field("high"));
        bar.style.colour = colour;
        bar.style.stroke_width = Some(4.0);
        layers.push(bar);
    }
    let mut point = layer(MarkKind::Point, &row(&[("value", value)])?, x, y);
    point.style.colour = colour;
    point.style.size = Some(110.0);
    layers.push(point);
    if let Some(null) = number("null") {
        let mut rule = layer(MarkKind::Rule, &table_of(&[("value", &[null])])?, x, y);
        rule.channels.y = None;
        rule.style.colour = Some(source.theme.soft_ink());
        rule.style.dashes = vec![5.0, 4.0];
        layers.push(rule);
    }
    for y in layers
        .iter_mut()
        .filter_map(|layer| layer.channels.y.as_mut())
    {
        y.is_hidden = true;
    }
    picture.subtitle += &match ends.iter().all(|end| end.is_finite()) {
        true => format!(
            "; {} [{}, {}]",
            short_number(value),
            short_number(ends[0]),
            short_number(ends[1])
        ),
        false => format!("; {}", short_number(value)),
    };
    picture.add(WHOLE, plot_of(layers));
    Ok(picture)
}

/// The words with a capital letter at their beginning.
fn capitalise(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
