//! Greek letters by their names and by their signs.

/// Names of Greek letters and their signs.
const GREEK: &[(&str, char)] = &[
    ("alpha", 'α'),
    ("beta", 'β'),
    ("gamma", 'γ'),
    ("delta", 'δ'),
    ("epsilon", 'ε'),
    ("zeta", 'ζ'),
    ("eta", 'η'),
    ("theta", 'θ'),
    ("iota", 'ι'),
    ("kappa", 'κ'),
    ("lambda", 'λ'),
    ("mu", 'μ'),
    ("nu", 'ν'),
    ("xi", 'ξ'),
    ("pi", 'π'),
    ("rho", 'ρ'),
    ("sigma", 'σ'),
    ("tau", 'τ'),
    ("upsilon", 'υ'),
    ("phi", 'φ'),
    ("chi", 'χ'),
    ("psi", 'ψ'),
    ("omega", 'ω'),
    ("Gamma", 'Γ'),
    ("Delta", 'Δ'),
    ("Theta", 'Θ'),
    ("Lambda", 'Λ'),
    ("Phi", 'Φ'),
    ("Psi", 'Ψ'),
    ("Omega", 'Ω'),
    ("varepsilon", 'ϵ'),
    ("vartheta", 'ϑ'),
    ("varphi", 'ϕ'),
];

/// Whether the name is of a Greek letter.
pub(crate) fn is_greek_name(name: &str) -> bool {
    GREEK.iter().any(|(greek, _)| *greek == name)
}

/// The sign of a Greek name; other names as they are.
pub(crate) fn greek_sign(name: &str) -> String {
    GREEK
        .iter()
        .find(|(greek, _)| *greek == name)
        .map_or_else(|| name.to_owned(), |(_, sign)| sign.to_string())
}

/// The name of a Greek sign.
pub(crate) fn greek_name_of_sign(sign: char) -> Option<&'static str> {
    GREEK
        .iter()
        .find(|(_, letter)| *letter == sign)
        .map(|(name, _)| *name)
}
