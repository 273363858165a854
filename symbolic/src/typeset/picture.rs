//! Formulas drawn: boxes with width, ascent and descent, put together as in Knuth, The TeXbook, appendix G, simplified.

use super::glyphs::{GlyphKey, find_glyph};
use super::marks::frame;
use super::node::{
    FormulaNode, FormulaSymbol, MatrixColumns, SymbolClass, class_in_row, space_between,
};
use super::outline::{FormulaOutline, OutlineShape, PlacedPath};

/// Height of the middle of signs above the line, as a share of the size (of the font).
const AXIS: f64 = 0.275;
/// Thickness of lines.
pub(super) const RULE: f64 = 0.055;
/// Space around the picture.
const MARGIN: f64 = 0.35;
/// Sizes of scripts.
const SCRIPTS: [f64; 3] = [1.0, 0.72, 0.56];

/// A part of the picture, y upwards from its line, in pixels.
#[derive(Debug, Clone, Default)]
pub(super) struct PictureBox {
    pub(super) width: f64,
    pub(super) ascent: f64,
    pub(super) descent: f64,
    /// How far a superscript is moved away.
    pub(super) italic: f64,
    pub(super) paths: Vec<PlacedPath>,
}

impl PictureBox {
    pub(super) fn blank(width: f64) -> Self {
        Self {
            width,
            ..Self::default()
        }
    }

    pub(super) fn rule(width: f64, thickness: f64) -> Self {
        Self {
            width,
            ascent: thickness,
            paths: vec![PlacedPath {
                shape: OutlineShape::Rule(width, thickness),
                x: 0.0,
                y: thickness,
            }],
            ..Self::default()
        }
    }

    /// Adds a part at a place; the width is not changed.
    pub(super) fn put(&mut self, part: Self, x: f64, y: f64) {
        self.ascent = self.ascent.max(part.ascent + y);
        self.descent = self.descent.max(part.descent - y);
        let moved = part.paths.into_iter().map(|path| PlacedPath {
            x: path.x + x,
            y: path.y + y,
            ..path
        });
        self.paths.extend(moved);
    }

    /// Adds a part at the right end.
    fn append(&mut self, part: Self) {
        let (at, italic) = (self.width, part.italic);
        self.width += part.width;
        self.put(part, at, 0.0);
        self.italic = italic;
    }

    pub(super) fn height(&self) -> f64 {
        self.ascent + self.descent
    }
}

/// How a part is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct DrawingStyle {
    /// Level of scripts, 0 to 2.
    level: usize,
    /// Whether sums are large and have limits.
    pub(super) is_display: bool,
}

impl DrawingStyle {
    pub(super) fn script(self) -> Self {
        Self {
            level: (self.level + 1).min(2),
            is_display: false,
        }
    }

    fn text(self) -> Self {
        Self {
            is_display: false,
            ..self
        }
    }
}

/// What is drawn, with its size.
pub(super) struct FormulaDrawing {
    size: f64,
    missing: Vec<char>,
}

/// Draws a formula with letters of a size in pixels.
pub fn draw_formula(formula: &FormulaNode, size: f64) -> FormulaOutline {
    let mut drawing = FormulaDrawing {
        size,
        missing: Vec::new(),
    };
    let style = DrawingStyle {
        level: 0,
        is_display: true,
    };
    let drawn = drawing.draw(formula, style);
    let margin = MARGIN * size;
    let baseline = drawn.ascent + margin;
    let paths = drawn.paths.into_iter().map(|path| PlacedPath {
        x: path.x + margin,
        y: baseline - path.y,
        ..path
    });
    FormulaOutline {
        width: drawn.width.max(1.0) + 2.0 * margin,
        height: drawn.ascent + drawn.descent + 2.0 * margin,
        baseline,
        paths: paths.collect(),
        missing: drawing.missing,
    }
}

