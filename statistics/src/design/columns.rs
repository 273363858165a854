//! [`ModelColumns`]: named columns of numbers and categories.

use super::DesignError;

/// A column of data.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelColumn {
    /// Numbers; what is not finite is missing.
    Numbers(Vec<f64>),
    /// Categories.
    Categories(CategoryColumn),
}

/// A column of categories: levels in order, and the level of each row.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoryColumn {
    /// The levels, the base first.
    pub levels: Vec<String>,
    /// The index of each row's level; `None` where the cell is missing.
    pub codes: Vec<Option<u32>>,
}

impl CategoryColumn {
    /// The column of labels; levels in order of their characters, so that they do not depend on the order of the rows.
    pub fn from_labels<'a>(labels: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let labels: Vec<Option<&str>> = labels.into_iter().collect();
        let mut levels: Vec<&str> = labels.iter().copied().flatten().collect();
        levels.sort_unstable();
        levels.dedup();
        let code = |label: &Option<&str>| {
            let place = label.and_then(|label| levels.binary_search(&label).ok());
            place.map(|place| place as u32)
        };
        Self {
            codes: labels.iter().map(code).collect(),
            levels: levels.iter().map(|level| (*level).to_owned()).collect(),
        }
    }

    /// The column of numbers as categories; levels ascend.
    pub fn from_numbers(numbers: &[f64]) -> Self {
        let finite = numbers.iter().copied().filter(|value| value.is_finite());
        // -0 and 0 are one level.
        let mut levels: Vec<f64> = finite.map(|value| value + 0.0).collect();
        levels.sort_unstable_by(f64::total_cmp);
        levels.dedup();
        let code = |value: &f64| {
            let place = levels.binary_search_by(|level| level.total_cmp(&(value + 0.0)));
            place.ok().map(|place| place as u32)
        };
        Self {
            codes: numbers.iter().map(code).collect(),
            levels: levels.iter().map(f64::to_string).collect(),
        }
    }

    /// The levels of some rows only, in their order, without those that no row has.
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> Self {
        let mut is_used = vec![false; self.levels.len()];
        let codes: Vec<Option<u32>> = rows.iter().map(|row| self.codes[*row]).collect();
        codes
            .iter()
            .flatten()
            .for_each(|code| is_used[*code as usize] = true);
        let mut places = vec![0; self.levels.len()];
        let mut levels = Vec::new();
        for (index, level) in self.levels.iter().enumerate() {
            if is_used[index] {
                places[index] = levels.len() as u32;
                levels.push(level.clone());
            }
        }
        let codes = codes
            .into_iter()
            .map(|code| code.map(|code| places[code as usize]));
        Self {
            levels,
            codes: codes.collect(),
        }
    }
}

impl ModelColumn {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Categories(column) => column.codes.len(),
        }
    }

    /// Whether a row has no value.
    pub fn is_missing(&self, row: usize) -> bool {
        match self {
            Self::Numbers(numbers) => !numbers[row].is_finite(),
            Self::Categories(column) => column.codes[row].is_none(),
        }
    }

    /// Some of its rows.
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> Self {
        match self {
            Self::Numbers(numbers) => Self::Numbers(rows.iter().map(|row| numbers[*row]).collect()),
            Self::Categories(column) => Self::Categories(column.take(rows)),
        }
    }

    /// The column as categories.
    pub fn to_categories(&self) -> CategoryColumn {
        match self {
            Self::Numbers(numbers) => CategoryColumn::from_numbers(numbers),
            Self::Categories(column) => column.clone(),
        }
    }
}

/// Named columns of one length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelColumns {
    rows: usize,
    columns: Vec<(String, ModelColumn)>,
}

impl ModelColumns {
    /// The columns.
    ///
    /// # Errors
    /// [`DesignError::Ragged`].
    pub fn new(columns: Vec<(String, ModelColumn)>) -> Result<Self, DesignError> {
        let rows = columns.first().map_or(0, |(_, column)| column.rows());
        for (name, column) in &columns {
            if column.rows() != rows {
                return Err(DesignError::Ragged {
                    name: name.clone(),
                    found: column.rows(),
                    expected: rows,
                });
            }
        }
        Ok(Self { rows, columns })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// A column by name.
    ///
    /// # Errors
    /// [`DesignError::UnknownColumn`].
    pub fn get(&self, name: &str) -> Result<&ModelColumn, DesignError> {
        let column = self.columns.iter().find(|(known, _)| known == name);
        let unknown = || DesignError::UnknownColumn {
            name: name.to_owned(),
        };
        column.map(|(_, column)| column).ok_or_else(unknown)
    }

    /// The numbers of a column.
    ///
    /// # Errors
    /// [`DesignError::UnknownColumn`], [`DesignError::NotNumeric`] with the place that needs them.
    pub fn numbers(&self, name: &str, place: &str) -> Result<&[f64], DesignError> {
        match self.get(name)? {
            ModelColumn::Numbers(numbers) => Ok(numbers),
            ModelColumn::Categories(_) => Err(DesignError::NotNumeric {
                name: name.to_owned(),
                place: place.to_owned(),
            }),
        }
    }

    /// Rows in which every named column has a value.
    ///
    /// # Errors
    /// [`DesignError::UnknownColumn`].
    pub fn complete_rows<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<usize>, DesignError> {
        let mut is_complete = vec![true; self.rows];
        for name in names {
            let column = self.get(name)?;
            for (row, flag) in is_complete.iter_mut().enumerate() {
                *flag &= !column.is_missing(row);
            }
        }
        Ok((0..self.rows).filter(|row| is_complete[*row]).collect())
    }

    /// Some rows of the named columns.
    ///
    /// # Errors
    /// [`DesignError::UnknownColumn`].
    pub fn take<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
        rows: &[usize],
    ) -> Result<Self, DesignError> {
        let mut columns: Vec<(String, ModelColumn)> = Vec::new();
        for name in names {
            if columns.iter().all(|(known, _)| known != name) {
                columns.push((name.to_owned(), self.get(name)?.take(rows)));
            }
        }
        Ok(Self {
            rows: rows.len(),
            columns,
        })
    }
}
