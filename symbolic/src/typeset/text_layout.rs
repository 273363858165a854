//! Formulas as rectangles of characters.

use super::fences::fence_box;
use super::node::{
    FormulaNode, FormulaSymbol, MatrixColumns, SymbolClass, class_in_row, space_between,
};
use super::scripts::{is_atom, lowered, plain_letters, raised};
use super::text_box::TextBox;

/// Characters that may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextAlphabet {
    /// Signs of Unicode.
    Unicode,
    /// Letters and signs of ASCII alone, but for words of the formula itself.
    Ascii,
}

/// A formula in two dimensions, lines joined by newlines.
pub fn formula_text(formula: &FormulaNode, alphabet: TextAlphabet) -> String {
    TextLayout {
        is_ascii: alphabet == TextAlphabet::Ascii,
    }
    .layout(formula)
    .to_text()
}

/// Names of signs that ASCII lacks.
pub(super) fn ascii_symbol(text: &str) -> String {
    const SIGNS: &str = "− - × x ⋅ * ∗ * ∘ o ÷ / ± +- ∓ -+ ≤ <= ⩽ <= ≥ >= ⩾ >= ≠ != → -> ⟶ -> ← <- ↔ <-> ⇒ => ⟹ => ⇔ <=> ⟺ <=> ↦ |-> ≈ ~= ≡ == ∼ ~ \
        ∈ in ∉ not-in ∞ oo ∂ d ∇ nabla … ... ⋯ ... ′ ' ″ '' ‴ ''' ∑ sum ∏ prod ∫ int ∬ iint ∭ iiint ∮ oint ∪ U ∩ n ⊂ subset ⊆ subset= ∀ forall ∃ exists \
        ¬ not ∧ and ∨ or ∣ | ‖ || ℏ hbar ℓ l ∅ {} ∝ prop-to ≪ << ≫ >> ℝ R ℂ C ℕ N ℤ Z ℚ Q ⟨ < ⟩ > ⌊ [ ⌋ ] ⌈ [ ⌉ ] ⋮ : ⋱ ... ⊗ (x) ⊕ (+) ∙ * ≅ ~= ≃ ~= ≔ := ∖ \\";
    const GREEK: &str = "α alpha β beta γ gamma δ delta ε epsilon ϵ epsilon ζ zeta η eta θ theta ϑ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi ο o π pi ρ rho \
        σ sigma ς sigma τ tau υ upsilon φ phi ϕ phi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega";
    if text.is_ascii() {
        return text.to_owned();
    }
    for list in [SIGNS, GREEK] {
        let words: Vec<&str> = list.split_ascii_whitespace().collect();
        if let Some(pair) = words.chunks_exact(2).find(|pair| pair[0] == text) {
            return pair[1].to_owned();
        }
    }
    text.chars().map(plain_letter).collect()
}

/// The letter of a mathematical alphabet without its style.
fn plain_letter(letter: char) -> char {
    let code = letter as u32;
    let latin = |index: u32| {
        char::from(if index < 26 {
            b'A' + index as u8
        } else {
            b'a' + (index - 26) as u8
        })
    };
    match code {
        0x1D400..=0x1D6A3 => latin((code - 0x1D400) % 52),
        0x1D7CE..=0x1D7FF => char::from(b'0' + ((code - 0x1D7CE) % 10) as u8),
        _ => letter,
    }
}

struct TextLayout {
    is_ascii: bool,
}

impl TextLayout {
    fn text_of(&self, text: &str) -> String {
        match self.is_ascii {
            true => ascii_symbol(text),
            false => text.to_owned(),
        }
    }

    fn layout(&self, node: &FormulaNode) -> TextBox {
        match node {
            FormulaNode::Row(parts) => self.row(parts),
            FormulaNode::Symbol(symbol) => self.symbol(symbol),
            FormulaNode::Space(width) => TextBox::line(&" ".repeat(space_cells(*width))),
            FormulaNode::Fraction {
                numerator,
                denominator,
                has_line,
            } => self.fraction(numerator, denominator, *has_line),
            FormulaNode::Root { degree, body } => self.root(degree.as_deref(), body),
            FormulaNode::Scripts {
                base,
                below,
                above,
                are_limits,
            } => self.scripts(base, below.as_deref(), above.as_deref(), *are_limits),
            FormulaNode::Fenced { open, close, body } => {
                self.fenced(open, close, self.layout(body))
            }
            FormulaNode::Matrix {
                rows,
                open,
                close,
                columns,
            } => {
                let inner = self.matrix(rows, *columns);
                self.fenced(open, close, inner)
            }
            FormulaNode::Accent {
                mark,
                body,
                is_below,
                is_wide,
            } => self.accent(*mark, body, *is_below, *is_wide),
            FormulaNode::Boxed(body) => self.boxed(self.layout(body)),
            FormulaNode::Unknown(name) => TextBox::line(name),
        }
    }

