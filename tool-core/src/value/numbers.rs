//! [`Numbers`]: a regular block of doubles, shared.

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, OnceLock};

use super::Value;

/// A cached fact about a block, which is unwind safe.
pub type Note = Box<dyn Any + Send + Sync + UnwindSafe + RefUnwindSafe>;

/// Doubles in memory of another owner, such as an array of a host language. They stay where they are, unchanged, while it is held.
pub trait MemoryLender: Send + Sync + UnwindSafe + RefUnwindSafe {
    /// The doubles.
    fn doubles(&self) -> &[f64];
}

/// The memory of a block.
enum BlockMemory {
    Own(Vec<f64>),
    Lent(Box<dyn MemoryLender>),
}

impl Default for BlockMemory {
    fn default() -> Self {
        Self::Own(Vec::new())
    }
}

/// Shared doubles with cached facts.
#[derive(Default)]
pub struct NumberBlock {
    data: BlockMemory,
    is_finite: OnceLock<bool>,
    note: OnceLock<Note>,
}

impl NumberBlock {
    /// A block over the memory of another owner, without a copy.
    pub fn lent(lender: Box<dyn MemoryLender>) -> Self {
        Self {
            data: BlockMemory::Lent(lender),
            ..Self::default()
        }
    }

    /// Whether the memory has another owner.
    pub fn is_lent(&self) -> bool {
        matches!(self.data, BlockMemory::Lent(_))
    }

    /// The numbers: the allocation itself, or a copy of memory of another owner.
    pub fn into_vec(self) -> Vec<f64> {
        match self.data {
            BlockMemory::Own(data) => data,
            BlockMemory::Lent(lender) => lender.doubles().to_vec(),
        }
    }

    /// Whether all numbers are finite; computed once.
    pub fn is_finite(&self) -> bool {
        *self.is_finite.get_or_init(|| is_finite(self))
    }
}

impl Deref for NumberBlock {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match &self.data {
            BlockMemory::Own(data) => data,
            BlockMemory::Lent(lender) => lender.doubles(),
        }
    }
}

impl From<Vec<f64>> for NumberBlock {
    fn from(data: Vec<f64>) -> Self {
        Self {
            data: BlockMemory::Own(data),
            ..Self::default()
        }
    }
}

impl PartialEq for NumberBlock {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for NumberBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Checked in parts without branches, which is several times faster than stopping at each number.
fn is_finite(data: &[f64]) -> bool {
    const PART: usize = 64;
    let faulty = |part: &[f64]| {
        part.iter()
            .fold(false, |any, number| any | !number.is_finite())
    };
    !data.chunks(PART).any(faulty)
}

/// Whether a shape holds exactly so many elements, and at least one.
fn is_shape_of_count(shape: &[usize], count: usize) -> bool {
    let product = (shape.iter()).try_fold(1_usize, |product, &extent| product.checked_mul(extent));
    product == Some(count) && count > 0 && !shape.is_empty()
}

/// A regular block of doubles, row-major: a view of shared data with a shape.
#[derive(Clone)]
pub struct Numbers {
    data: Arc<NumberBlock>,
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
            data: Arc::new(data.into()),
            offset: 0,
            shape,
            integral,
        }
    }

    /// A block of the given shape, row-major; `None` when the shape does not hold exactly the data or is empty.
    pub fn new(shape: Vec<usize>, data: Vec<f64>, integral: bool) -> Option<Self> {
        is_shape_of_count(&shape, data.len()).then(|| Self {
            data: Arc::new(data.into()),
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

    /// Whether the view covers its block.
    fn is_whole(&self) -> bool {
        self.as_slice().len() == self.data.len()
    }

    /// Whether all elements are finite; computed once for a view of a whole block.
    pub fn is_finite(&self) -> bool {
        if self.is_whole() {
            self.data.is_finite()
        } else {
            is_finite(self.as_slice())
        }
    }

    /// A slot for a cached fact about the block, such as its name in a store; none for a part of a block.
    pub fn note(&self) -> Option<&OnceLock<Note>> {
        self.is_whole().then_some(&self.data.note)
    }

    /// The elements as a shared buffer, without copying when the view covers it whole.
    pub fn into_shared(self) -> Arc<NumberBlock> {
        if self.is_whole() {
            self.data
        } else {
            Arc::new(self.as_slice().to_vec().into())
        }
    }

    /// The same elements in another shape and spelling; `None` when the shape does not hold exactly them.
    pub fn reshaped(self, shape: Vec<usize>, integral: bool) -> Option<Self> {
        is_shape_of_count(&shape, self.as_slice().len()).then_some(Self {
            shape,
            integral,
            ..self
        })
    }

    /// A view with the given shape over shared data.
    pub fn from_shared(data: Arc<NumberBlock>, shape: Vec<usize>) -> Option<Self> {
        is_shape_of_count(&shape, data.len()).then_some(Self {
            data,
            offset: 0,
            shape,
            integral: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_block_are_looked_at_by_themselves() {
        let data = vec![1.0, 2.0, f64::NAN, 4.0];
        let whole = Numbers::new(vec![2, 2], data, false).unwrap();
        let rows: Vec<Numbers> = (0..2)
            .map(|row| whole.get(row).unwrap().as_numbers().unwrap().clone())
            .collect();
        assert!(!whole.is_finite());
        assert_eq!((rows[0].is_finite(), rows[1].is_finite()), (true, false));
        assert!(whole.note().is_some() && rows[0].note().is_none());
        assert_eq!(&rows[1].clone().into_shared()[1], &4.0);
    }

    #[test]
    fn a_block_of_another_owner_is_read_in_place_and_copied_when_taken() {
        struct Static(&'static [f64]);
        impl MemoryLender for Static {
            fn doubles(&self) -> &[f64] {
                self.0
            }
        }
        static DATA: [f64; 4] = [1.0, 2.0, 3.0, 4.0];
        let block = NumberBlock::lent(Box::new(Static(&DATA)));
        let matrix = Numbers::from_shared(Arc::new(block), vec![2, 2]).unwrap();
        assert_eq!(matrix.as_slice().as_ptr(), DATA.as_ptr());
        let (row, shared) = (matrix.get(1).unwrap(), matrix.into_shared());
        assert_eq!(row.as_numbers().unwrap().as_slice(), [3.0, 4.0]);
        assert!(shared.is_lent() && shared.is_finite());
        drop(row);
        let taken = Arc::into_inner(shared).unwrap().into_vec();
        assert_eq!(taken, DATA);
        assert_ne!(taken.as_ptr(), DATA.as_ptr());
    }

    #[test]
    fn a_shape_holds_exactly_the_elements() {
        let block = Numbers::vector(vec![1.0; 6], true);
        let shaped = |shape: &[usize]| block.clone().reshaped(shape.to_vec(), false);
        let matrix = shaped(&[2, 3]).unwrap();
        assert_eq!((matrix.shape(), matrix.integral()), (&[2, 3][..], false));
        for shape in [&[][..], &[4], &[0, 6], &[usize::MAX, 2, 3]] {
            assert!(shaped(shape).is_none(), "{shape:?}");
        }
    }
}
