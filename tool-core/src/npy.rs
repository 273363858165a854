//! NumPy's array files, format versions 1 to 3, as NumPy's own `format.py` describes them; and arrays in JSON as the base64 of
//! such a file, `{"$npy": "..."}`.
//!
//! A parser of our own instead of `ndarray-npy`: the header is one line of three known keys, and `ndarray-npy` would bring
//! `ndarray` and a general parser of Python literals into this crate for it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::json;
use crate::value::{Numbers, Object, SAFE_INTEGER, Value};

/// The key of an array in base64.
pub const KEY: &str = "$npy";

/// A fault in a file of numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NpyFault {
    /// The fault.
    pub message: String,
    /// Hint.
    pub hint: &'static str,
}

impl NpyFault {
    /// A fault with a hint.
    pub fn new(message: impl Into<String>, hint: &'static str) -> Self {
        Self {
            message: message.into(),
            hint,
        }
    }
}

const MAGIC: &[u8] = b"\x93NUMPY";
/// Maximum header length in bytes; headers of numeric arrays have 128.
const HEADER_MAX: usize = 4096;
/// Maximum number of dimensions, as for arrays in requests.
const RANK_MAX: usize = 8;

const FORMAT_HINT: &str = "write it with `numpy.save(path, array)`";

/// The bytes of a file: version 1, little-endian doubles, row-major.
pub fn write_npy(numbers: &Numbers) -> Vec<u8> {
    let mut bytes = npy_header(numbers.shape());
    let data = numbers.as_slice();
    bytes.reserve_exact(size_of_val(data));
    bytes.extend(data.iter().flat_map(|number| number.to_le_bytes()));
    bytes
}

/// The bytes before the elements: magic, version and the description of little-endian doubles, row-major.
pub fn npy_header(shape: &[usize]) -> Vec<u8> {
    /// The data begins at a multiple of this.
    const ALIGNMENT: usize = 64;
    let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if extents.len() == 1 { "," } else { "" };
    let shape = extents.join(", ");
    let mut header =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}{comma}), }}");
    let before = MAGIC.len() + 4;
    let end = (before + header.len() + 1).next_multiple_of(ALIGNMENT);
    header.push_str(&" ".repeat(end - before - header.len() - 1));
    header.push('\n');
    let length = u16::try_from(header.len()).expect("eight extents of twenty digits are short");
    let mut bytes = Vec::with_capacity(end);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&[1, 0]);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes
}

/// Reads `{"$npy": base64}`; `None` when the value is something else.
///
/// # Errors
/// Text that is not the base64 of an array file.
pub fn from_value(value: &Value) -> Option<Result<Value, NpyFault>> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    let text = object.get(KEY)?.as_str()?;
    let bytes = STANDARD.decode(text).map_err(|err| {
        NpyFault::new(
            format!("the text of `{KEY}` is no base64: {err}"),
            "encode the bytes of an .npy file in the standard alphabet, with padding and without line breaks",
        )
    });
    Some(bytes.and_then(|bytes| parse_npy(&bytes)))
}

/// The value with every array of at least `least` numbers as `{"$npy": base64}`.
pub fn encode_npy_arrays(value: &Value, least: usize) -> Value {
    match value {
        Value::Numbers(numbers) if numbers.as_slice().len() >= least => {
            Value::object([(KEY, STANDARD.encode(write_npy(numbers)))])
        }
        Value::Array(items) => Value::array(
            items
                .iter()
                .map(|item| encode_npy_arrays(item, least))
                .collect(),
        ),
        Value::Object(object) => {
            let mut copy = Object::new();
            for (key, member) in object.iter() {
                copy.insert(key, encode_npy_arrays(member, least));
            }
            Value::Object(copy.into())
        }
        other => other.clone(),
    }
}

/// The array, row-major; one without dimensions is a number, one without elements an empty list.
///
/// # Errors
/// Malformed files, elements that are not numbers, integers beyond 2^53.
pub fn parse_npy(bytes: &[u8]) -> Result<Value, NpyFault> {
    let (header, data) = split_npy(bytes)?;
    let header = NpyHeader::parse(header)?;
    let count = header
        .shape
        .iter()
        .try_fold(1_usize, |product, &extent| product.checked_mul(extent))
        .filter(|count| count.checked_mul(header.kind.width()) == Some(data.len()));
    if count.is_none() {
        return Err(NpyFault::new(
            format!(
                "the header declares {:?} elements of {} bytes, the file has {} bytes of data",
                header.shape,
                header.kind.width(),
                data.len()
            ),
            "the file is cut short or damaged: write it again",
        ));
    }
    let mut numbers = header.kind.read(data)?;
    if header.fortran {
        numbers = to_row_major(&numbers, &header.shape);
    }
    if header.shape.is_empty() {
        return Ok(Value::from(numbers[0]));
    }
    let integral = matches!(header.kind, NpyElementType::I4 | NpyElementType::I8);
    Ok(Numbers::new(header.shape, numbers, integral)
        .map_or_else(|| Value::array(Vec::new()), Value::Numbers))
}

