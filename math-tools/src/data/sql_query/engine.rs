//! The database in memory: loading, locking down, running.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode as SqlCode, OpenFlags, Statement, ToSql};
use tool_core::nearest::nearest_name;
use tool_core::{Ctx, ErrorCode, Object, ToolError, Value, tool_error};

use super::exact;
use super::lint::{self, QUERY_BYTES_MAX};
use super::source::{NamedColumn, ReadColumns, SqlColumn, SqlTable, value_ref};

/// Longest text or row inside the database, in bytes.
const ROW_BYTES_MAX: i32 = 10_000_000;
/// Memory all databases of the process may use together; one query cannot take the machine down.
const HEAP_BYTES_MAX: u64 = 4 << 30;
/// Largest result, in bytes of cells and names.
const RESULT_BYTES_MAX: u64 = 64 << 20;
/// Instructions of SQLite's machine between two looks at the stop flag: well under a millisecond.
const INSTRUCTIONS: i32 = 10_000;
/// Bytes a cell takes beyond its text.
const CELL_BYTES: u64 = 96;
/// Rows between two looks at the stop flag while loading.
const ROWS: usize = 1024;
/// The column of a table that has none.
const PLACEHOLDER: &str = "_";
/// The column of a table of which a query reads none: no query names it.
const UNREAD: &str = "\u{1}";

/// Functions that read chance, the machine or memory of their own, or load code.
const REFUSED: &str = "random randomblob zeroblob load_extension fts3_tokenizer current_timestamp current_date current_time \
     last_insert_rowid changes total_changes sqlite_log";

/// Tables of SQLite about its own pages and programs.
const INTERNAL: &str = "dbstat sqlite_dbpage sqlite_stmt bytecode tables_used";

/// Rows of a query.
pub(super) struct SqlResult {
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Value>,
    pub(super) truncated: bool,
}

/// Runs one reading statement over tables.
///
/// # Limits
/// SQLite's own on length, depth, columns and terms; a progress handler looks at the stop flag every 10,000 instructions; an
/// authoriser allows reading only. Temporary data stay in memory.
///
/// # Errors
/// `invalid_args` with reason `sql` and the position for a query that SQLite refuses, `limit_exceeded` for one that is too
/// large, `timeout` and `cancelled`.
pub(super) fn run_query(
    query: &str,
    tables: &[(&str, SqlTable)],
    params: Option<&Value>,
    max_rows: usize,
    ctx: &Ctx,
) -> Result<SqlResult, ToolError> {
    let (names, read) = (SchemaNames::of(tables), ReadColumns::of(query));
    let failed =
        |err: rusqlite::Error, denied: Option<String>| query_error(&err, denied, &names, ctx);
    let mut connection = open_connection().map_err(|err| failed(err, None))?;
    let mut seen = HashSet::new();
    for (name, table) in tables {
        if !seen.insert(name.to_lowercase()) {
            return Err(table_error(name, "differs from another table only in case"));
        }
        load_table(&mut connection, name, table, &read, &names, ctx)?;
    }
    let denied = Arc::new(Mutex::new(None));
    restrict_to_reading(&mut connection, &denied, ctx).map_err(|err| failed(err, None))?;
    let refusal = || denied.lock().unwrap_or_else(PoisonError::into_inner).take();
    let mut statement = connection
        .prepare(query)
        .map_err(|err| failed(err, refusal()))?;
    if statement.column_count() == 0 {
        // Nothing but comments, or a statement such as VACUUM that the authoriser is not asked about.
        if lint::is_blank(query) {
            refuse!(invalid "/query", "sql"; "the query is empty"; "write one SELECT statement");
        }
        refuse!(invalid "/query", "sql_refused";
            "the statement gives no rows: a query can only read the given tables";
            "write one SELECT statement");
    }
    bind_parameters(&mut statement, params)?;
    collect_rows(&mut statement, max_rows, ctx, |err| failed(err, refusal()))
}

fn open_connection() -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_MEMORY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_in_memory_with_flags(flags)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection
        .pragma_update_and_check(None, "hard_heap_limit", HEAP_BYTES_MAX as i64, |_| Ok(()))?;
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, ROW_BYTES_MAX),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
        (Limit::SQLITE_LIMIT_PARSER_DEPTH, 500),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 50),
        (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, value)?;
    }
    for (config, value) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
    ] {
        connection.set_db_config(config, value)?;
    }
    exact::install_aggregates(&connection)?;
    Ok(connection)
}