/// The letter that a picture draws: italic for variables.
fn drawn_letter(letter: char, is_upright: bool) -> char {
    if is_upright {
        return letter;
    }
    let code = letter as u32;
    let italic = match letter {
        'h' => 0x210E,
        'A'..='Z' => 0x1D434 + code - 'A' as u32,
        'a'..='z' => 0x1D44E + code - 'a' as u32,
        'α'..='ω' => 0x1D6FC + code - 'α' as u32,
        'ı' => 0x1D6A4,
        'ȷ' => 0x1D6A5,
        'ϵ' => 0x1D716,
        'ϑ' => 0x1D717,
        'ϕ' => 0x1D719,
        'ϱ' => 0x1D71A,
        'ϖ' => 0x1D71B,
        _ => code,
    };
    char::from_u32(italic).unwrap_or(letter)
}

impl FormulaDrawing {
    pub(super) fn em(&self, style: DrawingStyle) -> f64 {
        self.size * SCRIPTS[style.level]
    }

    pub(super) fn glyph(&mut self, key: GlyphKey, em: f64, stretch: f64) -> PictureBox {
        let Some(glyph) = find_glyph(key) else {
            return self.missing_glyph(key.0, em);
        };
        let scale = em / 1000.0;
        let upwards = scale * stretch;
        PictureBox {
            width: glyph.advance * scale,
            ascent: glyph.top.max(0.0) * upwards,
            descent: (-glyph.bottom).max(0.0) * upwards,
            italic: glyph.italic * scale,
            paths: vec![PlacedPath {
                shape: OutlineShape::Glyph(key, scale, upwards),
                x: 0.0,
                y: 0.0,
            }],
        }
    }

    fn missing_glyph(&mut self, code: u32, em: f64) -> PictureBox {
        let letter = char::from_u32(code).unwrap_or('\u{fffd}');
        if !self.missing.contains(&letter) {
            self.missing.push(letter);
        }
        self.glyph((0x25A1, 0), em, 1.0)
    }

    fn word(&mut self, text: &str, is_upright: bool, em: f64) -> PictureBox {
        let mut word = PictureBox::default();
        for letter in text.chars() {
            match letter {
                '\u{338}' => {
                    // A stroke through the sign before it.
                    let stroke = self.glyph(('/' as u32, 0), em, 1.0);
                    let at = (word.width - stroke.width) / 2.0;
                    word.put(stroke, at, 0.0);
                }
                ' ' => word.append(PictureBox::blank(0.28 * em)),
                _ => {
                    let letter = drawn_letter(letter, is_upright);
                    let glyph = self.glyph((letter as u32, 0), em, 1.0);
                    word.append(glyph);
                }
            }
        }
        word
    }

    pub(super) fn draw(&mut self, node: &FormulaNode, style: DrawingStyle) -> PictureBox {
        let em = self.em(style);
        match node {
            FormulaNode::Row(parts) => self.row(parts, style),
            FormulaNode::Symbol(symbol) => self.symbol(symbol, style),
            FormulaNode::Space(width) => PictureBox::blank(f64::from(*width) / 18.0 * em),
            FormulaNode::Fraction {
                numerator,
                denominator,
                has_line,
            } => self.fraction(numerator, denominator, *has_line, style),
            FormulaNode::Root { degree, body } => self.root(degree.as_deref(), body, style),
            FormulaNode::Scripts {
                base,
                below,
                above,
                are_limits,
            } => self.scripts(
                base,
                [below.as_deref(), above.as_deref()],
                *are_limits,
                style,
            ),
            FormulaNode::Fenced { open, close, body } => {
                let inner = self.draw(body, style);
                self.fenced(open, close, inner, em)
            }
            FormulaNode::Matrix {
                rows,
                open,
                close,
                columns,
            } => {
                let inner = self.matrix(rows, *columns, style);
                self.fenced(open, close, inner, em)
            }
            FormulaNode::Accent {
                mark,
                body,
                is_below,
                is_wide,
            } => self.accent(*mark, body, (*is_below, *is_wide), style),
            FormulaNode::Boxed(body) => {
                let inner = self.draw(body, style);
                frame(inner, em)
            }
            FormulaNode::Unknown(name) => self.word(name, true, em),
        }
    }

