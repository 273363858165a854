//! Cross products of a mixed model, made once.

use numerics::Watch;

use crate::design::RandomDesign;
use crate::models::ModelError;

/// Most columns of the random terms that are eliminated densely.
const DENSE_MAX: usize = 3000;

/// Where the columns of a random term are.
#[derive(Debug, Clone)]
pub(super) struct TermPlace {
    /// Index of the term.
    pub term: usize,
    /// Columns whose coefficients vary.
    pub columns: usize,
    /// Groups.
    pub levels: usize,
    /// First column within the block of a level, for terms of the leading group; first of all columns for the others.
    pub start: usize,
    /// First parameter.
    pub parameter: usize,
}

/// Inner products of the columns of the random terms with each other and with `[Q e]`.
///
/// The terms of the group with the most levels lead: their products are one block for each level. Those of other groups are dense.
pub(super) struct CrossProducts {
    /// Terms of the leading group.
    pub leading: Vec<TermPlace>,
    /// The other terms.
    pub others: Vec<TermPlace>,
    /// Levels of the leading group.
    pub groups: usize,
    /// Columns of a block.
    pub block: usize,
    /// Columns of the other terms.
    pub dense: usize,
    /// Columns of `[Q e]`.
    pub fixed: usize,
    /// Blocks, `block x block` for each level.
    pub a11: Vec<f64>,
    /// `block x dense` for each level.
    pub a12: Vec<f64>,
    /// `dense x dense`.
    pub a22: Vec<f64>,
    /// `block x fixed` for each level.
    pub b1: Vec<f64>,
    /// `dense x fixed`.
    pub b2: Vec<f64>,
    /// `fixed x fixed`.
    pub c: Vec<f64>,
}

impl CrossProducts {
    /// The products; `fixed` holds the rows of `[Q e]`.
    pub(super) fn new(
        random: &[RandomDesign],
        fixed: &[f64],
        width: usize,
        watch: &dyn Watch,
    ) -> Result<Self, ModelError> {
        let lead = random.iter().max_by_key(|term| term.levels.len());
        let lead_group = lead.map_or("", |term| term.group.as_str());
        let groups = lead.map_or(0, |term| term.levels.len());
        let (mut leading, mut others) = (Vec::new(), Vec::new());
        let (mut block, mut dense, mut parameter) = (0, 0, 0);
        for (index, term) in random.iter().enumerate() {
            let columns = term.matrix.names.len();
            let is_leading = term.group == lead_group;
            leading_or(is_leading, &mut leading, &mut others).push(TermPlace {
                term: index,
                columns,
                levels: term.levels.len(),
                start: if is_leading { block } else { dense },
                parameter,
            });
            match is_leading {
                true => block += columns,
                false => dense += columns * term.levels.len(),
            }
            parameter += columns * (columns + 1) / 2;
        }
        if dense > DENSE_MAX {
            return Err(ModelError::Unsuitable(format!(
                "the random terms beside `{lead_group}` have {dense} coefficients, more than {DENSE_MAX}"
            )));
        }
        let sizes = groups.saturating_mul(block.saturating_mul(block + dense + width));
        watch.reserve_doubles(sizes.saturating_add(2 * dense * (dense + width)))?;
        let mut products = Self {
            leading,
            others,
            groups,
            block,
            dense,
            fixed: width,
            a11: vec![0.0; groups * block * block],
            a12: vec![0.0; groups * block * dense],
            a22: vec![0.0; dense * dense],
            b1: vec![0.0; groups * block * width],
            b2: vec![0.0; dense * width],
            c: vec![0.0; width * width],
        };
        products.add_rows(random, fixed, watch)?;
        Ok(products)
    }

    fn add_rows(
        &mut self,
        random: &[RandomDesign],
        fixed: &[f64],
        watch: &dyn Watch,
    ) -> Result<(), ModelError> {
        let (block, dense, width) = (self.block, self.dense, self.fixed);
        let mut inside = vec![0.0; block];
        let mut outside: Vec<(usize, f64)> = Vec::new();
        for (row, fixed) in fixed.chunks_exact(width).enumerate() {
            if row % 1024 == 0 {
                watch.check()?;
            }
            let mut group = 0;
            for place in &self.leading {
                let term = &random[place.term];
                group = term.codes[row] as usize;
                for column in 0..place.columns {
                    inside[place.start + column] = term.matrix.matrix.column(column)[row];
                }
            }
            outside.clear();
            for place in &self.others {
                let term = &random[place.term];
                let first = place.start + term.codes[row] as usize * place.columns;
                for column in 0..place.columns {
                    outside.push((first + column, term.matrix.matrix.column(column)[row]));
                }
            }
            for (i, one) in inside.iter().enumerate() {
                let at = group * block + i;
                add_scaled(&mut self.a11[at * block..(at + 1) * block], *one, &inside);
                add_scaled(&mut self.b1[at * width..(at + 1) * width], *one, fixed);
                for (j, two) in &outside {
                    self.a12[at * dense + j] += one * two;
                }
            }
            for (i, one) in &outside {
                add_scaled(&mut self.b2[i * width..(i + 1) * width], *one, fixed);
                for (j, two) in &outside {
                    self.a22[i * dense + j] += one * two;
                }
            }
            for (i, one) in fixed.iter().enumerate() {
                add_scaled(&mut self.c[i * width..(i + 1) * width], *one, fixed);
            }
        }
        Ok(())
    }

    /// Number of parameters of the relative covariances.
    pub(super) fn parameters(&self) -> usize {
        let places = self.leading.iter().chain(&self.others);
        places
            .map(|place| place.columns * (place.columns + 1) / 2)
            .sum()
    }
}

fn leading_or<'a>(
    is_leading: bool,
    leading: &'a mut Vec<TermPlace>,
    others: &'a mut Vec<TermPlace>,
) -> &'a mut Vec<TermPlace> {
    match is_leading {
        true => leading,
        false => others,
    }
}

fn add_scaled(to: &mut [f64], factor: f64, from: &[f64]) {
    to.iter_mut()
        .zip(from)
        .for_each(|(to, from)| *to += factor * from);
}