/// Reading only, from here on, and an end when the stop flag is set.
fn restrict_to_reading(
    connection: &mut Connection,
    denied: &Arc<Mutex<Option<String>>>,
    ctx: &Ctx,
) -> rusqlite::Result<()> {
    connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, QUERY_BYTES_MAX as i32)?;
    let stop = ctx.stop().clone();
    connection.progress_handler(INSTRUCTIONS, Some(move || stop.is_set()))?;
    let denied = Arc::clone(denied);
    connection.authorizer(Some(
        move |context: AuthContext<'_>| match describe_refusal(&context.action) {
            None => Authorization::Allow,
            Some(what) => {
                *denied.lock().unwrap_or_else(PoisonError::into_inner) = Some(what);
                Authorization::Deny
            }
        },
    ))
}

/// Description of a refused action.
fn describe_refusal(action: &AuthAction<'_>) -> Option<String> {
    match action {
        AuthAction::Read { table_name, .. } => INTERNAL
            .split(' ')
            .any(|internal| internal.eq_ignore_ascii_case(table_name))
            .then(|| format!("the table `{table_name}`")),
        AuthAction::Select | AuthAction::Recursive => None,
        AuthAction::Function { function_name } => REFUSED
            .split(' ')
            .any(|refused| refused.eq_ignore_ascii_case(function_name))
            .then(|| format!("the function `{function_name}`")),
        AuthAction::Pragma { pragma_name, .. } => Some(format!("the pragma `{pragma_name}`")),
        AuthAction::Attach { .. } | AuthAction::Detach { .. } => {
            Some("attaching a database".to_owned())
        }
        AuthAction::Transaction { .. } | AuthAction::Savepoint { .. } => {
            Some("a transaction".to_owned())
        }
        _ => Some("a statement that changes something".to_owned()),
    }
}

fn load_table(
    connection: &mut Connection,
    name: &str,
    table: &SqlTable,
    read: &ReadColumns,
    names: &SchemaNames<'_>,
    ctx: &Ctx,
) -> Result<(), ToolError> {
    let columns = table.columns();
    let is_read = |column: &&NamedColumn<'_>| read.has(column.name);
    let memory = columns
        .iter()
        .filter(is_read)
        .map(NamedColumn::memory_bytes);
    ctx.reserve(memory.sum())?;
    if name.is_empty() || name.contains('\0') || name.to_lowercase().starts_with("sqlite_") {
        let fault = "is not a usable name: it is empty, starts with `sqlite_` or contains NUL";
        return Err(table_error(name, fault));
    }
    let mut seen = HashSet::new();
    for NamedColumn { name: column, .. } in &columns {
        if column.is_empty() || column.contains('\0') {
            return Err(table_error(name, "has a column without a usable name"));
        }
        if !seen.insert(column.to_lowercase()) {
            let fault = format!("has two columns `{column}` (names do not differ by case in SQL)");
            return Err(table_error(name, &fault));
        }
    }
    let loaded = columns.iter().filter(is_read);
    let loaded: Vec<(&str, SqlColumn<'_>)> =
        loaded.map(|column| (column.name, column.cells())).collect();
    let definitions = loaded.iter();
    let mut definitions: Vec<String> = definitions
        .map(|(column, cells)| format!("{} {}", quote_identifier(column), cells.sql_type()))
        .collect();
    if definitions.is_empty() {
        let name = match columns.is_empty() {
            true => PLACEHOLDER,
            false => UNREAD,
        };
        definitions.push(quote_identifier(name));
    }
    let failed = |err| query_error(&err, None, names, ctx);
    let transaction = connection.transaction().map_err(failed)?;
    let create = format!(
        "CREATE TABLE {} ({})",
        quote_identifier(name),
        definitions.join(", ")
    );
    transaction.execute(&create, []).map_err(failed)?;
    if !columns.is_empty() {
        let marks = vec!["?"; definitions.len()].join(", ");
        let insert = format!("INSERT INTO {} VALUES ({marks})", quote_identifier(name));
        let mut insert = transaction.prepare(&insert).map_err(failed)?;
        for row in 0..table.rows() {
            if row % ROWS == 0 {
                ctx.check()?;
            }
            for (index, (_, cells)) in loaded.iter().enumerate() {
                let bound = insert.raw_bind_parameter(index + 1, SqlCell(cells.cell(row)));
                bound.map_err(failed)?;
            }
            insert.raw_execute().map_err(failed)?;
        }
    }
    transaction.commit().map_err(failed)
}

/// A name as SQL writes it.
fn quote_identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A cell as SQLite takes it.
struct SqlCell<'a>(ValueRef<'a>);

