//! The tree of a formula.

/// How a symbol stands to its neighbours; spaces follow from it (Knuth, The TeXbook, chapter 18).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolClass {
    /// Letters, digits, and the like.
    Ordinary,
    /// Sums, products, integrals.
    Large,
    /// `+`, `\times`.
    Binary,
    /// `=`, `\le`, arrows.
    Relation,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `,` and `;`.
    Punctuation,
    /// Names such as `sin`.
    Function,
    /// Words of `\text`.
    Word,
}

/// A symbol or a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaSymbol {
    /// Its characters in Unicode.
    pub text: String,
    /// Its class.
    pub class: SymbolClass,
    /// Whether a picture draws it upright although it is a letter.
    pub is_upright: bool,
    /// Whether scripts stand above and below it in a displayed formula.
    pub has_limits: bool,
}

/// How the columns of a matrix are aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixColumns {
    /// Centred, with space between.
    Centred,
    /// To the left, with space between.
    Left,
    /// To the right and to the left by turns, without space: equations.
    Equations,
}

/// A part of a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormulaNode {
    /// Parts beside each other.
    Row(Vec<Self>),
    /// A symbol.
    Symbol(FormulaSymbol),
    /// A space, in eighteenths of the size of letters.
    Space(i32),
    /// A fraction, or without a line what `\binom` has between its brackets.
    Fraction {
        /// Above.
        numerator: Box<Self>,
        /// Below.
        denominator: Box<Self>,
        /// Whether there is a line between.
        has_line: bool,
    },
    /// A root.
    Root {
        /// Its degree, if that is written.
        degree: Option<Box<Self>>,
        /// Below the sign.
        body: Box<Self>,
    },
    /// Superscript and subscript, or limits.
    Scripts {
        /// What carries them.
        base: Box<Self>,
        /// Below.
        below: Option<Box<Self>>,
        /// Above.
        above: Option<Box<Self>>,
        /// Whether they stand above and below, not beside.
        are_limits: bool,
    },
    /// Brackets as high as what they hold; one that is not drawn is empty.
    Fenced {
        /// At the left.
        open: String,
        /// At the right.
        close: String,
        /// Between.
        body: Box<Self>,
    },
    /// A matrix, cases, aligned equations.
    Matrix {
        /// Its rows.
        rows: Vec<Vec<Self>>,
        /// At the left, or empty.
        open: String,
        /// At the right, or empty.
        close: String,
        /// How columns are aligned.
        columns: MatrixColumns,
    },
    /// A mark above, or below, that is as wide as the body where it can be.
    Accent {
        /// The mark: the combining character of a letter, or the bracket of `\overbrace`.
        mark: char,
        /// Below the mark.
        body: Box<Self>,
        /// Whether the mark is below.
        is_below: bool,
        /// Whether it is as wide as the body.
        is_wide: bool,
    },
    /// A frame around a part.
    Boxed(Box<Self>),
    /// A command that is not known, with its backslash.
    Unknown(String),
}

impl FormulaNode {
    /// A symbol of a class.
    pub(super) fn symbol(text: impl Into<String>, class: SymbolClass) -> Self {
        Self::Symbol(FormulaSymbol {
            text: text.into(),
            class,
            is_upright: false,
            has_limits: false,
        })
    }

    /// The symbol that a node is, also alone in a row.
    pub(super) fn as_symbol(&self) -> Option<&FormulaSymbol> {
        match self {
            Self::Symbol(symbol) => Some(symbol),
            Self::Row(parts) if parts.len() == 1 => parts[0].as_symbol(),
            _ => None,
        }
    }

    /// The class by which the node is spaced.
    pub(super) fn class(&self) -> SymbolClass {
        match self {
            Self::Symbol(symbol) => symbol.class,
            Self::Scripts { base, .. } => base.class(),
            Self::Row(parts) if parts.len() == 1 => parts[0].class(),
            Self::Accent { body, .. } => body.class(),
            _ => SymbolClass::Ordinary,
        }
    }

    /// Whether nothing is drawn.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Row(parts) if parts.is_empty())
    }
}

/// The class of the part at a place of a row: a binary sign without an operand at its left or right is ordinary, as in `-x`.
pub(super) fn class_in_row(parts: &[FormulaNode], index: usize) -> SymbolClass {
    let class = parts[index].class();
    if class != SymbolClass::Binary {
        return class;
    }
    let is_operand = |class: SymbolClass| {
        !matches!(
            class,
            SymbolClass::Binary
                | SymbolClass::Relation
                | SymbolClass::Open
                | SymbolClass::Punctuation
                | SymbolClass::Large
        )
    };
    let solid = |part: &&FormulaNode| !matches!(part, FormulaNode::Space(_));
    let before = parts[..index].iter().rev().find(solid);
    let has_left = before.is_some_and(|part| is_operand(part.class()));
    let after = parts[index + 1..].iter().find(solid);
    let has_right = after.is_some_and(|part| {
        !matches!(
            part.class(),
            SymbolClass::Relation | SymbolClass::Close | SymbolClass::Punctuation
        )
    });
    match has_left && has_right {
        true => SymbolClass::Binary,
        false => SymbolClass::Ordinary,
    }
}

/// The space between two neighbours in eighteenths of the size (The TeXbook, p. 170).
pub(super) fn space_between(left: SymbolClass, right: SymbolClass) -> i32 {
    use SymbolClass as C;
    match (left, right) {
        (C::Relation, C::Relation) | (C::Open, _) | (_, C::Close) => 0,
        (C::Relation, _) | (_, C::Relation) => 5,
        (C::Binary, _) | (_, C::Binary) => 4,
        (C::Punctuation, _) => 3,
        (C::Function | C::Large, C::Open) | (_, C::Punctuation) => 0,
        (C::Function | C::Large, _) => 3,
        (C::Ordinary | C::Close | C::Word, C::Function | C::Large) => 3,
        _ => 0,
    }
}