    fn symbol(&self, symbol: &FormulaSymbol) -> TextBox {
        if symbol.class != SymbolClass::Large {
            return TextBox::line(&self.text_of(&symbol.text));
        }
        match (symbol.text.as_str(), self.is_ascii) {
            ("∫", false) => TextBox::lines(["⌠", "⎮", "⌡"], 1),
            ("∬", false) => TextBox::lines(["⌠⌠", "⎮⎮", "⌡⌡"], 1),
            ("∭", false) => TextBox::lines(["⌠⌠⌠", "⎮⎮⎮", "⌡⌡⌡"], 1),
            ("∮", false) => TextBox::lines([" ⌠ ", "─⎮─", " ⌡ "], 1),
            ("∑", false) => TextBox::lines(["⎽⎽⎽", "╲  ", "╱  ", "⎺⎺⎺"], 2).with_base(1),
            ("∏", false) => TextBox::lines(["┬───┬", "│   │", "│   │"], 1),
            ("∫", true) => TextBox::lines([" /", "| ", "/ "], 1),
            ("∑", true) => TextBox::lines(["__ ", "\\  ", "/_ "], 1),
            ("∏", true) => TextBox::lines(["____", "|  |", "|  |"], 1),
            _ => TextBox::line(&self.text_of(&symbol.text)),
        }
    }

    fn row(&self, parts: &[FormulaNode]) -> TextBox {
        let mut row = TextBox::default();
        let mut before: Option<SymbolClass> = None;
        for (index, part) in parts.iter().enumerate() {
            if let FormulaNode::Space(width) = part {
                // A thin space before a differential and the like is one cell.
                row = row.beside(TextBox::line(&" ".repeat(space_cells(*width))));
                before = (space_cells(*width) == 0).then_some(before).flatten();
                continue;
            }
            let class = class_in_row(parts, index);
            let cells = before.map_or(0, |left| space_between(left, class));
            let between_letters =
                before == Some(SymbolClass::Ordinary) && class == SymbolClass::Word;
            if cells > 0 || between_letters {
                row = row.beside(TextBox::line(" "));
            } else if before.is_some() && stands_alone(&parts[index - 1]) && stands_alone(part) {
                // Fractions side by side would become one.
                row = row.beside(TextBox::line(" "));
            }
            row = row.beside(self.layout(part));
            before = Some(class);
        }
        match row.height() {
            0 => TextBox::line(""),
            _ => row,
        }
    }

    fn fraction(
        &self,
        numerator: &FormulaNode,
        denominator: &FormulaNode,
        has_line: bool,
    ) -> TextBox {
        let (above, below) = (self.layout(numerator), self.layout(denominator));
        let width = above.width().max(below.width());
        let nested = |node: &FormulaNode| {
            matches!(node, FormulaNode::Fraction { .. })
                || matches!(node, FormulaNode::Row(parts) if matches!(parts.as_slice(), [FormulaNode::Fraction { .. }]))
        };
        let extra = if nested(numerator) || nested(denominator) {
            2
        } else {
            0
        };
        let sign = match (has_line, self.is_ascii) {
            (true, false) => "─",
            (true, true) => "-",
            (false, _) => " ",
        };
        let line = TextBox::line(&sign.repeat(width.max(1) + extra));
        let base = above.height();
        TextBox::stack(vec![above, line, below], 1).with_base(base)
    }

