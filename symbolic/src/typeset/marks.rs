//! What stands around a part of a picture: scripts, limits, accents, braces, frames.

use super::glyphs::find_glyph;
use super::node::{FormulaNode, SymbolClass};
use super::outline::{OutlineShape, PlacedPath};
use super::picture::{DrawingStyle, FormulaDrawing, PictureBox, RULE};

impl FormulaDrawing {
    /// Superscripts and subscripts, beside their base or above and below it.
    pub(super) fn scripts(
        &mut self,
        base: &FormulaNode,
        [below, above]: [Option<&FormulaNode>; 2],
        are_limits: bool,
        style: DrawingStyle,
    ) -> PictureBox {
        let em = self.em(style);
        let body = self.draw(base, style);
        // The signs of derivatives are raised in the font already.
        let is_prime = above
            .and_then(FormulaNode::as_symbol)
            .is_some_and(|symbol| symbol.text.starts_with(['′', '″', '‴']));
        let up_style = if is_prime { style } else { style.script() };
        let up = above.map(|node| self.draw(node, up_style));
        let down = below.map(|node| self.draw(node, style.script()));
        let is_operator = matches!(base.class(), SymbolClass::Large | SymbolClass::Function);
        if are_limits && (style.is_display || !is_operator) {
            return stack_limits(body, up, down, em);
        }
        let is_large = base.class() == SymbolClass::Large;
        let is_letter = base.as_symbol().is_some() && !is_large;
        let mut whole = PictureBox::blank(body.width);
        let (ascent, descent, italic) = (body.ascent, body.descent, body.italic);
        let start = body.width;
        whole.put(body, 0.0, 0.0);
        let mut rise = match is_letter {
            true => 0.38 * em,
            false => (ascent - 0.3 * em).max(0.38 * em),
        };
        let mut fall = match is_letter {
            true => 0.2 * em,
            false => (descent + 0.1 * em).max(0.2 * em),
        };
        if let (Some(up), Some(down)) = (&up, &down) {
            let overlap = 0.12 * em - ((rise - up.descent) - (down.ascent - fall));
            if overlap > 0.0 {
                rise += overlap / 2.0;
                fall += overlap / 2.0;
            }
        }
        let mut end = start;
        if let Some(up) = up {
            // The foot of a superscript stays above the line.
            let rise = if is_prime {
                (rise - 0.38 * em).max(0.0)
            } else {
                rise.max(up.descent + 0.2 * em)
            };
            let at = start + italic + if is_prime { 0.0 } else { 0.03 * em };
            end = end.max(at + up.width);
            whole.put(up, at, rise);
        }
        if let Some(down) = down {
            let fall = fall.max(down.ascent - 0.4 * em);
            let at = match is_large {
                true => start - italic.max(0.12 * em),
                false => start + 0.03 * em,
            };
            end = end.max(at + down.width);
            whole.put(down, at, -fall);
        }
        whole.width = end + 0.04 * em;
        whole
    }

