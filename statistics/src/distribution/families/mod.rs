//! The formulas of the families.

pub(super) mod beta;
pub(super) mod circular;
pub(super) mod closed;
pub(super) mod counts;
pub(super) mod discrete;
pub(super) mod gamma;
pub(super) mod noncentral;
pub(super) mod normal;
pub(super) mod symmetric;
