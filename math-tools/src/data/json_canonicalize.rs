//! JSON in its canonical form.

use tool_core::json;

use crate::prelude::*;

/// Writes JSON in the canonical form of RFC 8785 (JCS), in which equal values have equal bytes: members sorted by the UTF-16 units of their keys,
/// numbers as ECMAScript writes doubles, no spaces. It is what signatures and digests of JSON are made over.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The value: any JSON. Integers beyond 2^53 are refused, since the canonical form knows doubles alone.
    pub data: Input<Value>,
}

/// Canonical JSON.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The text.
    pub text: String,
    /// Its size in bytes.
    pub bytes: usize,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("json_canonicalize", "Write canonical JSON")
        .category(Category::Data)
        .tags(&["json", "convert"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "sorted keys and plain numbers":
            r#"{"data": {"b": 1.0, "a": [1e21, -0.0, 0.000001]}}"#
            => r#"{"text": "{\"a\":[1e+21,0,0.000001],\"b\":1}", "bytes": 30}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let data = args.data.load(ctx)?;
        ctx.reserve(data.memory_bytes())?;
        let mut text = String::new();
        write_canonical(&data, &mut text)?;
        Ok(Output {
            bytes: text.len(),
            text,
        })
    }
}

/// Appends a value; the depth is that of the value, which is limited where it is read.
fn write_canonical(value: &Value, out: &mut String) -> Result<(), ToolError> {
    match value {
        Value::Int(number) if tool_core::value::exact_double(*number).is_none() => {
            refuse!(invalid "/data", "json"; "the integer {number} is no double, which the canonical form needs";
                "write it as a text");
        }
        Value::Int(number) => out.push_str(&format_ecmascript(*number as f64)),
        Value::Float(number) => out.push_str(&format_ecmascript(*number)),
        Value::Object(object) => {
            let mut members: Vec<(&str, &Value)> = object.iter().collect();
            members.sort_by(|one, two| one.0.encode_utf16().cmp(two.0.encode_utf16()));
            out.push('{');
            for (index, (key, member)) in members.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&json::to_text(&Value::from(key)));
                out.push(':');
                write_canonical(member, out)?;
            }
            out.push('}');
        }
        Value::Array(_) | Value::Numbers(_) => {
            out.push('[');
            for (index, item) in value.items().unwrap_or_default().iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(item, out)?;
            }
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::String(_) => out.push_str(&json::to_text(value)),
    }
    Ok(())
}

/// A double as `Number.prototype.toString` of ECMAScript (ECMA-262, Number::toString) writes it, from its shortest digits.
fn format_ecmascript(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{:e}", number.abs());
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = digits.replace('.', "");
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    let count = digits.len() as i32;
    let sign = if number < 0.0 { "-" } else { "" };
    let zeros = |count: i32| "0".repeat(count.unsigned_abs() as usize);
    let body = match point {
        1..=21 if count <= point => format!("{digits}{}", zeros(point - count)),
        1..=21 => {
            let (whole, fraction) = digits.split_at(point as usize);
            format!("{whole}.{fraction}")
        }
        -5..=0 => format!("0.{}{digits}", zeros(point)),
        _ => {
            let (first, rest) = digits.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            let exponent = point - 1;
            format!("{first}{dot}{rest}e{exponent:+}")
        }
    };
    format!("{sign}{body}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8785, appendix B.
    #[test]
    fn numbers_of_the_appendix() {
        for (bits, expected) in [
            (0x0000_0000_0000_0000_u64, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        ] {
            assert_eq!(format_ecmascript(f64::from_bits(bits)), expected);
        }
    }

    /// RFC 8785, section 3.2.3: keys are compared by UTF-16 units.
    #[test]
    fn keys_are_in_the_order_of_their_units() {
        let value = Value::object(
            [
                "\u{20ac}",
                "\r",
                "\u{fb33}",
                "1",
                "\u{1f600}",
                "\u{80}",
                "\u{f6}",
            ]
            .map(|key| (key, 1_u64)),
        );
        let mut text = String::new();
        write_canonical(&value, &mut text).unwrap();
        let places = [
            "\\r",
            "\"1\"",
            "\u{80}",
            "\u{f6}",
            "\u{20ac}",
            "\u{1f600}",
            "\u{fb33}",
        ];
        let places: Vec<usize> = places.iter().map(|key| text.find(key).unwrap()).collect();
        assert!(places.is_sorted(), "{text}");
        assert!(write_canonical(&Value::Int(9_007_199_254_740_993), &mut text).is_err());
    }
}