/// Header text and data.
fn split_npy(bytes: &[u8]) -> Result<(&str, &[u8]), NpyFault> {
    let fault = |message: &str| NpyFault::new(message, FORMAT_HINT);
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or_else(|| fault("the file does not begin as an .npy file"))?;
    let (length, rest) = match rest {
        [1, _, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        [version, ..] if !(1..=3).contains(version) => {
            return Err(fault(&format!("format version {version} is not known")));
        }
        _ => return Err(fault("the header is cut short")),
    };
    if length > HEADER_MAX {
        return Err(fault(&format!(
            "a header of {length} bytes; the limit is {HEADER_MAX}"
        )));
    }
    let (header, data) = rest
        .split_at_checked(length)
        .ok_or_else(|| fault("the header is cut short"))?;
    let header = std::str::from_utf8(header).map_err(|_| fault("the header is not text"))?;
    Ok((header, data))
}

/// Supported element types, all little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NpyElementType {
    F4,
    F8,
    I4,
    I8,
}

impl NpyElementType {
    fn parse(text: &str) -> Result<Self, NpyFault> {
        match text {
            "<f4" => Ok(Self::F4),
            "<f8" => Ok(Self::F8),
            "<i4" => Ok(Self::I4),
            "<i8" => Ok(Self::I8),
            _ => Err(NpyFault::new(
                format!("elements of type `{text}`; expected `<f8`, `<f4`, `<i8` or `<i4`"),
                "convert it: `numpy.save(path, array.astype('<f8'))`",
            )),
        }
    }

    fn width(self) -> usize {
        match self {
            Self::F4 | Self::I4 => 4,
            Self::F8 | Self::I8 => 8,
        }
    }

    /// Every element as a double; exact, or an error.
    fn read(self, data: &[u8]) -> Result<Vec<f64>, NpyFault> {
        let fours = || data.as_chunks::<4>().0.iter().copied();
        let eights = || data.as_chunks::<8>().0.iter().copied();
        match self {
            Self::F4 => Ok(fours()
                .map(|bytes| f64::from(f32::from_le_bytes(bytes)))
                .collect()),
            Self::F8 => Ok(eights().map(f64::from_le_bytes).collect()),
            Self::I4 => Ok(fours()
                .map(|bytes| f64::from(i32::from_le_bytes(bytes)))
                .collect()),
            Self::I8 => eights()
                .map(i64::from_le_bytes)
                .enumerate()
                .map(|(index, value)| {
                    let exact = value.unsigned_abs() <= SAFE_INTEGER as u64;
                    exact.then_some(value as f64).ok_or_else(|| {
                        NpyFault::new(
                            format!(
                                "element {index} in the order of the file, {value}, is beyond 2^53"
                            ),
                            "scale or shift the values, or save them as `<f8` if rounding is meant",
                        )
                    })
                })
                .collect(),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct NpyHeader {
    kind: NpyElementType,
    fortran: bool,
    shape: Vec<usize>,
}

impl NpyHeader {
    /// Reads `{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }`; keys in any order. Such a literal is JSON but for
    /// its quotes, parentheses, spelling of truth and last commas; files written by Python 2 have a trailing `L` in numbers.
    fn parse(text: &str) -> Result<Self, NpyFault> {
        const JSON: [(&str, &str); 9] = [
            ("'", "\""),
            ("(", "["),
            (")", "]"),
            (":True", ":true"),
            (":False", ":false"),
            ("L,", ","),
            ("L]", "]"),
            (",]", "]"),
            (",}", "}"),
        ];
        let plain: String = text.split_whitespace().collect();
        let spelled = JSON
            .iter()
            .fold(plain, |text, (from, to)| text.replace(from, to));
        let fault = || {
            let message = "expected a header with `descr`, `fortran_order` and `shape`";
            NpyFault::new(message, FORMAT_HINT)
        };
        let header =
            json::parse_json(&spelled, json::JsonLimits::default()).map_err(|_| fault())?;
        let fields = header.as_object().filter(|fields| fields.len() == 3);
        let field = |key: &str| fields.and_then(|fields| fields.get(key)).ok_or_else(fault);
        let descr = field("descr")?;
        if descr.items().is_some() {
            return Err(NpyFault::new(
                "the elements are records; expected numbers of one type",
                "save one field: `numpy.save(path, array['field'])`",
            ));
        }
        let extents = field("shape")?.items().ok_or_else(fault)?;
        if extents.len() > RANK_MAX {
            return Err(NpyFault::new(
                format!("{} dimensions; the limit is {RANK_MAX}", extents.len()),
                "reshape the array",
            ));
        }
        let extent = |one: &Value| usize::try_from(one.as_i64()?).ok();
        Ok(Self {
            kind: NpyElementType::parse(descr.as_str().ok_or_else(fault)?)?,
            fortran: field("fortran_order")?.as_bool().ok_or_else(fault)?,
            shape: extents
                .iter()
                .map(extent)
                .collect::<Option<_>>()
                .ok_or_else(fault)?,
        })
    }
}

/// From first-index-fastest to last-index-fastest.
fn to_row_major(numbers: &[f64], shape: &[usize]) -> Vec<f64> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1;
    for extent in shape {
        strides.push(stride);
        stride *= extent;
    }
    let mut index = vec![0; shape.len()];
    let mut sorted = Vec::with_capacity(numbers.len());
    let mut place = 0;
    for _ in 0..numbers.len() {
        sorted.push(numbers[place]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            place += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            place -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
    }
    sorted
}
