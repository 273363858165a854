//! The panels of a plot, and which rows belong to each.

use super::columns::{ChannelColumn, channel_title};
use super::layers::LayerColumns;
use super::prepared::PlotPanel;
use super::shared::SharedChannel;
use crate::error::PlotError;
use crate::limits::PANELS_MAX;
use crate::specification::{ChannelDefinition, FacetWrap, PlotSpecification};

/// Width of a panel of usual shape, divided by its height.
const PANEL_SHAPE: f64 = 1.3;

/// Panels in rows and columns.
#[derive(Debug, Clone, Default)]
pub(crate) struct PanelGrid {
    pub(crate) panels: Vec<PlotPanel>,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Titles of the rows; empty without a field for rows.
    pub(crate) row_titles: Vec<String>,
    /// Whether the panels of one field go on in the next row.
    is_wrapped: bool,
}

impl PanelGrid {
    /// The panels of a plot, without marks.
    pub(crate) fn new(
        plot: &PlotSpecification,
        columns: &[LayerColumns],
    ) -> Result<Self, PlotError> {
        let first = plot.layers.first();
        let titles = |channel: SharedChannel| -> Vec<String> {
            let column = columns.iter().find_map(|columns| channel.column(columns));
            let levels = column.map(|column| &*column.levels).unwrap_or_default();
            let definition = first.and_then(|layer| channel.definition(plot, layer));
            panel_titles(levels, definition)
        };
        let (down, across) = (titles(SharedChannel::Row), titles(SharedChannel::Column));
        let count = down.len().max(1) * across.len().max(1);
        if count > PANELS_MAX {
            return Err(PlotError::TooMany {
                place: "/encoding/facet".to_owned(),
                what: "panels".to_owned(),
                found: count,
                most: PANELS_MAX,
            });
        }
        Ok(match &plot.wrap {
            Some(wrap) => {
                let shape = f64::from(plot.width) / f64::from(plot.height);
                Self::wrapped(&across, wrap, shape)
            }
            None => Self::crossed(down, &across),
        })
    }

    /// Panels of one field, in as many rows as the shape of the picture suggests.
    fn wrapped(titles: &[String], wrap: &FacetWrap, shape: f64) -> Self {
        let count = titles.len().max(1);
        let automatic = libm::ceil(libm::sqrt(count as f64 * shape / PANEL_SHAPE)) as usize;
        // As many in the last row as in the others, where that is possible.
        let balanced = count.div_ceil(count.div_ceil(automatic.clamp(1, count)));
        let columns = wrap.columns.unwrap_or(balanced).clamp(1, count);
        let panels = titles.iter().enumerate().map(|(index, title)| PlotPanel {
            title: title.clone(),
            row: index / columns,
            column: index % columns,
            marks: Vec::new(),
        });
        Self {
            panels: panels.collect(),
            rows: count.div_ceil(columns),
            columns,
            row_titles: Vec::new(),
            is_wrapped: true,
        }
    }

    /// A panel for each pair of a row and a column.
    fn crossed(row_titles: Vec<String>, titles: &[String]) -> Self {
        let (rows, columns) = (row_titles.len().max(1), titles.len().max(1));
        let panel = |index: usize| {
            let (row, column) = (index / columns, index % columns);
            let title = titles.get(column).filter(|_| row == 0);
            PlotPanel {
                title: title.cloned().unwrap_or_default(),
                row,
                column,
                marks: Vec::new(),
            }
        };
        Self {
            panels: (0..rows * columns).map(panel).collect(),
            rows,
            columns,
            row_titles,
            is_wrapped: false,
        }
    }

    /// The rows of a layer that belong to a panel; `None` for all.
    pub(crate) fn rows_of(&self, panel: usize, columns: &LayerColumns) -> Option<Vec<u32>> {
        let (down, across) = (columns.panel_row.as_ref(), columns.panel_column.as_ref());
        if down.is_none() && across.is_none() {
            return None;
        }
        let panel = &self.panels[panel];
        let column = if self.is_wrapped {
            panel.row * self.columns + panel.column
        } else {
            panel.column
        };
        let is_in = |column: Option<&ChannelColumn>, level: usize, row: usize| {
            column.is_none_or(|column| column.values[row] == level as f64)
        };
        let rows = (0..columns.rows)
            .filter(|&row| is_in(down, panel.row, row) && is_in(across, column, row));
        Some(rows.map(|row| row as u32).collect())
    }
}

/// The names of panels: a number alone says little, so it gets the name of its field.
fn panel_titles(levels: &[String], channel: Option<&ChannelDefinition>) -> Vec<String> {
    let title = channel.map(channel_title).unwrap_or_default();
    let is_number = |level: &String| level.replace('−', "-").parse::<f64>().is_ok();
    let prefix = if !title.is_empty() && levels.iter().all(is_number) {
        format!("{title} ")
    } else {
        String::new()
    };
    levels
        .iter()
        .map(|level| format!("{prefix}{level}"))
        .collect()
}
