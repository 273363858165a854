//! Brackets of any height.

use super::text_box::TextBox;

/// Pieces of a bracket: alone, top, middle, bottom, and the extension between; of brackets without a middle it is the extension.
struct FencePieces {
    alone: &'static str,
    top: &'static str,
    middle: &'static str,
    bottom: &'static str,
    extension: &'static str,
}

fn pieces(sign: &str, is_ascii: bool) -> Option<FencePieces> {
    let [alone, top, middle, bottom, extension] = match (sign, is_ascii) {
        ("(", false) => ["(", "⎛", "⎜", "⎝", "⎜"],
        (")", false) => [")", "⎞", "⎟", "⎠", "⎟"],
        ("[", false) => ["[", "⎡", "⎢", "⎣", "⎢"],
        ("]", false) => ["]", "⎤", "⎥", "⎦", "⎥"],
        ("{", false) => ["{", "⎧", "⎨", "⎩", "⎪"],
        ("}", false) => ["}", "⎫", "⎬", "⎭", "⎪"],
        ("⌊", false) => ["⌊", "⎢", "⎢", "⎣", "⎢"],
        ("⌋", false) => ["⌋", "⎥", "⎥", "⎦", "⎥"],
        ("⌈", false) => ["⌈", "⎡", "⎢", "⎢", "⎢"],
        ("⌉", false) => ["⌉", "⎤", "⎥", "⎥", "⎥"],
        ("|" | "∣", false) => ["|", "│", "│", "│", "│"],
        ("‖" | "∥", false) => ["‖", "║", "║", "║", "║"],
        ("(", true) => ["(", "/", "|", "\\", "|"],
        (")", true) => [")", "\\", "|", "/", "|"],
        ("[" | "⌊" | "⌈", true) => ["[", "[", "[", "[", "["],
        ("]" | "⌋" | "⌉", true) => ["]", "]", "]", "]", "]"],
        ("{", true) => ["{", "/", "<", "\\", "|"],
        ("}", true) => ["}", "\\", ">", "/", "|"],
        ("|" | "∣", true) => ["|", "|", "|", "|", "|"],
        ("‖" | "∥", true) => ["||", "||", "||", "||", "||"],
        _ => return None,
    };
    Some(FencePieces {
        alone,
        top,
        middle,
        bottom,
        extension,
    })
}

/// A bracket of a height, its line at a row; nothing for an empty sign. Angles are drawn by strokes.
pub(super) fn fence_box(sign: &str, height: usize, base: usize, is_ascii: bool) -> TextBox {
    if sign.is_empty() {
        return TextBox::default();
    }
    let is_brace = sign == "{" || sign == "}";
    let mut lines: Vec<String> = Vec::with_capacity(height);
    match (sign, pieces(sign, is_ascii)) {
        ("⟨" | "⟩", _) if height > 1 => return angle_box(sign == "⟨", height, base),
        ("⟨", _) if is_ascii => lines.push("<".to_owned()),
        ("⟩", _) if is_ascii => lines.push(">".to_owned()),
        (_, None) => lines.push(sign.to_owned()),
        (_, Some(parts)) if height == 1 => lines.push(parts.alone.to_owned()),
        (_, Some(_)) if is_brace && height == 2 => {
            let signs = match (sign, is_ascii) {
                ("{", false) => ["⎰", "⎱"],
                (_, false) => ["⎱", "⎰"],
                ("{", true) => ["/", "\\"],
                (_, true) => ["\\", "/"],
            };
            lines.extend(signs.map(str::to_owned));
        }
        (_, Some(parts)) => {
            for row in 0..height {
                let is_middle = is_brace && row == (height - 1) / 2;
                let piece = match row {
                    0 => parts.top,
                    last if last + 1 == height => parts.bottom,
                    _ if is_middle => parts.middle,
                    _ if is_brace => parts.extension,
                    _ => parts.middle,
                };
                lines.push(piece.to_owned());
            }
        }
    }
    let base = if lines.len() == 1 { 0 } else { base };
    TextBox::lines(lines.iter().map(String::as_str), base)
}

fn angle_box(is_open: bool, height: usize, base: usize) -> TextBox {
    let half = height.div_ceil(2);
    let mut lines = Vec::with_capacity(height);
    for row in 0..height {
        let from_end = if row < height / 2 {
            row
        } else {
            height - 1 - row
        };
        let indent = if is_open {
            half - 1 - from_end.min(half - 1)
        } else {
            from_end.min(half - 1)
        };
        let stroke = match (
            row < height.div_ceil(2) && row != height / 2
                || height.is_multiple_of(2) && row < height / 2,
            is_open,
        ) {
            _ if height % 2 == 1 && row == height / 2 => {
                if is_open {
                    '⟨'
                } else {
                    '⟩'
                }
            }
            (true, true) | (false, false) => '╱',
            _ => '╲',
        };
        lines.push(format!("{}{stroke}", " ".repeat(indent)));
    }
    TextBox::lines(lines.iter().map(String::as_str), base)
}
