use proptest::prelude::*;

use crate::input::{Input, Matrix};
use crate::npy::{encode_npy_arrays, from_value, parse_npy, write_npy};
use crate::value::{Numbers, Value};
use crate::{Vector, convert};

fn arrays() -> impl Strategy<Value = Numbers> {
    prop::collection::vec(1..6_usize, 1..4).prop_flat_map(|shape| {
        let count = shape.iter().product::<usize>();
        prop::collection::vec(any::<f64>(), count)
            .prop_map(move |data| Numbers::new(shape.clone(), data, false).unwrap())
    })
}

proptest! {
    #[test]
    fn a_written_array_reads_back_bit_by_bit(array in arrays()) {
        let bytes = write_npy(&array);
        prop_assert_eq!((bytes.len() - 8 * array.as_slice().len()) % 64, 0);
        let Value::Numbers(found) = parse_npy(&bytes).unwrap() else { panic!("not an array") };
        prop_assert_eq!(found.shape(), array.shape());
        let bits = |array: &Numbers| array.as_slice().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&found), bits(&array));
        let Some(Ok(Value::Numbers(found))) = from_value(&encode_npy_arrays(&Value::Numbers(array.clone()), 0)) else { panic!("not an array") };
        prop_assert_eq!(bits(&found), bits(&array));
    }
}

#[test]
fn the_header_is_the_one_that_numpy_writes() {
    let bytes = write_npy(&Numbers::vector(vec![1.0, 2.0], false));
    let header = "\u{1}\0v\0{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }";
    assert_eq!(&bytes[..6], b"\x93NUMPY");
    assert_eq!(&bytes[6..6 + header.len()], header.as_bytes());
    assert_eq!((bytes[127], bytes.len()), (b'\n', 128 + 16));
}

#[test]
fn long_arrays_anywhere_in_a_value_are_encoded() {
    let value = Value::object([
        ("long", Value::vector(vec![0.5; 64])),
        ("short", Value::vector(vec![0.5; 63])),
        (
            "list",
            Value::array(vec![Value::from("a"), Value::vector(vec![1.5; 100])]),
        ),
    ]);
    let found = encode_npy_arrays(&value, 64);
    assert!(found.pointer("/long/$npy").is_some());
    assert!(found.pointer("/list/1/$npy").is_some());
    assert_eq!(found.get("short"), value.get("short"));
}

#[test]
fn arguments_take_them() {
    let matrix = Value::Numbers(
        Numbers::new(vec![2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], false).unwrap(),
    );
    let Input::Inline(found) =
        convert::from_value::<Input<Matrix>>(&encode_npy_arrays(&matrix, 0)).unwrap()
    else {
        panic!("not inline");
    };
    assert_eq!(
        (found.rows(), found.columns(), found.row(1)),
        (2, 3, &[4.0, 5.0, 6.0][..])
    );
    let nan = encode_npy_arrays(&Value::vector(vec![1.0, f64::NAN]), 0);
    for (value, expected) in [
        (encode_npy_arrays(&matrix, 0), "flat list"),
        (nan, "finite"),
        (Value::object([("$npy", "no base64!")]), "no base64"),
        (
            Value::object([("$npy", "AAAA")]),
            "does not begin as an .npy file",
        ),
    ] {
        let err = convert::from_value::<Input<Vector>>(&value).unwrap_err();
        assert!(format!("{err:?}").contains(expected), "{err:?}");
    }
}
