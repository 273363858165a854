//! Families by name: parameters with their ranges, and how a distribution is made of them.

use super::Distribution;
use super::catalogue::FAMILIES;

/// What is wrong with a distribution's parameters.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DistributionError {
    /// No family has the name.
    #[error("`{0}` is no family of distributions")]
    UnknownFamily(String),
    /// A parameter without a default is not given.
    #[error("`{family}` needs the parameter `{parameter}`")]
    MissingParameter {
        /// The family.
        family: &'static str,
        /// Its parameter.
        parameter: &'static str,
    },
    /// The family has no such parameter.
    #[error("`{family}` has no parameter `{parameter}`; it has {known}")]
    UnknownParameter {
        /// The family.
        family: &'static str,
        /// What was given.
        parameter: String,
        /// What it has.
        known: String,
    },
    /// A parameter is outside of its range.
    #[error("`{parameter}` of `{family}` is {expected}, found {found}")]
    OutOfRange {
        /// The family.
        family: &'static str,
        /// Its parameter.
        parameter: &'static str,
        /// Its range.
        expected: String,
        /// What was given.
        found: f64,
    },
}

/// The numbers that a parameter may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParameterRange {
    /// Any finite number.
    Line,
    /// Above 0.
    Positive,
    /// 0 or above.
    NonNegative,
    /// Above 1.
    AboveOne,
    /// From 0 to 1.
    Probability,
    /// Above 0, at most 1.
    PositiveProbability,
    /// Inside 0 to 1.
    OpenUnit,
    /// A whole number from 0.
    Whole,
    /// A whole number of either sign.
    Integer,
}

impl ParameterRange {
    fn has(self, value: f64) -> bool {
        value.is_finite()
            && match self {
                Self::Line => true,
                Self::Positive => value > 0.0,
                Self::NonNegative => value >= 0.0,
                Self::AboveOne => value > 1.0,
                Self::Probability => (0.0..=1.0).contains(&value),
                Self::PositiveProbability => value > 0.0 && value <= 1.0,
                Self::OpenUnit => value > 0.0 && value < 1.0,
                Self::Whole => value >= 0.0 && value.fract() == 0.0 && value <= 1e15,
                Self::Integer => value.fract() == 0.0 && value.abs() <= 1e15,
            }
    }

    /// The range in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Line => "a finite number",
            Self::Positive => "above 0",
            Self::NonNegative => "0 or above",
            Self::AboveOne => "above 1",
            Self::Probability => "from 0 to 1",
            Self::PositiveProbability => "above 0 and at most 1",
            Self::OpenUnit => "between 0 and 1",
            Self::Whole => "a whole number from 0 to 1e15",
            Self::Integer => "a whole number",
        }
    }
}

/// A parameter of a family.
#[derive(Debug, Clone, Copy)]
pub struct FamilyParameter {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub range: ParameterRange,
    /// What it is where it is not given.
    pub default: Option<f64>,
}

/// A family of distributions.
#[derive(Debug)]
pub struct Family {
    /// Its name, such as `student_t`.
    pub name: &'static str,
    /// Other names by which it is found.
    pub aliases: &'static [&'static str],
    /// Its parameters, in order.
    pub parameters: &'static [FamilyParameter],
    /// Whether it has probabilities of whole numbers.
    pub is_discrete: bool,
    pub(super) make: fn(&[f64]) -> MadeDistribution,
}

/// A parameter that is wrong beside the others: its place and the range.
pub(super) struct JointRange(pub(super) usize, pub(super) String);

/// The result of `make`.
pub(super) type MadeDistribution = Result<Box<dyn Distribution>, JointRange>;

impl Family {
    /// The family of a name or alias.
    pub fn named(name: &str) -> Result<&'static Self, DistributionError> {
        let is_it = |family: &&Self| family.name == name || family.aliases.contains(&name);
        let family = FAMILIES.iter().find(is_it);
        family.ok_or_else(|| DistributionError::UnknownFamily(name.to_owned()))
    }

    /// The values of the parameters in order, from pairs of name and value; defaults for those that are missing.
    pub fn arrange<'a>(
        &'static self,
        given: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> Result<Vec<f64>, DistributionError> {
        let mut values: Vec<Option<f64>> = self.parameters.iter().map(|one| one.default).collect();
        for (name, value) in given {
            let place = self.parameters.iter().position(|one| one.name == name);
            let place = place.ok_or_else(|| DistributionError::UnknownParameter {
                family: self.name,
                parameter: name.to_owned(),
                known: self.parameter_names(),
            })?;
            values[place] = Some(value);
        }
        let pairs = self.parameters.iter().zip(values);
        let filled = pairs.map(|(parameter, value)| {
            value.ok_or(DistributionError::MissingParameter {
                family: self.name,
                parameter: parameter.name,
            })
        });
        filled.collect()
    }

    fn parameter_names(&self) -> String {
        let names: Vec<String> = self
            .parameters
            .iter()
            .map(|one| format!("`{}`", one.name))
            .collect();
        names.join(", ")
    }

    /// The distribution with these parameters, in the order of the family.
    pub fn build(
        &'static self,
        values: &[f64],
    ) -> Result<Box<dyn Distribution>, DistributionError> {
        for (place, parameter) in self.parameters.iter().enumerate() {
            let Some(&value) = values.get(place) else {
                return Err(DistributionError::MissingParameter {
                    family: self.name,
                    parameter: parameter.name,
                });
            };
            if !parameter.range.has(value) {
                return Err(self.out_of_range(place, parameter.range.words().to_owned(), value));
            }
        }
        (self.make)(values)
            .map_err(|JointRange(place, words)| self.out_of_range(place, words, values[place]))
    }

    fn out_of_range(
        &'static self,
        place: usize,
        expected: String,
        found: f64,
    ) -> DistributionError {
        DistributionError::OutOfRange {
            family: self.name,
            parameter: self.parameters[place].name,
            expected,
            found,
        }
    }
}
