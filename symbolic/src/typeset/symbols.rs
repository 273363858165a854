//! Commands that stand for one symbol.

use super::node::{FormulaSymbol, SymbolClass};

use SymbolClass::{Binary, Close, Function, Large, Open, Ordinary, Punctuation, Relation};

/// Names, the symbol and its class, in groups of one class.
const SYMBOLS: [(SymbolClass, &str); 6] = [
    (
        Ordinary,
        "alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ \
         omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ \
         Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω infty ∞ partial ∂ nabla ∇ hbar ℏ ell ℓ aleph ℵ beth ℶ Re ℜ Im ℑ \
         wp ℘ emptyset ∅ varnothing ∅ forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ top ⊤ bot ⊥ angle ∠ triangle △ square □ Box □ prime ′ \
         ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱ dotsc … dotsb ⋯ imath ı jmath ȷ degree ° dagger † ddagger ‡ % % # # & & $ $ _ _ \
         backslash \\ checkmark ✓ complement ∁ hslash ℏ S § P ¶ copyright © pounds £ therefore ∴ because ∵ blacksquare ■ qed □ star ⋆ \
         mho ℧ eth ð Finv Ⅎ surd √ flat ♭ natural ♮ sharp ♯",
    ),
    (
        Binary,
        "times × div ÷ cdot ⋅ pm ± mp ∓ ast ∗ circ ∘ bullet ∙ cap ∩ cup ∪ vee ∨ lor ∨ wedge ∧ land ∧ setminus ∖ oplus ⊕ ominus ⊖ otimes ⊗ \
         oslash ⊘ odot ⊙ sqcap ⊓ sqcup ⊔ uplus ⊎ amalg ⨿ wr ≀ diamond ⋄ triangleleft ◁ triangleright ▷ ltimes ⋉ rtimes ⋊ smallsetminus ∖",
    ),
    (
        Relation,
        "le ≤ leq ≤ leqslant ⩽ ge ≥ geq ≥ geqslant ⩾ ne ≠ neq ≠ equiv ≡ approx ≈ cong ≅ sim ∼ simeq ≃ propto ∝ ll ≪ gg ≫ in ∈ notin ∉ ni ∋ \
         subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ subsetneq ⊊ supsetneq ⊋ mid ∣ nmid ∤ parallel ∥ perp ⊥ prec ≺ succ ≻ preceq ⪯ succeq ⪰ \
         doteq ≐ asymp ≍ models ⊨ vdash ⊢ dashv ⊣ vDash ⊨ to → rightarrow → gets ← leftarrow ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ \
         Leftrightarrow ⇔ implies ⟹ impliedby ⟸ iff ⟺ Longrightarrow ⟹ Longleftrightarrow ⟺ longrightarrow ⟶ longleftarrow ⟵ mapsto ↦ \
         longmapsto ⟼ uparrow ↑ downarrow ↓ updownarrow ↕ Uparrow ⇑ Downarrow ⇓ nearrow ↗ searrow ↘ swarrow ↙ nwarrow ↖ hookrightarrow ↪ \
         hookleftarrow ↩ rightharpoonup ⇀ rightleftharpoons ⇌ coloneqq ≔ triangleq ≜ lesssim ≲ gtrsim ≳ sqsubseteq ⊑ sqsupseteq ⊒ \
         leftharpoonup ↼ rightharpoondown ⇁ bowtie ⋈ approxeq ≊ nsubseteq ⊈ nleq ≰ ngeq ≱ colon : lt < gt >",
    ),
    (
        Open,
        "lbrace { { { lbrack [ langle ⟨ lfloor ⌊ lceil ⌈ lvert | lVert ‖ lparen ( ulcorner ⌜",
    ),
    (
        Close,
        "rbrace } } } rbrack ] rangle ⟩ rfloor ⌋ rceil ⌉ rvert | rVert ‖ rparen ) urcorner ⌝",
    ),
    (
        Large,
        "sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ oiint ∯ bigcup ⋃ bigcap ⋂ bigvee ⋁ bigwedge ⋀ bigoplus ⨁ bigotimes ⨂ bigodot ⨀ \
         biguplus ⨄ bigsqcup ⨆ smallint ∫",
    ),
];

/// Names of functions; of those in the second list scripts below are limits.
const FUNCTIONS: &str = "sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan arccot exp log ln lg arg deg dim ker hom";
const LIMIT_FUNCTIONS: &str =
    "lim limsup liminf max min sup inf det gcd Pr argmax argmin injlim projlim lcm";

/// The symbol of a command.
pub(super) fn command_symbol(name: &str) -> Option<FormulaSymbol> {
    for (class, list) in SYMBOLS {
        let mut words = list.split_ascii_whitespace();
        while let (Some(known), Some(text)) = (words.next(), words.next()) {
            if known == name {
                let has_limits = class == Large && !"∫∬∭∮∯".contains(text);
                return Some(symbol_of(text, class, has_limits));
            }
        }
    }
    if FUNCTIONS.split(' ').any(|known| known == name) {
        return Some(symbol_of(name, Function, false));
    }
    if LIMIT_FUNCTIONS.split(' ').any(|known| known == name) {
        let text = match name {
            "limsup" => "lim sup",
            "liminf" => "lim inf",
            "argmax" => "arg max",
            "argmin" => "arg min",
            other => other,
        };
        return Some(symbol_of(text, Function, true));
    }
    match name {
        "|" | "Vert" | "|\u{20}" => Some(symbol_of("‖", Ordinary, false)),
        "vert" => Some(symbol_of("|", Ordinary, false)),
        _ => None,
    }
}

