//! Rows of a table: by a mask, by order, by chance, each once.

use rand::Rng;

use crate::error::{StopCheck, TableError};
use crate::keys::RowGroups;
use crate::order::{SortKey, order_rows};
use crate::table::DataTable;

impl DataTable {
    /// The rows where a mask holds; a missing answer is a no.
    ///
    /// # Panics
    /// When the mask has fewer entries than the table has rows.
    #[must_use]
    pub fn filter(&self, mask: &[Option<bool>]) -> Self {
        let rows = 0..self.rows() as u32;
        let kept: Vec<u32> = rows
            .filter(|row| mask[*row as usize] == Some(true))
            .collect();
        match kept.len() == self.rows() {
            true => self.clone(),
            false => self.take(&kept),
        }
    }

    /// The rows in the order of some columns; missing cells are last in both directions.
    ///
    /// # Errors
    /// A column that the table has not; a stop.
    pub fn sort(&self, keys: &[SortKey], stop: StopCheck<'_>) -> Result<Self, TableError> {
        match keys.is_empty() {
            true => Ok(self.clone()),
            false => Ok(self.take(&order_rows(self, keys, stop)?)),
        }
    }

    /// So many rows drawn without replacement, in their order; all of them where there are fewer. The same for the same seed on every machine.
    ///
    /// # References
    /// Algorithm S (selection sampling), D. E. Knuth, The Art of Computer Programming, volume 2, section 3.4.2.
    #[must_use]
    pub fn sample(&self, count: usize, seed: u64) -> Self {
        let mut random = random_streams::stream_rng(seed, 0);
        let (mut left, mut wanted) = (self.rows() as u64, count.min(self.rows()) as u64);
        let mut kept = Vec::with_capacity(wanted as usize);
        for row in 0..self.rows() as u32 {
            // The rounding of this product favours no row by more than 2^-32.
            let draw = (u128::from(random.next_u64()) * u128::from(left)) >> 64;
            if draw < u128::from(wanted) {
                kept.push(row);
                wanted -= 1;
            }
            left -= 1;
        }
        self.take(&kept)
    }

    /// The first row of each set of rows that are equal in some columns; in all of them where none is named.
    ///
    /// # Errors
    /// A column that the table has not; a stop.
    pub fn distinct<T: AsRef<str>>(
        &self,
        names: &[T],
        stop: StopCheck<'_>,
    ) -> Result<Self, TableError> {
        let columns = match names.is_empty() {
            true => self.columns().iter().collect(),
            false => names
                .iter()
                .map(|name| self.column(name.as_ref()))
                .collect::<Result<Vec<_>, _>>()?,
        };
        let groups = RowGroups::new(&columns, self.rows(), stop)?;
        Ok(self.take(&groups.first_rows))
    }
}
