//! From specification and data to marks in the units of the axes.

pub(crate) mod axes;
pub(crate) mod bars;
pub(crate) mod bounds;
pub(crate) mod columns;
pub(crate) mod composition;
pub(crate) mod context;
pub(crate) mod curves;
pub(crate) mod distributions;
pub(crate) mod guides;
pub(crate) mod heights;
pub(crate) mod layers;
pub(crate) mod marks;
pub(crate) mod panels;
pub(crate) mod plot;
pub(crate) mod prepared;
pub(crate) mod shared;
pub(crate) mod statistics;