    fn root(&self, degree: Option<&FormulaNode>, body: &FormulaNode) -> TextBox {
        let inner = self.layout(body);
        let plain = degree.is_none() && is_atom(body) && body.as_symbol().is_some();
        if plain && !self.is_ascii && inner.height() == 1 {
            return TextBox::line("√").beside(inner);
        }
        let (height, base, width) = (inner.height(), inner.base(), inner.width());
        // A degree of one line is written before the sign, above its hook.
        let written = degree.map(|degree| self.layout(degree));
        let degree = written.map(|degree| degree.single().unwrap_or_else(|| "n".to_owned()));
        let letters = degree.as_ref().map_or(0, |degree| degree.chars().count());
        let before = " ".repeat(letters.saturating_sub(1));
        let mut sign = Vec::with_capacity(height + 1);
        for row in 0..=height {
            let strokes = match (row == 0, row == height, self.is_ascii) {
                (true, _, _) => "  ",
                (_, true, false) => "╲╱",
                (_, true, true) => "\\/",
                (_, _, false) => " │",
                (_, _, true) => " |",
            };
            let is_above_hook = row + 1 == height;
            sign.push(match degree.as_ref().filter(|_| is_above_hook) {
                Some(degree) => format!("{degree}{}", &strokes[1..]),
                None => format!("{before}{strokes}"),
            });
        }
        let sign = TextBox::lines(sign.iter().map(String::as_str), base + 1);
        let roof = TextBox::line(&"_".repeat(width.max(1)));
        let covered = TextBox::stack(vec![roof, inner], 0).with_base(base + 1);
        sign.beside(covered)
    }

    fn scripts(
        &self,
        base: &FormulaNode,
        below: Option<&FormulaNode>,
        above: Option<&FormulaNode>,
        are_limits: bool,
    ) -> TextBox {
        let body = self.layout(base);
        if are_limits {
            let (up, down) = (
                above.map(|node| self.layout(node)),
                below.map(|node| self.layout(node)),
            );
            let line = up.as_ref().map_or(0, TextBox::height) + body.base();
            let all = up.into_iter().chain([body]).chain(down).collect();
            return TextBox::stack(all, 1).with_base(line);
        }
        if !self.is_ascii && body.height() == 1 {
            let small = |node: Option<&FormulaNode>, map: fn(&str) -> Option<String>| match node {
                None => Some(String::new()),
                Some(node) => plain_letters(node).and_then(|text| map(&text)),
            };
            if let (Some(down), Some(up)) = (small(below, lowered), small(above, raised)) {
                return body.beside(TextBox::line(&format!("{down}{up}")));
            }
        }
        let (rise, fall) = (body.base(), body.below());
        // Beside a high sign the scripts are level with its ends, else above and below the line.
        let is_high = base
            .as_symbol()
            .is_some_and(|symbol| symbol.class == SymbolClass::Large)
            && body.height() > 1;
        let up = above.map(|node| {
            let script = self.layout(node);
            let rows = script.height();
            let gap = if is_high {
                rise.saturating_sub(rows)
            } else {
                rise
            };
            let shift = script.extended(0, gap + usize::from(is_high));
            let line = shift.height() - 1 + usize::from(!is_high);
            (shift, line, rows)
        });
        let down = below.map(|node| {
            let script = self.layout(node);
            let gap = if is_high {
                fall.saturating_sub(script.height())
            } else {
                fall
            };
            script.extended(gap, 0)
        });
        let mut rows = Vec::new();
        let mut line = 0;
        if let Some((up, at, _)) = up {
            line = at;
            rows.push(up);
            if !is_high {
                rows.push(TextBox::line(""));
            }
        } else {
            rows.push(TextBox::line(""));
        }
        if let Some(down) = down {
            rows.push(down);
        }
        let column = TextBox::stack(rows, 0).with_base(line);
        body.beside(column)
    }

    fn fenced(&self, open: &str, close: &str, inner: TextBox) -> TextBox {
        let (height, base) = (inner.height(), inner.base());
        let is_flat = height == 1;
        let bracket = |sign: &str| fence_box(sign, height, base, self.is_ascii);
        // A single sign without taller pieces is on the line.
        let pad = |fence: TextBox, is_open: bool| match (fence.height() > 0, is_flat) {
            (true, false) if is_open => fence.beside(TextBox::line(" ")),
            (true, false) => TextBox::line(" ").beside(fence),
            _ => fence,
        };
        let left = pad(bracket(open), true);
        let right = pad(bracket(close), false);
        left.beside(inner).beside(right)
    }

