//! Work on parts of a table, such as its columns, shared among threads. Parts do not depend on each other, and what is answered is in their
//! order, so that the number of threads changes nothing.

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use crate::error::TableError;

/// Cells below which a thread is not worth its start.
const CELLS_SHARED: usize = 1 << 15;

/// The result of each part; the first error in their order where there are several. `cells` is about how many cells are looked at in all.
pub(crate) fn map_parts<T: Sync, R: Send>(
    parts: &[T],
    cells: usize,
    each: impl Fn(&T) -> Result<R, TableError> + Send + Sync,
) -> Result<Vec<R>, TableError> {
    if parts.len() < 2 || cells < CELLS_SHARED {
        return parts.iter().map(each).collect();
    }
    let results: Vec<Result<R, TableError>> =
        thread_pools::run_in_pool(|| parts.par_iter().map(each).collect());
    results.into_iter().collect()
}
