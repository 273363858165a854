//! Commands with arguments, and environments.

use super::node::{FormulaNode, FormulaSymbol, MatrixColumns, SymbolClass};
use super::parser::{FormulaError, FormulaParser, RowEnd};
use super::symbols::{STYLES, accent_mark, command_symbol, styled_letter};
use super::tokens::LatexToken;

impl FormulaParser {
    /// What a command stands for; nothing for those that only change sizes.
    pub(super) fn command(&mut self, name: &str) -> Result<Option<FormulaNode>, FormulaError> {
        let of = format!("\\{name}");
        if let Some(symbol) = command_symbol(name) {
            return Ok(Some(FormulaNode::Symbol(symbol)));
        }
        if let Some(width) = space_width(name) {
            return Ok(Some(FormulaNode::Space(width)));
        }
        if let Some((mark, is_wide, is_below)) = accent_mark(name) {
            let body = Box::new(self.argument(&of)?);
            return Ok(Some(FormulaNode::Accent {
                mark,
                body,
                is_below,
                is_wide,
            }));
        }
        if STYLES.contains(&name) {
            let body = self.argument(&of)?;
            return Ok(Some(restyle(body, name)));
        }
        Ok(Some(match name {
            "frac" | "dfrac" | "tfrac" | "cfrac" | "binom" | "dbinom" | "tbinom" => {
                let numerator = Box::new(self.argument(&of)?);
                let denominator = Box::new(self.argument(&of)?);
                let has_line = name.ends_with("frac");
                let fraction = FormulaNode::Fraction {
                    numerator,
                    denominator,
                    has_line,
                };
                match has_line {
                    true => fraction,
                    false => fenced("(", ")", fraction),
                }
            }
            "sqrt" => {
                self.skip_blanks();
                let degree = match self.take_sign('[') {
                    true => Some(Box::new(self.row(&RowEnd::Bracket)?)),
                    false => None,
                };
                FormulaNode::Root {
                    degree,
                    body: Box::new(self.argument(&of)?),
                }
            }
            "left" => return self.fenced_part().map(Some),
            "begin" => return self.environment().map(Some),
            "text" | "textrm" | "textbf" | "textit" | "mbox" | "operatorname" | "textnormal" => {
                let text = self.raw_argument(&of)?;
                let is_function = name == "operatorname";
                let class = if is_function {
                    SymbolClass::Function
                } else {
                    SymbolClass::Word
                };
                FormulaNode::Symbol(FormulaSymbol {
                    text,
                    class,
                    is_upright: true,
                    has_limits: false,
                })
            }
            _ => return self.decorated(name),
        }))
    }

    /// Commands that put parts together, and those without a drawing.
    fn decorated(&mut self, name: &str) -> Result<Option<FormulaNode>, FormulaError> {
        let of = format!("\\{name}");
        Ok(Some(match name {
            "overset" | "stackrel" | "underset" => {
                let mark = Box::new(self.argument(&of)?);
                let base = Box::new(self.argument(&of)?);
                let (below, above) = if name == "underset" {
                    (Some(mark), None)
                } else {
                    (None, Some(mark))
                };
                FormulaNode::Scripts {
                    base,
                    below,
                    above,
                    are_limits: true,
                }
            }
            "xrightarrow" | "xleftarrow" => {
                let arrow = if name == "xrightarrow" { "⟶" } else { "⟵" };
                FormulaNode::Scripts {
                    base: Box::new(FormulaNode::symbol(arrow, SymbolClass::Relation)),
                    below: None,
                    above: Some(Box::new(self.argument(&of)?)),
                    are_limits: true,
                }
            }
            "boxed" => FormulaNode::Boxed(Box::new(self.argument(&of)?)),
            "tag" => {
                let text = self.raw_argument(&of)?;
                FormulaNode::Row(vec![
                    FormulaNode::Space(36),
                    FormulaNode::symbol(format!("({text})"), SymbolClass::Word),
                ])
            }
            "pmod" | "bmod" => return self.modulus(name).map(Some),
            "mod" => FormulaNode::Row(vec![
                FormulaNode::Space(8),
                FormulaNode::symbol("mod", SymbolClass::Word),
                FormulaNode::Space(6),
            ]),
            "not" => {
                let next = self.argument(&of)?;
                let text = next
                    .as_symbol()
                    .map(|symbol| negated(&symbol.text))
                    .unwrap_or_default();
                FormulaNode::symbol(text, SymbolClass::Relation)
            }
            "middle" => {
                let sign = self.delimiter(&of)?;
                FormulaNode::symbol(sign, SymbolClass::Relation)
            }
            "substack" => self.argument(&of)?,
            "phantom" | "hphantom" | "vphantom" | "label" | "hspace" | "color" => {
                self.raw_argument(&of)?;
                return Ok(None);
            }
            "big" | "Big" | "bigg" | "Bigg" | "bigl" | "bigr" | "Bigl" | "Bigr" | "biggl"
            | "biggr" | "Biggl" | "Biggr" | "displaystyle" | "textstyle" | "scriptstyle"
            | "limits" | "nolimits" | "nonumber" | "notag" | "hline" | "rm" | "bf" | "it"
            | "allowbreak" | "/" => return Ok(None),
            _ => {
                if !self.unknown.contains(&of) {
                    self.unknown.push(of.clone());
                }
                FormulaNode::Unknown(of)
            }
        }))
    }

