//! What a caller sees: differential equations; the vector functions with their accuracy, the same bits on every path, and special values.

mod equations;
mod vector_accuracy;
mod vector_bits;
mod vector_special;