fn symbol_of(text: &str, class: SymbolClass, has_limits: bool) -> FormulaSymbol {
    FormulaSymbol {
        text: text.to_owned(),
        class,
        is_upright: class == Function,
        has_limits,
    }
}

/// The symbol of a single sign.
pub(super) fn sign_symbol(sign: char) -> FormulaSymbol {
    let (text, class) = match sign {
        '-' => ('\u{2212}', Binary),
        '*' => ('∗', Binary),
        '+' | '±' | '×' | '÷' | '·' | '⋅' | '∓' => (sign, Binary),
        '=' | '<' | '>' | ':' | '≤' | '≥' | '≠' | '≈' | '→' | '∈' | '⇒' | '⇔' => {
            (sign, Relation)
        }
        '(' | '[' => (sign, Open),
        ')' | ']' | '!' | '?' => (sign, Close),
        ',' | ';' => (sign, Punctuation),
        '∑' | '∏' | '∫' | '∮' => (sign, Large),
        '\'' => ('′', Ordinary),
        other => (other, Ordinary),
    };
    let class = if "!?".contains(sign) { Ordinary } else { class };
    symbol_of(&text.to_string(), class, "∑∏".contains(text))
}

/// Letters in a style of mathematics, where Unicode has them.
pub(super) fn styled_letter(letter: char, style: &str) -> char {
    let offset = |base: u32, from: char| {
        char::from_u32(base + (letter as u32 - from as u32)).unwrap_or(letter)
    };
    match (style, letter) {
        ("mathbb", 'C') => 'ℂ',
        ("mathbb", 'H') => 'ℍ',
        ("mathbb", 'N') => 'ℕ',
        ("mathbb", 'P') => 'ℙ',
        ("mathbb", 'Q') => 'ℚ',
        ("mathbb", 'R') => 'ℝ',
        ("mathbb", 'Z') => 'ℤ',
        ("mathbb", 'A'..='Z') => offset(0x1D538, 'A'),
        ("mathbb", 'a'..='z') => offset(0x1D552, 'a'),
        ("mathbb", '0'..='9') => offset(0x1D7D8, '0'),
        ("mathcal" | "mathscr", 'B') => 'ℬ',
        ("mathcal" | "mathscr", 'E') => 'ℰ',
        ("mathcal" | "mathscr", 'F') => 'ℱ',
        ("mathcal" | "mathscr", 'H') => 'ℋ',
        ("mathcal" | "mathscr", 'I') => 'ℐ',
        ("mathcal" | "mathscr", 'L') => 'ℒ',
        ("mathcal" | "mathscr", 'M') => 'ℳ',
        ("mathcal" | "mathscr", 'R') => 'ℛ',
        ("mathcal" | "mathscr", 'A'..='Z') => offset(0x1D49C, 'A'),
        ("mathfrak", 'C') => 'ℭ',
        ("mathfrak", 'H') => 'ℌ',
        ("mathfrak", 'I') => 'ℑ',
        ("mathfrak", 'R') => 'ℜ',
        ("mathfrak", 'Z') => 'ℨ',
        ("mathfrak", 'A'..='Z') => offset(0x1D504, 'A'),
        ("mathfrak", 'a'..='z') => offset(0x1D51E, 'a'),
        ("mathbf" | "boldsymbol" | "bm", 'A'..='Z') => offset(0x1D400, 'A'),
        ("mathbf" | "boldsymbol" | "bm", 'a'..='z') => offset(0x1D41A, 'a'),
        ("mathbf" | "boldsymbol" | "bm", '0'..='9') => offset(0x1D7CE, '0'),
        ("mathbf" | "boldsymbol" | "bm", 'α'..='ω') => offset(0x1D6C2, 'α'),
        _ => letter,
    }
}

/// Commands that write letters in a style.
pub(super) const STYLES: [&str; 12] = [
    "mathbb",
    "mathcal",
    "mathscr",
    "mathfrak",
    "mathbf",
    "boldsymbol",
    "bm",
    "mathrm",
    "mathit",
    "mathsf",
    "mathtt",
    "mathnormal",
];

/// The mark of an accent, whether it is wide, and whether it is below.
pub(super) fn accent_mark(name: &str) -> Option<(char, bool, bool)> {
    Some(match name {
        "hat" => ('\u{302}', false, false),
        "widehat" => ('\u{302}', true, false),
        "check" => ('\u{30c}', false, false),
        "tilde" => ('\u{303}', false, false),
        "widetilde" => ('\u{303}', true, false),
        "acute" => ('\u{301}', false, false),
        "grave" => ('\u{300}', false, false),
        "dot" => ('\u{307}', false, false),
        "ddot" => ('\u{308}', false, false),
        "breve" => ('\u{306}', false, false),
        "bar" => ('\u{304}', false, false),
        "vec" => ('\u{20d7}', false, false),
        "mathring" => ('\u{30a}', false, false),
        "overline" => ('\u{305}', true, false),
        "overrightarrow" => ('\u{20d7}', true, false),
        "underline" => ('\u{332}', true, true),
        "overbrace" => ('⏞', true, false),
        "underbrace" => ('⏟', true, true),
        _ => return None,
    })
}
