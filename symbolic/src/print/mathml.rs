//! Presentation MathML.

use super::{reading_order, split_fraction, split_sign};
use crate::greek::greek_sign;
use crate::tree::{Expr, ExprNode, MathFunction};

/// The MathML of an expression, as one `math` element.
pub fn write_mathml(expr: &Expr) -> String {
    format!(
        r#"<math xmlns="http://www.w3.org/1998/Math/MathML">{}</math>"#,
        element(expr)
    )
}

fn row(inside: &str) -> String {
    format!("<mrow>{inside}</mrow>")
}

fn bracketed(inside: &str) -> String {
    row(&format!("<mo>(</mo>{inside}<mo>)</mo>"))
}

fn operator(sign: &str) -> String {
    let sign = match sign {
        "<" => "&lt;",
        ">" => "&gt;",
        other => other,
    };
    format!("<mo>{sign}</mo>")
}

fn factor(expr: &Expr) -> String {
    match expr.node() {
        ExprNode::Sum(_) | ExprNode::Relation(..) => bracketed(&element(expr)),
        _ if split_sign(expr).0 => bracketed(&element(expr)),
        _ => element(expr),
    }
}

fn element(expr: &Expr) -> String {
    match expr.node() {
        ExprNode::Poisoned(_) => "<mtext>undefined</mtext>".to_owned(),
        ExprNode::Number(value) if value.is_integer() && !expr.is_negative_number() => {
            format!("<mn>{value}</mn>")
        }
        ExprNode::Constant(_) => format!("<mi>{}</mi>", super::write_unicode(expr)),
        ExprNode::Symbol(symbol) => match symbol.name.split_once('_') {
            Some((stem, index)) => format!(
                "<msub><mi>{}</mi><mi>{}</mi></msub>",
                greek_sign(stem),
                greek_sign(index)
            ),
            None => format!("<mi>{}</mi>", greek_sign(&symbol.name)),
        },
        ExprNode::Sum(terms) => {
            let mut inside = String::new();
            for (place, term) in reading_order(terms).iter().enumerate() {
                let (is_negative, size) = split_sign(term);
                match (place, is_negative) {
                    (0, false) => {}
                    (_, true) => inside.push_str(&operator("−")),
                    (_, false) => inside.push_str(&operator("+")),
                }
                inside.push_str(&factor(&size));
            }
            row(&inside)
        }
        ExprNode::Number(_) | ExprNode::Product(_) => product(expr),
        ExprNode::Power(base, exponent) => power(expr, base, exponent),
        ExprNode::Call(function, arguments) => call(function, arguments),
        ExprNode::Relation(..) => {
            let (a, b) = match expr.parts().as_slice() {
                [a, b] => (element(a), element(b)),
                _ => (String::new(), String::new()),
            };
            let text = super::write_unicode(expr);
            let sign = ["≤", "≥", "≠", "<", ">", "="]
                .into_iter()
                .find(|sign| text.contains(sign))
                .unwrap_or("=");
            row(&format!("{a}{}{b}", operator(sign)))
        }
    }
}

fn product(expr: &Expr) -> String {
    let (is_negative, size) = split_sign(expr);
    let (top, bottom) = split_fraction(&size);
    let join = |factors: &[Expr]| {
        factors
            .iter()
            .map(factor)
            .collect::<Vec<_>>()
            .join("<mo>&#x2062;</mo>")
    };
    let above = match top.is_empty() {
        true => "<mn>1</mn>".to_owned(),
        false => join(&top),
    };
    let text = match bottom.is_empty() {
        true => above,
        false => format!("<mfrac>{}{}</mfrac>", row(&above), row(&join(&bottom))),
    };
    match is_negative {
        true => row(&format!("{}{text}", operator("−"))),
        false => row(&text),
    }
}

fn power(expr: &Expr, base: &Expr, exponent: &Expr) -> String {
    if let Some(exponent) = expr.as_exponential() {
        return format!("<msup><mi>e</mi>{}</msup>", row(&element(exponent)));
    }
    if let Some(part) = exponent.as_number() {
        if exponent.is_negative_number() {
            return format!(
                "<mfrac><mn>1</mn>{}</mfrac>",
                row(&element(&base.pow(&-exponent)))
            );
        }
        if *part.numer() == 1.into() {
            return match *part.denom() == 2.into() {
                true => format!("<msqrt>{}</msqrt>", element(base)),
                false => format!(
                    "<mroot>{}<mn>{}</mn></mroot>",
                    row(&element(base)),
                    part.denom()
                ),
            };
        }
    }
    let inside = match base.parts().is_empty() && !base.is_negative_number() {
        true => element(base),
        false => bracketed(&element(base)),
    };
    format!("<msup>{inside}{}</msup>", row(&element(exponent)))
}

fn call(function: &MathFunction, arguments: &[Expr]) -> String {
    let parts: Vec<String> = arguments.iter().map(element).collect();
    match function {
        MathFunction::Abs => row(&format!("<mo>|</mo>{}<mo>|</mo>", parts.join(""))),
        MathFunction::MatrixOf => {
            let rows: String = parts
                .iter()
                .map(|part| format!("<mtr>{part}</mtr>"))
                .collect();
            row(&format!("<mo>(</mo><mtable>{rows}</mtable><mo>)</mo>"))
        }
        MathFunction::Row => parts
            .iter()
            .map(|part| format!("<mtd>{part}</mtd>"))
            .collect(),
        _ => row(&format!(
            "<mi>{}</mi>{}",
            function.name(),
            bracketed(&parts.join("<mo>,</mo>"))
        )),
    }
}
