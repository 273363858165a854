//! What the marks of a layer are made with.

use std::collections::BTreeMap;

use super::columns::ChannelColumn;
use super::layers::LayerColumns;
use super::prepared::PlotGuides;
use crate::colour::{PlotColour, PlotTheme};
use crate::error::PlotError;
use crate::specification::{FieldKind, MarkStyle, PlotLayer};

/// What the marks of one layer are made with.
pub(crate) struct LayerContext<'a> {
    pub(crate) layer: &'a PlotLayer,
    pub(crate) style: &'a MarkStyle,
    pub(crate) columns: &'a LayerColumns,
    /// The rows of the panel; all where absent.
    pub(crate) rows: Option<&'a [u32]>,
    pub(crate) guides: &'a PlotGuides,
    pub(crate) theme: PlotTheme,
    /// Colour of marks without a colour channel.
    pub(crate) plain: PlotColour,
    pub(crate) font_scale: f64,
    pub(crate) is_log: [bool; 2],
}

impl LayerContext<'_> {
    /// Calls `each` with every row of the panel.
    pub(crate) fn row_list(&self) -> Vec<u32> {
        match self.rows {
            Some(rows) => rows.to_vec(),
            None => (0..self.columns.rows as u32).collect(),
        }
    }

    /// The colour of a row.
    pub(crate) fn colour(&self, row: u32) -> PlotColour {
        let Some(column) = &self.columns.color else {
            return self.plain;
        };
        self.colour_of(column.kind, column.values[row as usize])
    }

    pub(crate) fn colour_of(&self, kind: FieldKind, value: f64) -> PlotColour {
        if !value.is_finite() {
            return self.theme.axis();
        }
        match (kind, &self.guides.categories, &self.guides.quantities) {
            (FieldKind::Category, Some(colours), _) => colours
                .colours
                .get(value as usize)
                .copied()
                .unwrap_or(self.plain),
            (_, _, Some(colours)) => colours.colour(value),
            _ => self.plain,
        }
    }

    /// The category of colour of a row.
    pub(crate) fn colour_level(&self, row: u32) -> Option<usize> {
        let column = self
            .columns
            .color
            .as_ref()
            .filter(|column| column.is_category())?;
        let value = column.values[row as usize];
        value.is_finite().then_some(value as usize)
    }

    /// The rows by colour, shape and detail, in the order of these.
    pub(crate) fn groups(&self) -> Vec<RowGroup> {
        let columns = [
            &self.columns.color,
            &self.columns.shape,
            &self.columns.detail,
        ];
        let keys: Vec<&ChannelColumn> = columns
            .into_iter()
            .flatten()
            .filter(|column| column.is_category())
            .collect();
        if keys.is_empty() {
            return vec![RowGroup {
                first: self
                    .rows
                    .map_or(0, |rows| rows.first().copied().unwrap_or(0)),
                rows: self.rows.map(<[u32]>::to_vec),
            }];
        }
        if let ([only], None) = (keys.as_slice(), self.rows) {
            // The usual case, and that of many rows.
            let mut members: Vec<Vec<u32>> = vec![Vec::new(); only.levels.len()];
            for (row, value) in only
                .values
                .iter()
                .enumerate()
                .filter(|(_, value)| value.is_finite())
            {
                members[*value as usize].push(row as u32);
            }
            let groups = members.into_iter().filter(|rows| !rows.is_empty());
            return groups
                .map(|rows| RowGroup {
                    first: rows[0],
                    rows: Some(rows),
                })
                .collect();
        }
        let mut members: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for row in self.row_list() {
            let key: Vec<u32> = keys
                .iter()
                .map(|column| column.values[row as usize] as u32)
                .collect();
            if keys
                .iter()
                .all(|column| column.values[row as usize].is_finite())
            {
                members.entry(key).or_default().push(row);
            }
        }
        members
            .into_values()
            .map(|rows| RowGroup {
                first: rows[0],
                rows: Some(rows),
            })
            .collect()
    }

    pub(crate) fn opacity(&self, otherwise: f64) -> f64 {
        self.style.opacity.unwrap_or(otherwise)
    }

    pub(crate) fn missing_channel(&self, channel: &str) -> PlotError {
        PlotError::MissingChannel {
            place: format!("{}/encoding", self.layer.place),
            mark: self.layer.mark.name().to_owned(),
            channel: channel.to_owned(),
        }
    }
}

/// Rows that belong together.
#[derive(Debug, Clone)]
pub(crate) struct RowGroup {
    pub(crate) first: u32,
    pub(crate) rows: Option<Vec<u32>>,
}

impl RowGroup {
    pub(crate) fn list(&self, all: usize) -> Vec<u32> {
        self.rows
            .clone()
            .unwrap_or_else(|| (0..all as u32).collect())
    }
}
