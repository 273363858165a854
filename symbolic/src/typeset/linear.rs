//! Formulas in one line, with the brackets that the line needs.

use super::node::{FormulaNode, SymbolClass, class_in_row, space_between};
use super::scripts::{is_atom, is_factor, lowered, plain_letters, raised};
use super::text_layout::{TextAlphabet, ascii_symbol};

/// A formula as one line: `(x³)/(eˣ − 1)`; of matrices rows are separated by `;`.
pub fn formula_line(formula: &FormulaNode, alphabet: TextAlphabet) -> String {
    let line = LinearForm {
        is_ascii: alphabet == TextAlphabet::Ascii,
    }
    .write(formula);
    line.trim().to_owned()
}

struct LinearForm {
    is_ascii: bool,
}

impl LinearForm {
    fn write(&self, node: &FormulaNode) -> String {
        match node {
            FormulaNode::Row(parts) => self.row(parts),
            FormulaNode::Symbol(symbol) => match self.is_ascii {
                true => ascii_symbol(&symbol.text),
                false => symbol.text.clone(),
            },
            FormulaNode::Space(width) => if *width > 0 { " " } else { "" }.to_owned(),
            FormulaNode::Fraction {
                numerator,
                denominator,
                has_line,
            } => {
                let (above, below) = (self.factor(numerator), self.factor(denominator));
                match has_line {
                    true => format!("{above}/{below}"),
                    false => format!(
                        "{} choose {}",
                        self.write(numerator),
                        self.write(denominator)
                    ),
                }
            }
            FormulaNode::Root { degree, body } => self.root(degree.as_deref(), body),
            FormulaNode::Scripts {
                base, below, above, ..
            } => self.scripts(base, below.as_deref(), above.as_deref()),
            FormulaNode::Fenced { open, close, body } => {
                format!(
                    "{}{}{}",
                    self.sign(open),
                    self.write(body),
                    self.sign(close)
                )
            }
            FormulaNode::Matrix {
                rows, open, close, ..
            } => {
                let cell = |cell: &FormulaNode| self.write(cell).trim().to_owned();
                let is_bare = open.is_empty() && close.is_empty();
                let separator = if is_bare { " " } else { ", " };
                let row = |row: &Vec<FormulaNode>| {
                    row.iter().map(cell).collect::<Vec<_>>().join(separator)
                };
                let rows: Vec<String> = rows.iter().map(row).collect();
                let close = if open == "{" && close.is_empty() {
                    "}"
                } else {
                    close.as_str()
                };
                format!("{}{}{}", self.sign(open), rows.join("; "), self.sign(close))
            }
            FormulaNode::Accent { mark, body, .. } => self.accent(*mark, body),
            FormulaNode::Boxed(body) => format!("[{}]", self.write(body)),
            FormulaNode::Unknown(name) => name.clone(),
        }
    }

    fn sign(&self, sign: &str) -> String {
        match self.is_ascii {
            true => ascii_symbol(sign),
            false => sign.to_owned(),
        }
    }

    fn row(&self, parts: &[FormulaNode]) -> String {
        let mut line = String::new();
        let mut before: Option<SymbolClass> = None;
        for (index, part) in parts.iter().enumerate() {
            let class = class_in_row(parts, index);
            // `sin x/2` would be half the sine.
            let is_argument = before == Some(SymbolClass::Function)
                && matches!(part, FormulaNode::Fraction { .. });
            let text = match is_argument {
                true => format!("({})", self.write(part)),
                false => self.write(part),
            };
            let is_space = matches!(part, FormulaNode::Space(_));
            let space = before.map_or(0, |left| space_between(left, class));
            let names = self.is_ascii
                && ends_with_name(&line)
                && text.starts_with(|letter: char| letter.is_ascii_alphanumeric());
            let is_fraction = |part: &FormulaNode| matches!(part, FormulaNode::Fraction { .. });
            let is_sign = index > 0 && parts[index - 1].class() == SymbolClass::Binary;
            // `k_B T`, not `k_BT`.
            let after_script = index > 0
                && matches!(parts[index - 1], FormulaNode::Scripts { .. })
                && line.ends_with(|letter: char| {
                    letter.is_ascii_alphanumeric() || ('α'..='ω').contains(&letter)
                })
                && text.starts_with(char::is_alphanumeric);
            let follows = index > 0 && !is_space && !is_sign && before.is_some();
            let is_factor_class = matches!(class, SymbolClass::Ordinary | SymbolClass::Open);
            let fractions = follows && is_fraction(part) && before == Some(SymbolClass::Ordinary)
                || follows && is_fraction(&parts[index - 1]) && is_factor_class;
            if !line.is_empty()
                && !line.ends_with(' ')
                && !is_space
                && (space > 0 || names || fractions || after_script || class == SymbolClass::Word)
            {
                line.push(' ');
            }
            if !(is_space && line.ends_with(' ')) {
                line.push_str(&text);
            }
            before = (!is_space).then_some(class);
        }
        line
    }

