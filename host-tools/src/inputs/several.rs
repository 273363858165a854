//! Several files as one table: `{"$file": "data/*.csv"}`.

use table_values::table_value;
use tables::{DataTable, FileForm, TablePart};
use tool_core::file_pattern::matching_files;
use tool_core::selection::DataSelection;

use super::columns::{read_selected, table_file_error};
use super::unfit_file_error;
use crate::prelude::*;

/// Files of one table, in the order of their names.
pub(super) struct FilePattern<'a> {
    pub(super) files: &'a dyn WorkspaceFiles,
    pub(super) pattern: &'a str,
    pub(super) selection: &'a DataSelection,
}

impl FilePattern<'_> {
    /// The table as an object of columns; all files have so many bytes at most.
    pub(super) fn read(&self, bytes_max: u64, notes: &mut Vec<String>) -> Result<Value> {
        let pattern = self.pattern;
        let paths = matching_files(self.files, pattern, &StopFlag::default())?;
        if paths.is_empty() {
            return Err(
                tool_error!(ToolError, "not_found"; "no file matches `{pattern}`";
                "`*` and `?` stand for characters within one name, `**` for folders"),
            );
        }
        let mut left = bytes_max;
        let mut tables = Vec::with_capacity(paths.len());
        for path in &paths {
            let Some(form) = FileForm::of_name(path) else {
                let message = "its ending states no format of tables";
                return Err(unfit_file_error(path, message, "format").hint(format_args!(
                    "narrow `{pattern}` to files of tables, such as `*.csv`"
                )));
            };
            let content = self.files.read(path, left)?;
            if content.truncated {
                return Err(tool_error!(LimitExceeded, "file_size";
                    "the files of `{pattern}` have more than {bytes_max} bytes";
                    "choose fewer files, or raise `limits.max_input_bytes`"));
            }
            left -= content.bytes.len() as u64;
            let read = read_selected(path, form, self.selection, &content.bytes, bytes_max)?;
            notes.extend(read.notes.iter().map(|note| format!("`{path}`: {note}")));
            tables.push(TablePart {
                name: path.clone(),
                table: read.table,
            });
        }
        let stacked = DataTable::stack(&tables, None);
        let stacked = stacked.map_err(|err| table_file_error(pattern, &err))?;
        notes.extend(
            stacked
                .notes
                .iter()
                .map(|note| format!("`{pattern}`: {note}")),
        );
        Ok(table_value(stacked.table))
    }
}