    fn symbol(&mut self, symbol: &FormulaSymbol, style: DrawingStyle) -> PictureBox {
        let em = self.em(style);
        if symbol.class != SymbolClass::Large {
            let upright = symbol.is_upright || symbol.class != SymbolClass::Ordinary;
            return self.word(&symbol.text, upright, em);
        }
        let code = symbol.text.chars().next().map_or(0, |letter| letter as u32);
        let is_integral = !symbol.has_limits;
        let form = match (style.is_display, is_integral) {
            (false, _) => 0,
            (true, true) => 4,
            (true, false) => 1,
        };
        let key = match find_glyph((code, form)) {
            Some(_) => (code, form),
            None => (code, 0),
        };
        let sign = self.glyph(key, em, 1.0);
        // Large signs are centred on the axis.
        let shift = AXIS * em - (sign.ascent - sign.descent) / 2.0;
        let (width, italic) = (sign.width, sign.italic);
        let mut centred = PictureBox::blank(width);
        centred.ascent = f64::MIN;
        centred.descent = f64::MIN;
        centred.put(sign, 0.0, shift);
        centred.italic = italic;
        centred
    }

    fn row(&mut self, parts: &[FormulaNode], style: DrawingStyle) -> PictureBox {
        let em = self.em(style);
        let mut row = PictureBox::default();
        let mut before: Option<SymbolClass> = None;
        for (index, part) in parts.iter().enumerate() {
            let is_space = matches!(part, FormulaNode::Space(_));
            let class = class_in_row(parts, index);
            if let Some(left) = before.filter(|_| !is_space) {
                let space = space_between(left, class);
                // Scripts have the spaces of functions alone.
                if style.level == 0 || space == 3 && left == SymbolClass::Function {
                    row.append(PictureBox::blank(f64::from(space) / 18.0 * em));
                }
            }
            let drawn = self.draw(part, style);
            row.append(drawn);
            before = match is_space {
                true => before,
                false => Some(class),
            };
        }
        row
    }

    fn fraction(
        &mut self,
        numerator: &FormulaNode,
        denominator: &FormulaNode,
        has_line: bool,
        style: DrawingStyle,
    ) -> PictureBox {
        let em = self.em(style);
        let inner = match style.is_display {
            true => style.text(),
            false => style.script(),
        };
        let (above, below) = (self.draw(numerator, inner), self.draw(denominator, inner));
        let width = above.width.max(below.width) + 0.2 * em;
        let gap = if style.is_display { 0.16 } else { 0.1 } * em;
        let thickness = if has_line { RULE * em } else { 0.0 };
        let axis = AXIS * em;
        let mut fraction = PictureBox::blank(width + 0.16 * em);
        let centre = |part: &PictureBox| (width - part.width) / 2.0 + 0.08 * em;
        let (left, right) = (centre(&above), centre(&below));
        let up = axis + thickness / 2.0 + gap + above.descent;
        let down = axis - thickness / 2.0 - gap - below.ascent;
        fraction.put(above, left, up);
        fraction.put(below, right, down);
        if has_line {
            fraction.put(
                PictureBox::rule(width, thickness),
                0.08 * em,
                axis - thickness / 2.0,
            );
        }
        fraction
    }

    fn root(
        &mut self,
        degree: Option<&FormulaNode>,
        body: &FormulaNode,
        style: DrawingStyle,
    ) -> PictureBox {
        let em = self.em(style);
        let inner = self.draw(body, style);
        let (gap, thickness) = (0.1 * em, RULE * em);
        let needed = inner.ascent.max(0.5 * em) + inner.descent + gap + thickness;
        let sign = self.grown(0x221A, needed, em);
        let height = sign.height();
        let top = inner.ascent.max(0.5 * em) + gap + thickness + (height - needed).max(0.0) / 2.0;
        let mut root = PictureBox::default();
        if let Some(degree) = degree {
            let small = self.draw(
                degree,
                DrawingStyle {
                    level: 2,
                    is_display: false,
                },
            );
            let at = (sign.width * 0.5 - small.width).max(0.0);
            root.width = (small.width - sign.width * 0.5).max(0.0);
            let rise = top - height * 0.42;
            root.put(small, at, rise.max(top - height + 0.5 * em));
        }
        let (left, sign_width) = (root.width, sign.width);
        let shift = top - sign.ascent;
        root.put(sign, left, shift);
        let start = left + sign_width;
        let width = inner.width + 0.08 * em;
        root.put(
            PictureBox::rule(width, thickness),
            start - 0.01 * em,
            top - thickness,
        );
        root.put(inner, start + 0.03 * em, 0.0);
        root.width = start + width + 0.05 * em;
        root
    }