    /// A mark above or below a part.
    pub(super) fn accent(
        &mut self,
        mark: char,
        body: &FormulaNode,
        (is_below, is_wide): (bool, bool),
        style: DrawingStyle,
    ) -> PictureBox {
        let em = self.em(style);
        let inner = self.draw(body, style);
        let (width, ascent, descent, italic) =
            (inner.width, inner.ascent, inner.descent, inner.italic);
        let mut whole = PictureBox::blank(width);
        whole.put(inner, 0.0, 0.0);
        let thickness = RULE * em * 0.9;
        if "⏞⏟".contains(mark) {
            let brace = self.wide_brace(width, em, is_below);
            let height = brace.height();
            let place = if is_below {
                -descent - 0.12 * em - height
            } else {
                ascent + 0.12 * em
            };
            whole.put(brace, 0.0, place);
            return whole;
        }
        let is_bar = matches!(mark, '\u{304}' | '\u{305}' | '\u{332}');
        if is_bar {
            let length = if is_wide { width } else { 0.45 * em };
            let at = (width - length) / 2.0 + if is_wide { 0.0 } else { italic / 2.0 };
            let place = if is_below {
                -descent - 0.14 * em
            } else {
                ascent + 0.1 * em
            };
            whole.put(PictureBox::rule(length, thickness), at, place);
            return whole;
        }
        if mark == '\u{20d7}' {
            let length = if is_wide { width } else { 0.5 * em };
            let arrow = self.glyph((0x2192, 0), em * 0.55, 1.0);
            let tip = arrow.width;
            let at = (width - length.max(tip)) / 2.0 + if is_wide { 0.0 } else { italic / 2.0 };
            let place = ascent + 0.02 * em;
            if length > tip {
                whole.put(
                    PictureBox::rule(length - tip * 0.7, thickness * 0.7),
                    at,
                    place + 0.13 * em,
                );
            }
            whole.put(arrow, at + (length - tip).max(0.0), place);
            return whole;
        }
        let code = match mark {
            '\u{302}' => 0x2C6,
            '\u{30c}' => 0x2C7,
            '\u{303}' => 0x2DC,
            '\u{307}' => 0x2D9,
            '\u{308}' => 0xA8,
            '\u{306}' => 0x2D8,
            '\u{30a}' => 0x2DA,
            '\u{301}' => 0xB4,
            _ => 0x60,
        };
        let Some(glyph) = find_glyph((code, 0)) else {
            return whole;
        };
        let scale = em / 1000.0;
        let drawn = (glyph.right - glyph.left) * scale;
        let stretch = if is_wide && width > drawn {
            (width / drawn).min(6.0)
        } else {
            1.0
        };
        let left = (width - drawn * stretch) / 2.0 + italic / 2.0 - glyph.left * scale * stretch;
        let place = ascent + 0.08 * em - glyph.bottom * scale;
        let sign = PictureBox {
            width: drawn,
            ascent: glyph.top * scale,
            descent: 0.0,
            italic: 0.0,
            paths: vec![PlacedPath {
                shape: OutlineShape::Glyph((code, 0), scale * stretch, scale),
                x: 0.0,
                y: 0.0,
            }],
        };
        whole.put(sign, left, place);
        whole
    }

    /// A brace over or under a part, of straight lines.
    fn wide_brace(&mut self, width: f64, em: f64, is_below: bool) -> PictureBox {
        let (thickness, tick) = (RULE * em, 0.14 * em);
        let mut brace = PictureBox::blank(width);
        brace.put(PictureBox::rule(width, thickness), 0.0, tick);
        let (ends, middle) = if is_below { (tick, 0.0) } else { (0.0, tick) };
        for (x, y) in [
            (0.0, ends),
            (width - thickness, ends),
            ((width - thickness) / 2.0, middle),
        ] {
            let mut side = PictureBox::rule(thickness, tick + thickness);
            side.descent = 0.0;
            brace.put(side, x, y);
        }
        brace
    }
}

fn stack_limits(
    body: PictureBox,
    up: Option<PictureBox>,
    down: Option<PictureBox>,
    em: f64,
) -> PictureBox {
    let widest = [Some(&body), up.as_ref(), down.as_ref()]
        .into_iter()
        .flatten()
        .map(|part| part.width)
        .fold(0.0, f64::max);
    let (ascent, descent) = (body.ascent, body.descent);
    let mut whole = PictureBox::blank(widest);
    let centre = |part: &PictureBox| (widest - part.width) / 2.0;
    let at = centre(&body);
    whole.put(body, at, 0.0);
    if let Some(up) = up {
        let (at, place) = (centre(&up), ascent + 0.14 * em + up.descent);
        whole.put(up, at, place);
    }
    if let Some(down) = down {
        let (at, place) = (centre(&down), -(descent + 0.14 * em + down.ascent));
        whole.put(down, at, place);
    }
    whole
}

/// A frame around a part.
pub(super) fn frame(inner: PictureBox, em: f64) -> PictureBox {
    let (pad, thickness) = (0.2 * em, RULE * em);
    let (width, top, bottom) = (
        inner.width + 2.0 * pad,
        inner.ascent + pad,
        inner.descent + pad,
    );
    let mut framed = PictureBox::blank(width);
    framed.put(inner, pad, 0.0);
    let height = top + bottom;
    framed.put(PictureBox::rule(width, thickness), 0.0, top - thickness);
    framed.put(PictureBox::rule(width, thickness), 0.0, -bottom);
    for x in [0.0, width - thickness] {
        framed.put(PictureBox::rule(thickness, height), x, -bottom);
    }
    framed
}
