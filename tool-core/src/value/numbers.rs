//! [`Numbers`]: a regular block of doubles, shared.

use std::fmt;
use std::sync::Arc;

use super::Value;

/// A regular block of doubles, row-major: a view of shared data with a shape.
#[derive(Clone)]
pub struct Numbers {
    data: Arc<Vec<f64>>,
    offset: usize,
    shape: Vec<usize>,
    integral: bool,
}

impl fmt::Debug for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Numbers({:?})", self.shape)
    }
}

impl Numbers {
    /// A vector; `integral` says that every element was spelled as an integer (it is written back that way).
    pub fn vector(data: Vec<f64>, integral: bool) -> Self {
        let shape = vec![data.len()];
        Self {
            data: Arc::new(data),
            offset: 0,
            shape,
            integral,
        }
    }

    /// A block of the given shape, row-major; `None` when the shape does not hold exactly the data or is empty.
    pub fn new(shape: Vec<usize>, data: Vec<f64>, integral: bool) -> Option<Self> {
        let expected = shape
            .iter()
            .try_fold(1_usize, |product, &extent| product.checked_mul(extent))?;
        (expected == data.len() && expected > 0 && !shape.is_empty()).then(|| Self {
            data: Arc::new(data),
            offset: 0,
            shape,
            integral,
        })
    }

    /// Extents, outermost first; every extent is at least 1.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Number of dimensions, at least 1.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Length of the outermost dimension.
    pub fn len(&self) -> usize {
        self.shape[0]
    }

    /// Always false: an empty array is `Value::Array`.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether every element is an integer and is written as one.
    pub fn integral(&self) -> bool {
        self.integral
    }

    /// All elements, row-major.
    pub fn as_slice(&self) -> &[f64] {
        let count: usize = self.shape.iter().product();
        &self.data[self.offset..self.offset + count]
    }

    /// The element at an index: a number for rank 1, a view of the sub-block otherwise.
    pub fn get(&self, index: usize) -> Option<Value> {
        if index >= self.len() {
            return None;
        }
        if self.rank() == 1 {
            return Some(self.scalar(self.data[self.offset + index]));
        }
        let stride: usize = self.shape[1..].iter().product();
        Some(Value::Numbers(Self {
            data: Arc::clone(&self.data),
            offset: self.offset + index * stride,
            shape: self.shape[1..].to_vec(),
            integral: self.integral,
        }))
    }

    fn scalar(&self, value: f64) -> Value {
        if self.integral {
            Value::Int(value as i64)
        } else {
            Value::Float(value)
        }
    }

    /// The elements as a shared buffer, without copying when the view covers it whole.
    pub fn into_shared(self) -> Arc<Vec<f64>> {
        let count: usize = self.shape.iter().product();
        if self.offset == 0 && count == self.data.len() {
            self.data
        } else {
            Arc::new(self.as_slice().to_vec())
        }
    }

    /// A view with the given shape over shared data.
    pub fn from_shared(data: Arc<Vec<f64>>, shape: Vec<usize>) -> Option<Self> {
        let expected = shape
            .iter()
            .try_fold(1_usize, |product, &extent| product.checked_mul(extent))?;
        (expected == data.len() && expected > 0 && !shape.is_empty()).then_some(Self {
            data,
            offset: 0,
            shape,
            integral: false,
        })
    }
}