    /// The form of a sign that is at least so high; the largest is stretched.
    fn grown(&mut self, code: u32, needed: f64, em: f64) -> PictureBox {
        let mut found = (code, 0);
        for form in 0..8 {
            let Some(glyph) = find_glyph((code, form)) else {
                break;
            };
            found = (code, form);
            if (glyph.top - glyph.bottom) * em / 1000.0 >= needed {
                return self.glyph(found, em, 1.0);
            }
        }
        let height =
            find_glyph(found).map_or(1.0, |glyph| (glyph.top - glyph.bottom) * em / 1000.0);
        self.glyph(found, em, (needed / height).max(1.0))
    }

    fn fenced(&mut self, open: &str, close: &str, inner: PictureBox, em: f64) -> PictureBox {
        let axis = AXIS * em;
        let reach = (inner.ascent - axis).max(inner.descent + axis);
        let needed = 2.0 * reach * 0.96;
        let mut fenced = PictureBox::default();
        for (sign, is_open) in [(open, true), (close, false)] {
            if let Some(letter) = sign.chars().next() {
                let letter = if letter == '∣' { '|' } else { letter };
                let fence = self.grown(letter as u32, needed, em);
                let shift = axis - (fence.ascent - fence.descent) / 2.0;
                let at = fenced.width;
                fenced.width += fence.width;
                fenced.put(fence, at, shift);
            }
            if is_open {
                let at = fenced.width;
                fenced.width += inner.width;
                fenced.put(inner.clone(), at, 0.0);
            }
        }
        fenced
    }

    fn matrix(
        &mut self,
        rows: &[Vec<FormulaNode>],
        columns: MatrixColumns,
        style: DrawingStyle,
    ) -> PictureBox {
        let em = self.em(style);
        let inner = match columns {
            MatrixColumns::Equations => style,
            _ => style.text(),
        };
        let cells: Vec<Vec<PictureBox>> = rows
            .iter()
            .map(|row| row.iter().map(|cell| self.draw(cell, inner)).collect())
            .collect();
        let count = cells.iter().map(Vec::len).max().unwrap_or(0);
        let width_of = |column: usize| {
            cells
                .iter()
                .filter_map(|row| Some(row.get(column)?.width))
                .fold(0.0, f64::max)
        };
        let widths: Vec<f64> = (0..count).map(width_of).collect();
        let gap = if columns == MatrixColumns::Equations {
            0.45
        } else {
            0.3
        } * em;
        let mut lines = Vec::new();
        for row in cells {
            let mut line = PictureBox::blank(0.0);
            line.ascent = 0.7 * em;
            line.descent = 0.22 * em;
            let mut at = 0.0;
            for (column, cell) in row.into_iter().enumerate() {
                let room = widths[column] - cell.width;
                let (before, left) = match columns {
                    MatrixColumns::Centred => (if column > 0 { 0.8 * em } else { 0.0 }, room / 2.0),
                    MatrixColumns::Left => (if column > 0 { 0.9 * em } else { 0.0 }, 0.0),
                    MatrixColumns::Equations if column % 2 == 0 => {
                        (if column > 0 { 1.5 * em } else { 0.0 }, room)
                    }
                    MatrixColumns::Equations => (0.28 * em, 0.0),
                };
                at += before;
                line.put(cell, at + left, 0.0);
                at += widths[column];
            }
            line.width = at;
            lines.push(line);
        }
        let height: f64 = lines.iter().map(PictureBox::height).sum::<f64>()
            + gap * lines.len().saturating_sub(1) as f64;
        let mut matrix = PictureBox::blank(lines.iter().map(|line| line.width).fold(0.0, f64::max));
        let mut top = height / 2.0 + AXIS * em;
        for line in lines {
            let (ascent, descent) = (line.ascent, line.descent);
            top -= ascent;
            matrix.put(line, 0.0, top);
            top -= descent + gap;
        }
        matrix
    }
}