    fn matrix(&self, rows: &[Vec<FormulaNode>], columns: MatrixColumns) -> TextBox {
        let cells: Vec<Vec<TextBox>> = rows
            .iter()
            .map(|row| row.iter().map(|cell| self.layout(cell)).collect())
            .collect();
        let count = cells.iter().map(Vec::len).max().unwrap_or(0);
        let width_of = |column: usize| {
            cells
                .iter()
                .filter_map(|row| Some(row.get(column)?.width()))
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..count).map(width_of).collect();
        let is_spaced = cells.iter().flatten().any(|cell| cell.height() > 1);
        let mut lines = Vec::new();
        for (index, row) in cells.into_iter().enumerate() {
            if index > 0 && is_spaced {
                lines.push(TextBox::line(""));
            }
            let mut line = TextBox::line("");
            for (column, cell) in row.into_iter().enumerate() {
                let place = match columns {
                    MatrixColumns::Centred => 1,
                    MatrixColumns::Left => 0,
                    MatrixColumns::Equations => {
                        if column % 2 == 0 {
                            2
                        } else {
                            0
                        }
                    }
                };
                let gap = match columns {
                    _ if column == 0 => "",
                    MatrixColumns::Equations if column % 2 == 1 => " ",
                    MatrixColumns::Equations => "    ",
                    _ => "  ",
                };
                line = line
                    .beside(TextBox::line(gap))
                    .beside(cell.placed(widths[column], place));
            }
            lines.push(line);
        }
        let height: usize = lines.iter().map(TextBox::height).sum();
        TextBox::stack(lines, 0).with_base(height.saturating_sub(1) / 2)
    }

    fn accent(&self, mark: char, body: &FormulaNode, is_below: bool, is_wide: bool) -> TextBox {
        let inner = self.layout(body);
        let (width, base, height) = (inner.width(), inner.base(), inner.height());
        let letters = body.as_symbol().map(|symbol| symbol.text.chars().count());
        if letters == Some(1) && !self.is_ascii && !"⏞⏟".contains(mark) && height == 1 {
            let text = inner.single().unwrap_or_default();
            return TextBox::line(&format!("{text}{mark}"));
        }
        let sign = match (mark, self.is_ascii) {
            ('\u{302}' | '\u{30c}', _) => "^".to_owned(),
            ('\u{303}', _) => "~".to_owned(),
            ('\u{307}', _) => ".".to_owned(),
            ('\u{308}', _) => "..".to_owned(),
            ('\u{20d7}', _) => {
                let stroke = if self.is_ascii { "-" } else { "─" };
                let tip = if self.is_ascii { ">" } else { "→" };
                stroke.repeat(width.saturating_sub(1)) + tip
            }
            ('⏞' | '⏟', _) => {
                let ends = match (mark, self.is_ascii) {
                    ('⏞', false) => ["╭", "┴", "╮"],
                    (_, false) => ["╰", "┬", "╯"],
                    _ => ["+", "+", "+"],
                };
                let stroke = if self.is_ascii { "-" } else { "─" };
                let room = width.max(3) - 3;
                format!(
                    "{}{}{}{}{}",
                    ends[0],
                    stroke.repeat(room / 2),
                    ends[1],
                    stroke.repeat(room - room / 2),
                    ends[2]
                )
            }
            (_, _) if is_below => {
                if self.is_ascii {
                    "-".repeat(width)
                } else {
                    "‾".repeat(width)
                }
            }
            _ if is_wide || width > 1 => "_".repeat(width),
            _ => "_".to_owned(),
        };
        let sign = TextBox::line(&sign);
        match is_below {
            true => TextBox::stack(vec![inner, sign], 1).with_base(base),
            false => TextBox::stack(vec![sign, inner], 1).with_base(base + 1),
        }
    }

    fn boxed(&self, inner: TextBox) -> TextBox {
        let (width, base, height) = (inner.width() + 2, inner.base(), inner.height());
        let signs = match self.is_ascii {
            true => ["+", "-", "+", "|", "+", "+"],
            false => ["┌", "─", "┐", "│", "└", "┘"],
        };
        let side = TextBox::lines(vec![signs[3]; height], base);
        let middle = side
            .clone()
            .beside(TextBox::line(" "))
            .beside(inner)
            .beside(TextBox::line(" "))
            .beside(side);
        let top = format!("{}{}{}", signs[0], signs[1].repeat(width), signs[2]);
        let bottom = format!("{}{}{}", signs[4], signs[1].repeat(width), signs[5]);
        TextBox::stack(vec![TextBox::line(&top), middle, TextBox::line(&bottom)], 0)
            .with_base(base + 1)
    }
}

/// Cells of a space in eighteenths of the size.
fn space_cells(width: i32) -> usize {
    match width {
        i32::MIN..=0 => 0,
        1..=9 => 1,
        more => usize::try_from(more / 9).unwrap_or(1),
    }
}

/// Whether a part has a line of its own that would join that of its neighbour.
fn stands_alone(node: &FormulaNode) -> bool {
    match node {
        FormulaNode::Fraction { .. } | FormulaNode::Root { .. } => true,
        FormulaNode::Row(parts) => parts.len() == 1 && stands_alone(&parts[0]),
        _ => false,
    }
}
