//! What is wrong with a specification or its data.

/// Why a plot cannot be drawn. Every variant names the place in the specification.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlotError {
    /// A member has another form than expected.
    #[error("expected {expected}, found {found}")]
    Form {
        /// JSON pointer into the specification.
        place: String,
        /// What belongs there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A field that the data lack.
    #[error("the data have no field `{name}`")]
    UnknownField {
        /// JSON pointer into the specification.
        place: String,
        /// The name that was given.
        name: String,
        /// The fields that there are, the first twenty.
        known: Vec<String>,
    },
    /// A field of texts where numbers are needed.
    #[error("expected a field of numbers or dates, `{name}` has texts such as `{sample}`")]
    NotNumeric {
        /// JSON pointer into the specification.
        place: String,
        /// The field.
        name: String,
        /// One of its values.
        sample: String,
    },
    /// No row has a value in every field that a layer needs.
    #[error("nothing to draw: no row has a value in {fields}")]
    NothingToDraw {
        /// JSON pointer into the specification.
        place: String,
        /// The fields, in words.
        fields: String,
    },
    /// A logarithmic axis without a positive value.
    #[error("a logarithmic axis needs values above 0, `{name}` has none")]
    NotPositive {
        /// JSON pointer into the specification.
        place: String,
        /// The field.
        name: String,
    },
    /// More of something than a plot holds.
    #[error("expected at most {most} {what}, found {found}")]
    TooMany {
        /// JSON pointer into the specification.
        place: String,
        /// What is counted.
        what: String,
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// A mark without a channel that it needs.
    #[error("the mark `{mark}` needs the channel `{channel}`")]
    MissingChannel {
        /// JSON pointer into the specification.
        place: String,
        /// The mark.
        mark: String,
        /// The channel.
        channel: String,
    },
}

impl PlotError {
    /// JSON pointer to the member at fault, empty for the whole specification.
    #[must_use]
    pub fn place(&self) -> &str {
        match self {
            Self::Form { place, .. }
            | Self::UnknownField { place, .. }
            | Self::NotNumeric { place, .. }
            | Self::NothingToDraw { place, .. }
            | Self::NotPositive { place, .. }
            | Self::TooMany { place, .. }
            | Self::MissingChannel { place, .. } => place,
        }
    }

    /// The error of a part, at its place in the whole.
    pub(crate) fn below(mut self, part: &str) -> Self {
        match &mut self {
            Self::Form { place, .. }
            | Self::UnknownField { place, .. }
            | Self::NotNumeric { place, .. }
            | Self::NothingToDraw { place, .. }
            | Self::NotPositive { place, .. }
            | Self::TooMany { place, .. }
            | Self::MissingChannel { place, .. } => place.insert_str(0, part),
        }
        self
    }

    /// The next step, in words.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Form { .. } => "docs/plots.md lists the members of a specification".to_owned(),
            Self::UnknownField { known, .. } if known.is_empty() => {
                "give data with named columns".to_owned()
            }
            Self::UnknownField { known, .. } => {
                format!("the fields are {}", known.join(", "))
            }
            Self::NotNumeric { .. } => {
                "choose another field, or write numbers as numbers and dates as YYYY-MM-DD"
                    .to_owned()
            }
            Self::NothingToDraw { .. } => {
                "look for missing cells, or choose other fields".to_owned()
            }
            Self::NotPositive { .. } => "leave the axis linear".to_owned(),
            Self::TooMany { .. } => "filter, bin or aggregate the data first".to_owned(),
            Self::MissingChannel { channel, .. } => {
                format!("name a field for `{channel}`")
            }
        }
    }

    pub(crate) fn form(
        place: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self::Form {
            place: place.into(),
            expected: expected.into(),
            found: found.into(),
        }
    }
}