impl ToSql for SqlCell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(self.0))
    }
}

fn bind_parameters(statement: &mut Statement<'_>, params: Option<&Value>) -> Result<(), ToolError> {
    let count = statement.parameter_count();
    let fault = |pointer: &str, message: String| {
        ToolError::invalid(pointer, message).hint("pass a list for `?` and an object for `:name`")
    };
    let mut values: Vec<Option<Value>> = vec![None; count];
    match params {
        None => {}
        Some(Value::Object(object)) => {
            for (name, value) in object.iter() {
                let index = [":", "@", "$", ""].iter().find_map(|mark| {
                    statement
                        .parameter_index(&format!("{mark}{name}"))
                        .ok()
                        .flatten()
                });
                let Some(index) = index else {
                    let message = format!("the query has no parameter `:{name}`");
                    return Err(fault(&format!("/params/{name}"), message));
                };
                values[index - 1] = Some(value.clone());
            }
        }
        Some(list) => {
            let Some(items) = list.items() else {
                let message = format!("expected a list or an object, found {}", list.kind());
                return Err(fault("/params", message));
            };
            if items.len() != count {
                let found = items.len();
                let message = format!("the query has {count} parameters, `params` has {found}");
                return Err(fault("/params", message));
            }
            values = items.into_iter().map(Some).collect();
        }
    }
    for (index, value) in values.iter().enumerate() {
        let name = statement.parameter_name(index + 1).map_or_else(
            || format!("number {}", index + 1),
            |name| format!("`{name}`"),
        );
        let Some(value) = value else {
            return Err(fault("/params", format!("parameter {name} has no value")));
        };
        if let Value::Array(_) | Value::Numbers(_) | Value::Object(_) = value {
            let expected = "expected a number, text, boolean or null";
            let message = format!("parameter {name}: {expected}, found {}", value.kind());
            return Err(fault("/params", message));
        }
        let bound = statement.raw_bind_parameter(index + 1, SqlCell(value_ref(value)));
        bound.map_err(|err| fault("/params", err.to_string()))?;
    }
    Ok(())
}

fn collect_rows(
    statement: &mut Statement<'_>,
    max_rows: usize,
    ctx: &Ctx,
    failed: impl Fn(rusqlite::Error) -> ToolError,
) -> Result<SqlResult, ToolError> {
    let columns: Vec<Arc<str>> = statement.column_names().map(Arc::from).collect();
    let booleans: Vec<bool> = statement
        .columns()
        .map(|column| column.decl_type() == Some("BOOLEAN"))
        .collect();
    let mut seen = HashSet::new();
    if let Some(twice) = columns.iter().find(|name| !seen.insert(&***name)) {
        refuse!(invalid "/query", "sql"; "two result columns are named `{twice}`";
            "give one of them another name with AS");
    }
    let mut rows = Vec::new();
    let mut truncated = false;
    let mut bytes = 0;
    let mut cursor = statement.raw_query();
    while let Some(row) = cursor.next().map_err(&failed)? {
        ctx.check()?;
        if rows.len() == max_rows {
            truncated = true;
            break;
        }
        let mut object = Object::new();
        let mut row_bytes = 0;
        for (index, name) in columns.iter().enumerate() {
            let cell = match row.get_ref(index).map_err(&failed)? {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(value @ (0 | 1)) if booleans[index] => Value::Bool(value == 1),
                ValueRef::Integer(value) => Value::Int(value),
                ValueRef::Real(value) => Value::from(value),
                ValueRef::Text(text) => {
                    row_bytes += text.len() as u64;
                    Value::from(String::from_utf8_lossy(text).into_owned())
                }
                ValueRef::Blob(_) => {
                    refuse!(invalid "/query", "sql"; "the result column `{name}` holds a blob";
                        "wrap it in hex(...) or CAST(... AS TEXT)");
                }
            };
            object.push_unique(Arc::clone(name), cell);
        }
        row_bytes += CELL_BYTES * columns.len() as u64;
        ctx.reserve(row_bytes)?;
        bytes += row_bytes;
        if bytes > RESULT_BYTES_MAX {
            let count = rows.len();
            return Err(tool_error!(LimitExceeded at "/query", "result";
                "the result exceeds {RESULT_BYTES_MAX} bytes after {count} rows";
                "select fewer columns, aggregate, or add LIMIT"));
        }
        rows.push(Value::Object(Arc::new(object)));
    }
    Ok(SqlResult {
        columns: columns.iter().map(|name| name.to_string()).collect(),
        rows,
        truncated,
    })
}

