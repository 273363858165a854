//! `hierarchical_clustering`: a dendrogram.

use plots::{ChannelDefinition, MarkKind, PlotColour, PlotColumn, PlotLayer};

use super::super::result::DrawnResult;
use super::super::{
    NaturalPicture, NaturalSize, WHOLE, layer, plot_of, shared_table, short_number, table_of,
};
use super::plane::places_of;
use super::{AxisField, GREY, axis, cluster_colour, row_words, strokes};
use crate::prelude::*;

/// Up to so many rows have their numbers below.
const NAMED_ROWS: usize = 60;
/// Most clusters with a colour of their own.
const COLOURED_MAX: usize = 20;

/// A merge, or a row.
#[derive(Debug, Clone, Copy)]
struct TreeNode {
    place: f64,
    height: f64,
    /// The cluster of all its rows, if it is one.
    cluster: Option<usize>,
}

/// Strokes of one colour.
#[derive(Debug, Clone, Default)]
struct BranchStrokes {
    x: Vec<f64>,
    y: Vec<f64>,
    x2: Vec<f64>,
    y2: Vec<f64>,
}

impl BranchStrokes {
    fn add(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.x.push(from.0);
        self.y.push(from.1);
        self.x2.push(to.0);
        self.y2.push(to.1);
    }

    fn layer(&self, axes: [AxisField<'_>; 2], colour: PlotColour) -> Result<PlotLayer, ToolError> {
        let data = table_of(&[
            ("x", &self.x),
            ("y", &self.y),
            ("x2", &self.x2),
            ("y2", &self.y2),
        ])?;
        Ok(strokes(&data, axes, colour, 1.4))
    }
}

/// The tree of a result.
struct DrawnTree {
    order: Vec<usize>,
    labels: Vec<usize>,
    /// Strokes by cluster, the last those above all clusters.
    branches: Vec<BranchStrokes>,
}

impl DrawnTree {
    fn of_result(source: &DrawnResult<'_>) -> Result<Self, ToolError> {
        let order = places_of(source, "leaf_order")?;
        let labels = places_of(source, "labels")?;
        let rows = order.len();
        if labels.len() != rows || order.iter().any(|row| *row >= rows) {
            return Err(source.missing("leaf_order", "each row once"));
        }
        let count = labels.iter().max().map_or(0, |most| most + 1);
        let shown = count.min(COLOURED_MAX);
        let mut branches = vec![BranchStrokes::default(); shown + 1];
        let leaf = TreeNode {
            place: 0.0,
            height: 0.0,
            cluster: None,
        };
        let mut nodes = vec![leaf; rows];
        for (place, row) in order.iter().enumerate() {
            nodes[*row].place = (place + 1) as f64;
            nodes[*row].cluster = Some(labels[*row]);
        }
        for merge in source.result.items_at("merges") {
            let number = |name: &str| merge.get(name)?.as_f64();
            let node = |name: &str| nodes.get(number(name)? as usize).copied();
            let (Some(first), Some(second), Some(height)) =
                (node("first"), node("second"), number("height"))
            else {
                return Err(source.missing("merges", "merges of rows and earlier merges"));
            };
            let cluster = first.cluster.filter(|_| first.cluster == second.cluster);
            let group = cluster.filter(|cluster| *cluster < shown).unwrap_or(shown);
            for part in [first, second] {
                branches[group].add((part.place, part.height), (part.place, height));
            }
            branches[group].add((first.place, height), (second.place, height));
            nodes.push(TreeNode {
                place: 0.5 * (first.place + second.place),
                height,
                cluster,
            });
        }
        Ok(Self {
            order,
            labels,
            branches,
        })
    }

    /// The numbers of the rows below their lines.
    fn names(
        &self,
        source: &DrawnResult<'_>,
        axes: [AxisField<'_>; 2],
    ) -> Result<PlotLayer, ToolError> {
        let rows = places_of(source, "rows")?;
        let name = |row: &usize| rows.get(*row).unwrap_or(row).to_string();
        let names: Vec<String> = self.order.iter().map(name).collect();
        let data = shared_table(vec![
            PlotColumn::of_numbers("x", super::ranks(self.order.len())),
            PlotColumn::of_numbers("y", vec![0.0; self.order.len()]),
            PlotColumn::of_texts("name", names.iter().map(|name| Some(name.as_str()))),
        ])?;
        let mut texts = layer(MarkKind::Text, &data, axes[0], axes[1]);
        texts.channels.text = Some(ChannelDefinition::of_field("name"));
        texts.style.shift = (0.0, 9.0);
        texts.style.size = Some(if self.order.len() > 30 { 8.0 } else { 10.0 });
        Ok(texts)
    }
}

pub(in crate::plot::natural) fn draw_hierarchical_clustering(
    source: &DrawnResult<'_>,
) -> Result<NaturalPicture, ToolError> {
    let tree = DrawnTree::of_result(source)?;
    let axes = [
        axis("x", "rows, in the order of the leaves"),
        axis("y", "height"),
    ];
    let mut layers = Vec::new();
    let last = tree.branches.len() - 1;
    for (cluster, branches) in tree.branches.iter().enumerate() {
        let colour = match cluster == last {
            true => GREY,
            false => cluster_colour(source.theme, cluster),
        };
        if !branches.x.is_empty() {
            layers.push(branches.layer(axes, colour)?);
        }
    }
    let cut = source.numbers("cut").unwrap_or_default();
    if let [low, high] = cut[..]
        && low.is_finite()
        && high.is_finite()
    {
        let data = table_of(&[("y", &[0.5 * low + 0.5 * high])])?;
        let mut rule = layer(MarkKind::Rule, &data, axes[0], axes[1]);
        rule.channels.x = None;
        rule.style.dashes = vec![5.0, 4.0];
        layers.push(rule);
    }
    if tree.order.len() <= NAMED_ROWS {
        layers.push(tree.names(source, axes)?);
        // The names of the rows stand where the ticks would.
        for across in layers.iter_mut().filter_map(|one| one.channels.x.as_mut()) {
            across.is_hidden = true;
        }
    }
    let count = tree.labels.iter().max().map_or(0, |most| most + 1);
    let size = NaturalSize {
        width: 960,
        height: 520,
    };
    let name = source.result.text("linkage").unwrap_or("hierarchical");
    let mut picture = NaturalPicture::new(format!("Dendrogram, {name} linkage"), size);
    let mut words = vec![row_words(source), format!("{count} clusters")];
    if let Some(value) = source.result.get("cophenetic").and_then(Value::as_f64) {
        words.push(format!("cophenetic correlation {}", short_number(value)));
    }
    picture.subtitle = words.join(", ");
    picture.add(WHOLE, plot_of(layers));
    Ok(picture)
}
