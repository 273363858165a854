//! Tables as Parquet and as Arrow's files. The same table gives the same bytes.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, NullArray, RecordBatch, RecordBatchOptions};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{ArrowError, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::column::TableColumn;
use crate::error::TableError;
use crate::table::DataTable;

/// The columns as arrays of Arrow, texts as dictionaries; blocks are shared.
///
/// # Errors
/// None that a table causes.
pub fn record_batch(table: &DataTable) -> Result<RecordBatch, TableError> {
    let mut fields = Vec::with_capacity(table.columns().len());
    let mut arrays: Vec<ArrayRef> = Vec::with_capacity(table.columns().len());
    for (name, column) in table.iter() {
        let array = array_of(column).map_err(of_arrow)?;
        fields.push(Field::new(&**name, array.data_type().clone(), true));
        arrays.push(array);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(table.rows()));
    let schema = Arc::new(Schema::new(fields));
    RecordBatch::try_new_with_options(schema, arrays, &options).map_err(of_arrow)
}

fn array_of(column: &TableColumn) -> Result<ArrayRef, ArrowError> {
    Ok(match column {
        TableColumn::Double(array) => Arc::new(array.clone()),
        TableColumn::Integer(array) => Arc::new(array.clone()),
        TableColumn::Decimal(array) => Arc::new(array.clone()),
        TableColumn::Boolean(array) => Arc::new(array.clone()),
        TableColumn::Date(array) => Arc::new(array.clone()),
        TableColumn::Moment(array) => Arc::new(array.clone()),
        TableColumn::Missing(length) => Arc::new(NullArray::new(*length)),
        TableColumn::Text(texts) => {
            let entries = Arc::clone(texts.entries()) as ArrayRef;
            Arc::new(DictionaryArray::<Int32Type>::try_new(
                texts.keys().clone(),
                entries,
            )?)
        }
    })
}

fn of_arrow(err: ArrowError) -> TableError {
    TableError::format(err, "choose fewer columns with `columns`")
}

fn of_parquet(err: ParquetError) -> TableError {
    TableError::format(err, "choose fewer columns with `columns`")
}

/// Parquet with Zstandard. A column of nothing but missing cells is one of texts, since readers know no column without a type.
pub(super) fn write_parquet(table: &DataTable) -> Result<Vec<u8>, TableError> {
    const CREATOR: &str = "mathchain";
    let typed = typed_columns(table)?;
    let batch = record_batch(&typed)?;
    let level = ZstdLevel::try_new(3).map_err(of_parquet)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_created_by(CREATOR.to_owned())
        .build();
    let mut out = Vec::new();
    let writer = ArrowWriter::try_new(&mut out, batch.schema(), Some(properties));
    let mut writer = writer.map_err(of_parquet)?;
    writer.write(&batch).map_err(of_parquet)?;
    writer.close().map_err(of_parquet)?;
    Ok(out)
}

fn typed_columns(table: &DataTable) -> Result<DataTable, TableError> {
    let columns = table.iter().map(|(name, column)| {
        let column = match column {
            TableColumn::Missing(length) => TableColumn::texts((0..*length).map(|_| None)),
            column => column.clone(),
        };
        (Arc::clone(name), column)
    });
    DataTable::new(columns.collect())
}

/// A file of Arrow with Zstandard, which is Feather of the second version.
pub(super) fn write_ipc(table: &DataTable) -> Result<Vec<u8>, TableError> {
    let batch = record_batch(table)?;
    let options = IpcWriteOptions::default()
        .try_with_compression(Some(CompressionType::ZSTD))
        .map_err(of_arrow)?;
    let mut out = Vec::new();
    let writer = FileWriter::try_new_with_options(&mut out, &batch.schema(), options);
    let mut writer = writer.map_err(of_arrow)?;
    writer.write(&batch).map_err(of_arrow)?;
    writer.finish().map_err(of_arrow)?;
    drop(writer);
    Ok(out)
}