/// The names a query may have meant.
struct SchemaNames<'a> {
    tables: Vec<&'a str>,
    columns: Vec<&'a str>,
}

impl<'a> SchemaNames<'a> {
    fn of(tables: &'a [(&'a str, SqlTable)]) -> Self {
        let columns = tables.iter().flat_map(|(_, table)| table.columns());
        Self {
            tables: tables.iter().map(|(name, _)| *name).collect(),
            columns: columns.map(|column| column.name).collect(),
        }
    }

    /// The next step for a message of SQLite.
    fn hint(&self, message: &str) -> Option<String> {
        let (what, name, known) = match message.strip_prefix("no such table: ") {
            Some(name) => ("tables", name, &self.tables),
            None => {
                let name = message.strip_prefix("no such column: ")?;
                ("columns", name.rsplit('.').next()?, &self.columns)
            }
        };
        if let Some(near) = nearest_name(name, known.iter().copied()) {
            return Some(format!("did you mean `{near}`?"));
        }
        if what == "tables" && name.contains('.') {
            let hint =
                "a file is named in single quotes, with an ending of data: `from 'sales.csv'`";
            return Some(hint.to_owned());
        }
        const NAMES_MAX: usize = 30;
        let shown = known.iter().take(NAMES_MAX);
        let listed: Vec<String> = shown.map(|name| format!("`{name}`")).collect();
        Some(match listed.is_empty() {
            true => "`tables` is empty: pass the tables the query reads".to_owned(),
            false => format!("the {what} are {}", listed.join(", ")),
        })
    }
}

/// Words an error of SQLite for the caller.
fn query_error(
    err: &rusqlite::Error,
    denied: Option<String>,
    names: &SchemaNames<'_>,
    ctx: &Ctx,
) -> ToolError {
    if let Err(stopped) = ctx.check() {
        return stopped;
    }
    if let Some(what) = denied {
        return tool_error!(InvalidArgs at "/query", "sql_refused";
            "{what} is not allowed here: a query can only read the given tables";
            "write one SELECT statement");
    }
    let (message, offset) = match err {
        rusqlite::Error::SqlInputError { msg, offset, .. } => {
            (msg.clone(), usize::try_from(*offset).ok())
        }
        rusqlite::Error::MultipleStatement => ("more than one statement".to_owned(), None),
        rusqlite::Error::SqliteFailure(_, Some(message)) => (message.clone(), None),
        other => (other.to_string(), None),
    };
    let code = match err.sqlite_error_code() {
        Some(SqlCode::OutOfMemory | SqlCode::TooBig) => ErrorCode::LimitExceeded,
        _ => ErrorCode::InvalidArgs,
    };
    let place = offset.map_or(String::new(), |offset| format!(" at byte {}", offset + 1));
    let error = ToolError::new(code, format_args!("SQL: {message}{place}"))
        .reason("sql")
        .at("/query");
    match names.hint(&message) {
        Some(hint) => error.hint(hint),
        None if code == ErrorCode::LimitExceeded => error.hint("request less at once"),
        None => error.hint("write one SELECT statement in the dialect of SQLite"),
    }
}

fn table_error(name: &str, fault: &str) -> ToolError {
    let mut pointer = "/tables".to_owned();
    tool_core::path::push_key(&mut pointer, name);
    ToolError::invalid(pointer, format_args!("the table `{name}` {fault}")).hint("rename it")
}
