//! Slices of stored lists: of a block of numbers, the file is read where they are.

use std::ops::Range;

use tool_core::{Result, Value, tool_error};

use super::state::StateStore;
use crate::StateScope;
use crate::artifacts::ArtifactKind;

/// Elements of a stored list.
#[derive(Debug)]
pub struct ListSlice {
    /// Elements of the whole list.
    pub total: usize,
    /// The elements asked for, as far as there are.
    pub items: Value,
}

impl StateStore {
    /// Opens elements of a list for who asks, counted from 0. A block of numbers takes memory for its elements alone; any
    /// other list is opened whole.
    ///
    /// # Errors
    /// As [`StateStore::open_in`], for what is read; `invalid_args` with reason `resource` for a value that is no list.
    pub fn slice_in(
        &self,
        scope: &StateScope,
        name: &str,
        wanted: Range<usize>,
        bytes_max: u64,
    ) -> Result<ListSlice> {
        let found = self.artifact_in(scope, name)?;
        let ArtifactKind::Npy { shape, .. } = &found.handle.kind else {
            return slice_elements(&self.open_in(scope, name, bytes_max)?, wanted);
        };
        let total = shape.first().copied().unwrap_or(0);
        let rows = wanted.start.min(total)..wanted.end.min(total);
        let rows = rows.start..rows.end.max(rows.start);
        let width: usize = shape.iter().skip(1).product();
        let bytes = (8 * width as u64).saturating_mul(rows.len() as u64);
        if bytes > bytes_max {
            let most = bytes_max / (8 * width as u64);
            return Err(
                tool_error!(LimitExceeded, "artifact_size"; "{} elements have {bytes} bytes; the limit is {bytes_max}", rows.len();
                "read at most {most} elements at a time"),
            );
        }
        Ok(ListSlice {
            total,
            items: self.shared.folder.rows(&found.handle, rows)?,
        })
    }
}

/// Elements of a value in memory.
fn slice_elements(value: &Value, wanted: Range<usize>) -> Result<ListSlice> {
    let items = value.items().ok_or_else(|| {
        tool_error!(InvalidArgs, "resource"; "the artifact is {}, which has no elements", value.kind(); "read it whole")
    })?;
    let total = items.len();
    let shown = items.into_iter().skip(wanted.start).take(wanted.len());
    Ok(ListSlice {
        total,
        items: Value::array(shown.collect()),
    })
}
