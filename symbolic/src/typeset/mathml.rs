//! Formulas as presentation MathML (MathML Core).

use super::node::{FormulaNode, FormulaSymbol, MatrixColumns, SymbolClass};

/// A formula as one `math` element; `latex` is its annotation.
pub fn formula_mathml(formula: &FormulaNode, latex: &str) -> String {
    let mut text = String::from(
        "<math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"block\"><semantics><mrow>",
    );
    write_element(formula, &mut text);
    text.push_str("</mrow><annotation encoding=\"application/x-tex\">");
    escape(latex, &mut text);
    text.push_str("</annotation></semantics></math>");
    text
}

fn escape(raw: &str, text: &mut String) {
    for letter in raw.chars() {
        match letter {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            other if other.is_control() => text.push(' '),
            other => text.push(other),
        }
    }
}

fn element(name: &str, children: &[&FormulaNode], text: &mut String) {
    text.push('<');
    text.push_str(name);
    text.push('>');
    for child in children {
        text.push_str("<mrow>");
        write_element(child, text);
        text.push_str("</mrow>");
    }
    text.push_str("</");
    text.push_str(name.split(' ').next().unwrap_or(name));
    text.push('>');
}

fn write_token(name: &str, content: &str, text: &mut String) {
    text.push('<');
    text.push_str(name);
    text.push('>');
    escape(content, text);
    text.push_str("</");
    text.push_str(name.split(' ').next().unwrap_or(name));
    text.push('>');
}

fn write_symbol(symbol: &FormulaSymbol, text: &mut String) {
    let is_number = symbol
        .text
        .chars()
        .all(|letter| letter.is_ascii_digit() || letter == '.');
    let name = match symbol.class {
        SymbolClass::Ordinary if is_number => "mn",
        SymbolClass::Ordinary if symbol.is_upright && symbol.text.chars().count() == 1 => {
            "mi mathvariant=\"normal\""
        }
        SymbolClass::Ordinary | SymbolClass::Function => "mi",
        SymbolClass::Word => "mtext",
        SymbolClass::Large if symbol.has_limits => "mo movablelimits=\"false\"",
        SymbolClass::Open | SymbolClass::Close => "mo stretchy=\"false\"",
        _ => "mo",
    };
    write_token(name, &symbol.text, text);
}

fn write_element(node: &FormulaNode, text: &mut String) {
    match node {
        FormulaNode::Row(parts) => parts.iter().for_each(|part| write_element(part, text)),
        FormulaNode::Symbol(symbol) => write_symbol(symbol, text),
        FormulaNode::Space(width) => {
            let ems = f64::from(*width) / 18.0;
            text.push_str(&format!("<mspace width=\"{ems:.3}em\"/>"));
        }
        FormulaNode::Fraction {
            numerator,
            denominator,
            has_line,
        } => {
            let name = if *has_line {
                "mfrac"
            } else {
                "mfrac linethickness=\"0\""
            };
            element(name, &[numerator, denominator], text);
        }
        FormulaNode::Root {
            degree: Some(degree),
            body,
        } => element("mroot", &[body, degree], text),
        FormulaNode::Root { degree: None, body } => element("msqrt", &[body], text),
        FormulaNode::Scripts {
            base,
            below,
            above,
            are_limits,
        } => {
            let (both, down, up) = match are_limits {
                true => ("munderover", "munder", "mover"),
                false => ("msubsup", "msub", "msup"),
            };
            match (below, above) {
                (Some(below), Some(above)) => element(both, &[base, below, above], text),
                (Some(below), None) => element(down, &[base, below], text),
                (None, Some(above)) => element(up, &[base, above], text),
                (None, None) => write_element(base, text),
            }
        }
        FormulaNode::Fenced { open, close, body } => {
            write_fence(open, "prefix", text);
            text.push_str("<mrow>");
            write_element(body, text);
            text.push_str("</mrow>");
            write_fence(close, "postfix", text);
        }
        FormulaNode::Matrix {
            rows,
            open,
            close,
            columns,
        } => {
            write_fence(open, "prefix", text);
            write_table(rows, *columns, text);
            write_fence(close, "postfix", text);
        }
        FormulaNode::Accent {
            mark,
            body,
            is_below,
            is_wide,
        } => {
            let (name, end) = match is_below {
                true => ("<munder accentunder=\"true\">", "</munder>"),
                false => ("<mover accent=\"true\">", "</mover>"),
            };
            text.push_str(name);
            text.push_str("<mrow>");
            write_element(body, text);
            text.push_str("</mrow>");
            let mark = match mark {
                '\u{302}' => "^",
                '\u{303}' => "~",
                '\u{304}' | '\u{305}' => "¯",
                '\u{307}' => "˙",
                '\u{308}' => "¨",
                '\u{20d7}' => "→",
                '\u{332}' => "_",
                '\u{30c}' => "ˇ",
                '\u{306}' => "˘",
                '\u{301}' => "´",
                '\u{300}' => "`",
                '\u{30a}' => "˚",
                '⏞' => "⏞",
                _ => "⏟",
            };
            let name = if *is_wide {
                "mo stretchy=\"true\""
            } else {
                "mo stretchy=\"false\""
            };
            write_token(name, mark, text);
            text.push_str(end);
        }
        FormulaNode::Boxed(body) => element(
            "mrow style=\"border: thin solid; padding: 0.2em\"",
            &[body],
            text,
        ),
        FormulaNode::Unknown(name) => write_token("merror", name, text),
    }
}

fn write_fence(sign: &str, form: &str, text: &mut String) {
    if !sign.is_empty() {
        write_token(&format!("mo form=\"{form}\" stretchy=\"true\""), sign, text);
    }
}

fn write_table(rows: &[Vec<FormulaNode>], columns: MatrixColumns, text: &mut String) {
    text.push_str("<mtable>");
    for row in rows {
        text.push_str("<mtr>");
        for (column, cell) in row.iter().enumerate() {
            let align = match columns {
                MatrixColumns::Centred => "center",
                MatrixColumns::Equations if column % 2 == 0 => "right",
                _ => "left",
            };
            text.push_str(&format!("<mtd style=\"text-align: {align}\">"));
            write_element(cell, text);
            text.push_str("</mtd>");
        }
        text.push_str("</mtr>");
    }
    text.push_str("</mtable>");
}