    /// An operand: in brackets, where it is no single factor.
    fn factor(&self, node: &FormulaNode) -> String {
        let text = self.write(node);
        match is_factor(node) {
            true => text,
            false => format!("({text})"),
        }
    }

    fn root(&self, degree: Option<&FormulaNode>, body: &FormulaNode) -> String {
        let inner = self.write(body);
        let inner = match is_atom(body) && !self.is_ascii {
            true => inner,
            false => format!("({inner})"),
        };
        let degree = degree.map(|degree| self.write(degree));
        match (degree.as_deref(), self.is_ascii) {
            (None, true) => format!("sqrt{inner}"),
            (None, false) => format!("√{inner}"),
            (Some("3"), false) => format!("∛{inner}"),
            (Some("4"), false) => format!("∜{inner}"),
            (Some(degree), true) => format!("root({degree}){inner}"),
            (Some(degree), false) => match raised(degree) {
                Some(raised) => format!("{raised}√{inner}"),
                None => format!("({degree})√{inner}"),
            },
        }
    }

    fn scripts(
        &self,
        base: &FormulaNode,
        below: Option<&FormulaNode>,
        above: Option<&FormulaNode>,
    ) -> String {
        let body = self.write(base);
        let is_named = matches!(
            base.class(),
            SymbolClass::Large | SymbolClass::Function | SymbolClass::Relation
        );
        let body = match is_atom(base) || is_named || base.is_empty() || base.as_symbol().is_some()
        {
            true => body,
            false => format!("({body})"),
        };
        let script = |node: Option<&FormulaNode>, map: fn(&str) -> Option<String>, sign: char| {
            let Some(node) = node else {
                return String::new();
            };
            let small = plain_letters(node)
                .filter(|_| !self.is_ascii)
                .and_then(|text| map(&text));
            small.unwrap_or_else(|| {
                let text = self.write(node);
                match is_atom(node) && text.chars().count() == 1 || plain_number(&text) {
                    true => format!("{sign}{text}"),
                    false => format!("{sign}({text})"),
                }
            })
        };
        let down = script(below, lowered, '_');
        let up = script(above, raised, '^');
        format!("{body}{down}{up}")
    }

    fn accent(&self, mark: char, body: &FormulaNode) -> String {
        let text = self.write(body);
        if !self.is_ascii && text.chars().count() == 1 && !"⏞⏟".contains(mark) {
            return format!("{text}{mark}");
        }
        let name = match mark {
            '\u{302}' => "hat",
            '\u{303}' => "tilde",
            '\u{307}' => "dot",
            '\u{308}' => "ddot",
            '\u{20d7}' => "vec",
            '\u{332}' => "underline",
            '⏞' | '⏟' => return text,
            _ => "bar",
        };
        format!("{name}({text})")
    }
}

fn plain_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit())
}

/// Whether a line ends with a name of several letters, which a letter behind it would lengthen.
fn ends_with_name(line: &str) -> bool {
    let letters = line
        .chars()
        .rev()
        .take(2)
        .take_while(char::is_ascii_alphabetic)
        .count();
    letters > 1
}
