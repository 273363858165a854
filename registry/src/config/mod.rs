//! The configuration.

/// Limits of every call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest request and largest file loaded for an argument, in bytes.
    pub max_input_bytes: u64,
    /// Longest run in milliseconds.
    pub timeout_ms: u64,
    /// Largest result of a direct call, in bytes of JSON.
    pub max_output_bytes: u64,
    /// Memory that input can size, in bytes, per call.
    pub memory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_input_bytes: 256 << 20,
            timeout_ms: 60_000,
            max_output_bytes: 1 << 20,
            memory_bytes: 8 << 30,
        }
    }
}

/// The configuration.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// Limits.
    pub limits: Limits,
}
