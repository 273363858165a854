//! Signals: discrete Fourier transforms and spectra, convolution, recursive filters.
//!
//! Start with [`transform`], [`spectrum`] and [`filter::FilterCascade`]. Samples are equally spaced; frequencies are in cycles per sample unless
//! a rate is given. Transforms use the vector instructions of the processor: their last digits depend on which it has, never on threads.

pub mod convolve;
pub mod design;
pub mod filter;
pub mod lobe;
pub mod peaks;
pub mod spectrum;
pub mod transform;
pub mod window;

#[cfg(test)]
mod tests;

pub use rustfft::num_complex::Complex64;
