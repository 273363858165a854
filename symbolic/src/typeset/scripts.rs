//! Superscripts and subscripts that are characters of Unicode, and brackets that a line needs.

use super::node::{FormulaNode, SymbolClass};

const RAISED: &str = "0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹+⁺−⁻-⁻=⁼(⁽)⁾aᵃbᵇcᶜdᵈeᵉfᶠgᵍhʰiⁱjʲkᵏlˡmᵐnⁿoᵒpᵖrʳsˢtᵗuᵘvᵛwʷxˣyʸzᶻTᵀ′′″″‴‴βᵝγᵞδᵟθᶿ";
const LOWERED: &str =
    "0₀1₁2₂3₃4₄5₅6₆7₇8₈9₉+₊−₋-₋=₌(₍)₎aₐeₑhₕiᵢjⱼkₖlₗmₘnₙoₒpₚrᵣsₛtₜuᵤvᵥxₓβᵦγᵧρᵨφᵩχᵪ";

fn mapped(text: &str, pairs: &str) -> Option<String> {
    let letters: Vec<char> = pairs.chars().collect();
    let find = |letter: char| letters.chunks_exact(2).find(|pair| pair[0] == letter);
    text.chars()
        .map(|letter| find(letter).map(|pair| pair[1]))
        .collect()
}

/// A text as superscript characters, if all its characters have one.
pub(super) fn raised(text: &str) -> Option<String> {
    mapped(text, RAISED)
}

/// A text as subscript characters.
pub(super) fn lowered(text: &str) -> Option<String> {
    mapped(text, LOWERED)
}

/// The letters of a part that is symbols alone, without spaces.
pub(super) fn plain_letters(node: &FormulaNode) -> Option<String> {
    match node {
        FormulaNode::Symbol(symbol) => Some(symbol.text.clone()),
        FormulaNode::Row(parts) => parts.iter().map(plain_letters).collect(),
        _ => None,
    }
}

/// Whether a part of a line needs no brackets around it as an operand of a root, a power or a fraction.
pub(super) fn is_atom(node: &FormulaNode) -> bool {
    match node {
        FormulaNode::Row(parts) => parts.len() == 1 && is_atom(&parts[0]),
        FormulaNode::Symbol(symbol) => {
            matches!(symbol.class, SymbolClass::Ordinary | SymbolClass::Word)
        }
        FormulaNode::Fenced { open, close, .. } | FormulaNode::Matrix { open, close, .. } => {
            !open.is_empty() && !close.is_empty()
        }
        FormulaNode::Accent { body, .. } => is_atom(body),
        FormulaNode::Unknown(_) => true,
        _ => false,
    }
}

/// Whether a part is one symbol with or without scripts: what stands above or below a fraction line without brackets.
pub(super) fn is_factor(node: &FormulaNode) -> bool {
    match node {
        FormulaNode::Row(parts) if parts.len() == 1 => is_factor(&parts[0]),
        FormulaNode::Scripts { base, .. } => is_atom(base),
        FormulaNode::Root { .. } => true,
        other => is_atom(other),
    }
}
