//! The vector functions as a caller sees them: accuracy, the same bits on every path, and special values.

mod vector_accuracy;
mod vector_bits;
mod vector_special;
