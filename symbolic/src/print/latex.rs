//! LaTeX.

use super::{reading_order, split_fraction, split_sign};
use crate::greek::is_greek_name;
use crate::tree::{Expr, ExprNode, MathConstant, MathFunction, RelationKind};

/// The LaTeX of an expression.
pub fn write_latex(expr: &Expr) -> String {
    match expr.node() {
        ExprNode::Poisoned(_) => r"\text{undefined}".to_owned(),
        ExprNode::Number(value) if value.is_integer() => value.to_string(),
        ExprNode::Number(_) => product(expr),
        ExprNode::Constant(constant) => constant_latex(*constant).to_owned(),
        ExprNode::Symbol(symbol) => symbol_latex(&symbol.name),
        ExprNode::Sum(terms) => sum(terms),
        ExprNode::Product(_) => product(expr),
        ExprNode::Power(base, exponent) => power(expr, base, exponent),
        ExprNode::Call(function, arguments) => call(function, arguments),
        ExprNode::Relation(kind, a, b) => format!(
            "{} {} {}",
            write_latex(a),
            relation_latex(*kind),
            write_latex(b)
        ),
    }
}

fn relation_latex(kind: RelationKind) -> &'static str {
    match kind {
        RelationKind::Equal => "=",
        RelationKind::Unequal => r"\ne",
        RelationKind::Less => "<",
        RelationKind::LessEqual => r"\le",
        RelationKind::Greater => ">",
        RelationKind::GreaterEqual => r"\ge",
    }
}

fn constant_latex(constant: MathConstant) -> &'static str {
    match constant {
        MathConstant::Pi => r"\pi",
        MathConstant::E => "e",
        MathConstant::I => "i",
        MathConstant::EulerGamma => r"\gamma",
        MathConstant::Infinity => r"\infty",
        MathConstant::MinusInfinity => r"-\infty",
    }
}

fn symbol_latex(name: &str) -> String {
    let (stem, index) = match name.split_once('_') {
        Some((stem, index)) => (stem, Some(index)),
        None => (name, None),
    };
    let stem = match (is_greek_name(stem), stem.chars().count()) {
        (true, _) => format!(r"\{stem}"),
        (false, 1) => stem.to_owned(),
        _ => format!(r"\mathrm{{{stem}}}"),
    };
    match index {
        Some(index) => format!("{stem}_{{{index}}}"),
        None => stem,
    }
}

fn bracketed(text: &str) -> String {
    format!(r"\left({text}\right)")
}

fn factor(expr: &Expr) -> String {
    let text = write_latex(expr);
    match expr.node() {
        ExprNode::Sum(_) | ExprNode::Relation(..) => bracketed(&text),
        _ if split_sign(expr).0 => bracketed(&text),
        _ => text,
    }
}

fn sum(terms: &[Expr]) -> String {
    let mut text = String::new();
    for (place, term) in reading_order(terms).iter().enumerate() {
        let (is_negative, size) = split_sign(term);
        text.push_str(match (place, is_negative) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        });
        text.push_str(&factor(&size));
    }
    text
}

/// Factors side by side, with a dot where a number would run into what precedes it.
fn join(factors: &[Expr]) -> String {
    let mut text = String::new();
    for (place, part) in factors.iter().enumerate() {
        let next = match factors.len() {
            1 => write_latex(part),
            _ => factor(part),
        };
        let is_digit = next.starts_with(|c: char| c.is_ascii_digit());
        if place > 0 {
            text.push_str(if is_digit { r" \cdot " } else { " " });
        }
        text.push_str(&next);
    }
    text
}

fn product(expr: &Expr) -> String {
    let (is_negative, size) = split_sign(expr);
    let (top, bottom) = split_fraction(&size);
    let sign = if is_negative { "-" } else { "" };
    let above = match top.as_slice() {
        [] => "1".to_owned(),
        [only] if bottom.is_empty() => factor(only),
        _ => join(&top),
    };
    match bottom.is_empty() {
        true => format!("{sign}{above}"),
        false => format!(r"{sign}\frac{{{above}}}{{{}}}", join(&bottom)),
    }
}

