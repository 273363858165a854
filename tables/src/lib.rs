//! Tables: named columns as shared blocks in Arrow's layout, their readers and writers, and the operations on them.
//!
//! One set of rules holds everywhere. A missing cell is last in both directions of an order, joins nothing, and is a group of its own; ties
//! take the lowest rank; a rolling value of n cells needs n cells; NaN is missing. Sums, means, variances and correlations are correctly
//! rounded ([`exact_sum`]), so that neither the order of rows nor threads change a bit. Start with [`DataTable`].

mod aggregate;
mod cell;
mod column;
mod describe;
mod error;
pub mod exact_sum;
mod group;
mod join;
mod keys;
mod moment;
mod order;
pub mod read;
mod reshape;
mod select;
mod shared;
mod stack;
mod table;
mod window;
mod write;

pub use aggregate::{AggregateFunction, quantile_of_sorted};
pub use cell::{DecimalNumber, MomentCell, TableCell};
pub use column::{
    ColumnType, NO_ROW, PlainCell, PlainColumn, TableColumn, TextColumn, TextColumnBuilder,
};
pub use describe::{
    BINS, CORRELATED_MAX, ColumnDescription, CorrelationTable, NumberDescription, QUANTILES,
    TOP_VALUES, ValueCount,
};
pub use error::{StopCheck, TableError};
pub use group::AggregateColumn;
pub use join::{ColumnPair, JOIN_ROWS_MAX, JoinKeys, JoinKind, NearestDirection, NearestKey};
pub use moment::{
    CalendarDate, ParsedMoment, find_zone, format_date, format_moment, parse_date, parse_moment,
};
pub use order::{SortKey, order_rows};
pub use read::{FileForm, ReadLimits, ReadOptions, TableFormat, TableRead, read_table};
pub use reshape::{MeltPlan, PIVOT_CELLS_MAX, PivotPlan};
pub use stack::{StackedTable, TablePart};
pub use table::{COLUMNS_MAX, DataTable, ROWS_MAX, check_column_count};
pub use window::{WindowFrame, WindowFunction};
pub use write::{record_batch, write_table};

#[cfg(test)]
mod tests;