    fn modulus(&mut self, name: &str) -> Result<FormulaNode, FormulaError> {
        if name == "bmod" {
            return Ok(FormulaNode::symbol("mod", SymbolClass::Binary));
        }
        let body = self.argument("\\pmod")?;
        let word = FormulaNode::symbol("mod", SymbolClass::Word);
        let inner = FormulaNode::Row(vec![word, FormulaNode::Space(6), body]);
        Ok(FormulaNode::Row(vec![
            FormulaNode::Space(10),
            fenced("(", ")", inner),
        ]))
    }

    /// The sign after `\left` or `\right`; empty for a point.
    fn delimiter(&mut self, of: &str) -> Result<String, FormulaError> {
        self.skip_blanks();
        let token = self.peek().cloned();
        self.at += 1;
        match token {
            Some(LatexToken::Sign('.')) => Ok(String::new()),
            Some(LatexToken::Sign('<')) => Ok("⟨".to_owned()),
            Some(LatexToken::Sign('>')) => Ok("⟩".to_owned()),
            Some(LatexToken::Sign(sign)) => Ok(sign.to_string()),
            Some(LatexToken::Command(name)) => command_symbol(&name)
                .map(|symbol| symbol.text)
                .ok_or_else(|| FormulaError::NoArgument(of.to_owned())),
            _ => Err(FormulaError::NoArgument(of.to_owned())),
        }
    }

    fn fenced_part(&mut self) -> Result<FormulaNode, FormulaError> {
        let open = self.delimiter("\\left")?;
        let body = Box::new(self.row(&RowEnd::Right)?);
        let close = self.delimiter("\\right")?;
        Ok(FormulaNode::Fenced { open, close, body })
    }

    fn environment(&mut self) -> Result<FormulaNode, FormulaError> {
        let name = self.name_argument("\\begin")?;
        let (open, close, columns) = match name.as_str() {
            "pmatrix" => ("(", ")", MatrixColumns::Centred),
            "bmatrix" => ("[", "]", MatrixColumns::Centred),
            "Bmatrix" => ("{", "}", MatrixColumns::Centred),
            "vmatrix" => ("|", "|", MatrixColumns::Centred),
            "Vmatrix" => ("‖", "‖", MatrixColumns::Centred),
            "cases" | "dcases" => ("{", "", MatrixColumns::Left),
            "rcases" => ("", "}", MatrixColumns::Left),
            "matrix" | "smallmatrix" | "array" | "gathered" | "gather" | "equation" => {
                ("", "", MatrixColumns::Centred)
            }
            "align" | "aligned" | "split" | "eqnarray" | "alignat" | "alignedat" => {
                ("", "", MatrixColumns::Equations)
            }
            _ => {
                self.unknown.push(format!("\\begin{{{name}}}"));
                ("", "", MatrixColumns::Centred)
            }
        };
        if matches!(name.as_str(), "array" | "alignat" | "alignedat") {
            self.skip_blanks();
            if self.is_sign('{') {
                self.raw_argument("\\begin{array}")?;
            }
        }
        let rows = self.rows(&RowEnd::Environment(name))?;
        Ok(FormulaNode::Matrix {
            rows,
            open: open.to_owned(),
            close: close.to_owned(),
            columns,
        })
    }
}

/// A part between brackets.
pub(super) fn fenced(open: &str, close: &str, body: FormulaNode) -> FormulaNode {
    FormulaNode::Fenced {
        open: open.to_owned(),
        close: close.to_owned(),
        body: Box::new(body),
    }
}

/// Width of a command for spaces, in eighteenths of the size.
fn space_width(name: &str) -> Option<i32> {
    Some(match name {
        "," | "thinspace" => 3,
        ":" | ">" | "medspace" => 4,
        ";" | "thickspace" => 5,
        "!" => -3,
        " " | "\n" | "enspace" => 6,
        "quad" => 18,
        "qquad" => 36,
        _ => return None,
    })
}

/// A relation with a stroke through it.
fn negated(text: &str) -> String {
    match text {
        "=" => "≠".to_owned(),
        "∈" => "∉".to_owned(),
        "≡" => "≢".to_owned(),
        "⊂" => "⊄".to_owned(),
        "⊆" => "⊈".to_owned(),
        "∃" => "∄".to_owned(),
        other => format!("{other}\u{338}"),
    }
}

/// Letters of a part in a style.
fn restyle(node: FormulaNode, style: &str) -> FormulaNode {
    match node {
        FormulaNode::Row(parts) => {
            FormulaNode::Row(parts.into_iter().map(|part| restyle(part, style)).collect())
        }
        FormulaNode::Symbol(mut symbol) => {
            symbol.text = symbol
                .text
                .chars()
                .map(|letter| styled_letter(letter, style))
                .collect();
            symbol.is_upright = style != "mathit" && style != "mathnormal";
            FormulaNode::Symbol(symbol)
        }
        FormulaNode::Scripts {
            base,
            below,
            above,
            are_limits,
        } => FormulaNode::Scripts {
            base: Box::new(restyle(*base, style)),
            below,
            above,
            are_limits,
        },
        other => other,
    }
}