fn power(expr: &Expr, base: &Expr, exponent: &Expr) -> String {
    if let Some(exponent) = expr.as_exponential() {
        return format!("e^{{{}}}", write_latex(exponent));
    }
    if let Some(part) = exponent.as_number() {
        if exponent.is_negative_number() {
            return format!(r"\frac{{1}}{{{}}}", write_latex(&base.pow(&-exponent)));
        }
        if *part.numer() == 1.into() {
            let inside = write_latex(base);
            return match *part.denom() == 2.into() {
                true => format!(r"\sqrt{{{inside}}}"),
                false => format!(r"\sqrt[{}]{{{inside}}}", part.denom()),
            };
        }
    }
    let raised = write_latex(exponent);
    match base.as_call() {
        Some((function, [argument]))
            if is_circular(function) && exponent.as_integer().is_some() =>
        {
            format!(
                r"{}^{{{raised}}}{}",
                function_latex(function),
                bracketed(&write_latex(argument))
            )
        }
        _ => {
            let text = write_latex(base);
            let needs_bracket = match base.node() {
                ExprNode::Symbol(_) | ExprNode::Constant(_) | ExprNode::Call(..) => false,
                ExprNode::Number(value) => !value.is_integer() || base.is_negative_number(),
                _ => true,
            };
            match needs_bracket {
                true => format!("{}^{{{raised}}}", bracketed(&text)),
                false => format!("{text}^{{{raised}}}"),
            }
        }
    }
}

fn is_circular(function: &MathFunction) -> bool {
    use MathFunction as F;
    matches!(
        function,
        F::Sin | F::Cos | F::Tan | F::Cot | F::Sec | F::Csc | F::Sinh | F::Cosh | F::Tanh
    )
}

fn function_latex(function: &MathFunction) -> String {
    use MathFunction as F;
    match function {
        F::Sin
        | F::Cos
        | F::Tan
        | F::Cot
        | F::Sec
        | F::Csc
        | F::Sinh
        | F::Cosh
        | F::Tanh
        | F::Coth
        | F::Ln => format!(r"\{}", function.name()),
        F::Asin => r"\arcsin".to_owned(),
        F::Acos => r"\arccos".to_owned(),
        F::Atan => r"\arctan".to_owned(),
        F::Gamma => r"\Gamma".to_owned(),
        F::Zeta => r"\zeta".to_owned(),
        F::Named(name) if name.chars().count() == 1 => name.to_string(),
        F::ExpIntegral => r"\operatorname{Ei}".to_owned(),
        F::SinIntegral => r"\operatorname{Si}".to_owned(),
        F::CosIntegral => r"\operatorname{Ci}".to_owned(),
        F::LambertW => r"W".to_owned(),
        _ => format!(r"\operatorname{{{}}}", function.name()),
    }
}

fn call(function: &MathFunction, arguments: &[Expr]) -> String {
    use MathFunction as F;
    let texts: Vec<String> = arguments.iter().map(write_latex).collect();
    match (function, texts.as_slice()) {
        (F::Abs, [x]) => format!(r"\left|{x}\right|"),
        (F::Floor, [x]) => format!(r"\left\lfloor {x}\right\rfloor"),
        (F::Ceil, [x]) => format!(r"\left\lceil {x}\right\rceil"),
        (F::Factorial, [x]) => match arguments[0].parts().is_empty() {
            true => format!("{x}!"),
            false => format!("{}!", bracketed(x)),
        },
        (F::Integral, [f, x]) => format!(r"\int {f} \, d{x}"),
        (F::Integral, [f, x, a, b]) => format!(r"\int_{{{a}}}^{{{b}}} {f} \, d{x}"),
        (F::SumOver, [f, k, a, b]) => format!(r"\sum_{{{k}={a}}}^{{{b}}} {f}"),
        (F::Limit, [f, x, a, ..]) => format!(r"\lim_{{{x} \to {a}}} {f}"),
        (F::Derivative, [f, x, n]) if n == "1" => format!(r"\frac{{d}}{{d{x}}} {f}"),
        (F::Derivative, [f, x, n]) => format!(r"\frac{{d^{{{n}}}}}{{d{x}^{{{n}}}}} {f}"),
        (F::Row, cells) => cells.join(" & "),
        (F::MatrixOf, rows) => format!(r"\begin{{pmatrix}} {} \end{{pmatrix}}", rows.join(r" \\ ")),
        _ => format!(
            "{}{}",
            function_latex(function),
            bracketed(&texts.join(", "))
        ),
    }
}
