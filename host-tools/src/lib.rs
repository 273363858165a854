//! Tools with effects on the host, and the capabilities behind them.
pub mod workspace;

pub use workspace::Workspace;
