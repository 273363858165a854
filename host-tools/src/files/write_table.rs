//! Writing a table to a file.

use table_values::TableInput;
use tables::{DataTable, FileForm, write_table};

use super::evidence::{self, FileDigests, PathDigest};
use crate::inputs::columns::table_file_error;
use crate::prelude::*;

/// Writes a table to a file of the workspace, in the format of its ending: `.csv`, `.tsv`, `.json`, `.jsonl`, `.parquet`, `.arrow`, `.feather`, `.db`
/// (SQLite), each also with `.gz` or `.zst`. The same table gives the same bytes. An existing file is replaced only when asked.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Path of the file, relative to the workspace root. Links are never followed; files of the repository, the state and the configuration are
    /// never written.
    pub path: String,
    /// The table: a list of records, an object of columns, such as `table` of an earlier step, or `{"$file": path}` to convert a file.
    pub table: Input<TableInput>,
    /// The columns to write, in this order; all of them when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
    /// Treatment of an existing file: `create` refuses, `overwrite` replaces it.
    #[value(default)]
    pub mode: TableWriteMode,
    /// Whether to create missing parent folders.
    #[value(default)]
    pub parents: bool,
}

/// Treatment of an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum TableWriteMode {
    /// The file must not exist.
    #[default]
    Create,
    /// The file is replaced.
    Overwrite,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Path relative to the workspace root.
    pub path: String,
    /// The format.
    pub format: String,
    /// Number of rows.
    pub rows: usize,
    /// The columns written, in order.
    pub columns: Vec<String>,
    /// Size of the file in bytes.
    pub size: u64,
    /// Whether the file is new.
    pub created: bool,
}

/// A table as the bytes of a file.
struct TableFile {
    form: FileForm,
    table: DataTable,
    bytes: Vec<u8>,
}

impl TableFile {
    fn output(&self, path: String, created: bool) -> Output {
        let names = self.table.names().iter();
        Output {
            path,
            format: self.form.format.word().to_owned(),
            rows: self.table.rows(),
            columns: names.map(|name| name.to_string()).collect(),
            size: self.bytes.len() as u64,
            created,
        }
    }
}

impl Args {
    fn file(&self, ctx: &Ctx) -> Result<TableFile> {
        let Some(form) = FileForm::of_name(&self.path) else {
            return Err(tool_error!(InvalidArgs at "/path", "format";
                "the ending of `{}` states no format of tables", self.path;
                "use a path that ends in `.csv`, `.tsv`, `.json`, `.jsonl`, `.parquet`, `.arrow`, `.feather` or `.db`, also with `.gz` or `.zst`"));
        };
        let mut table = self.table.load(ctx)?.into_table(ctx)?;
        let failed = |pointer: &'static str| {
            move |err: tables::TableError| table_file_error(&self.path, &err).at(pointer)
        };
        ctx.reserve(table.memory_bytes().saturating_mul(2))?;
        if let Some(columns) = &self.columns {
            table = table.choose(columns).map_err(failed("/columns"))?;
        }
        let stop = || ctx.stop().is_set();
        let bytes = write_table(&table, form, &stop);
        ctx.check()?;
        Ok(TableFile {
            form,
            bytes: bytes.map_err(failed("/path"))?,
            table,
        })
    }
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "write_table",
        title: "Write a table to a file",
        category: Category::System,
        tags: &["table", "file"],
        destructive: true,
        idempotent: false,
        ..super::WRITING
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let file = args.file(ctx)?;
        let files = ctx.files()?;
        if args.parents
            && let Some((folder, _)) = args.path.rsplit_once('/')
            && !folder.is_empty()
        {
            files.make_folder(folder).at("/path")?;
        }
        let write = |mode| files.write(&args.path, &file.bytes, mode);
        // Creating first distinguishes new files from old ones without a race.
        let mut written = write(WriteMode::Create);
        let conflicts = |err: &ToolError| err.code() == ErrorCode::Conflict;
        let created = !written.as_ref().is_err_and(conflicts);
        if args.mode == TableWriteMode::Overwrite && !created {
            written = write(WriteMode::Overwrite);
        }
        let info = written.map_err(|err| match conflicts(&err) {
            // The workspace speaks of the modes of all writers.
            true => {
                err.hint("choose another path, or replace the file with `\"mode\": \"overwrite\"`")
            }
            false => err,
        });
        let info = info.at("/path")?;
        Ok(file.output(info.path, created))
    }

    fn before(args: &Args, ctx: &Ctx) -> Result<Option<Value>> {
        let file = args.file(&ctx.uncounted())?;
        let (files, path) = (ctx.files()?, &args.path);
        let before = match (evidence::held_by(files, path, ctx)?, args.mode) {
            (PathDigest::TooLarge, _) | (PathDigest::Digest(..), TableWriteMode::Create) => {
                return Ok(None);
            }
            (PathDigest::Absent, _) => None,
            (PathDigest::Digest(before, _), TableWriteMode::Overwrite) => Some(before),
        };
        let after = evidence::content_digest(&file.bytes);
        let output = file.output(evidence::identity_path(path, ctx)?, before.is_none());
        evidence::of_files(vec![FileDigests::new(path, before, Some(after))], &output)
    }

    fn probe(_: &Args, before: &Value, ctx: &Ctx) -> Result<CallProbe> {
        evidence::probe_change(before, ctx)
    }

    fn narrow(args: &Args) -> EffectReach {
        EffectReach {
            destructive: args.mode == TableWriteMode::Overwrite,
            ..EffectReach::of(&Self::SPEC)
        }
    }

    /// Run in a workspace without such a file.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a new file in a new folder":
            r#"{"path": "out/sales.csv", "table": {"city": ["Rome", null], "price": [3.5, 1.25]}, "parents": true}"#
            => r#"{"path": "out/sales.csv", "format": "csv", "rows": 2, "columns": ["city", "price"], "size": 26, "created": true}"#;
    };
}
