//! TOML into a document.

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use tool_core::{Object, Value};

use super::fault::{self, DEPTH_MAX, DocumentFault, check_size};
use super::spans::{DocumentSpans, LineIndex, Parsed, SpanNode};

pub(super) fn parse_toml_document(text: &str) -> Result<Parsed, Vec<DocumentFault>> {
    match parse_toml_tree(text) {
        Ok((value, root)) => Ok((value, DocumentSpans::Tree(root), Vec::new())),
        Err(fault) => Err(vec![fault]),
    }
}

fn parse_toml_tree(text: &str) -> Result<(Value, SpanNode), DocumentFault> {
    check_size(text)?;
    let lines = LineIndex::new(text);
    let table = DeTable::parse(text).map_err(|err| {
        let span = err.span().unwrap_or_default();
        let mut message = err.message().replace('\n', ", ");
        if let (true, Some(key)) = (message.contains("duplicate key"), text.get(span.clone())) {
            message = format!("{message} `{}`", tool_core::brief::brief_name(key));
        }
        DocumentFault::new(lines.of(span.start), message)
    })?;
    let read = TomlReader { lines };
    let mut root = SpanNode::at((1, 1));
    let value = read.table(table.get_ref(), &mut root, 1)?;
    Ok((value, root))
}

struct TomlReader<'a> {
    lines: LineIndex<'a>,
}

impl TomlReader<'_> {
    /// Depth is bounded: by [`DEPTH_MAX`] here, and by the parser before.
    fn table(
        &self,
        table: &DeTable<'_>,
        node: &mut SpanNode,
        depth: usize,
    ) -> Result<Value, DocumentFault> {
        let mut members: Vec<_> = table.iter().collect();
        members.sort_by_key(|(key, _)| key.span().start);
        let mut object = Object::new();
        for (key, member) in members {
            let mut child = SpanNode::at(self.lines.of(key.span().start));
            // The keys of a table are unique: a search for each would take quadratic time.
            let member = self.value(member, &mut child, depth)?;
            object.push_unique(key.get_ref().as_ref().into(), member);
            node.children.push(child);
        }
        Ok(Value::Object(object.into()))
    }

    fn value(
        &self,
        value: &Spanned<DeValue<'_>>,
        node: &mut SpanNode,
        depth: usize,
    ) -> Result<Value, DocumentFault> {
        let place = self.lines.of(value.span().start);
        if depth > DEPTH_MAX {
            return Err(DocumentFault::new(
                place,
                format!("nested deeper than {DEPTH_MAX}"),
            ));
        }
        match value.get_ref() {
            DeValue::String(text) => Ok(Value::from(text.as_ref())),
            DeValue::Boolean(value) => Ok(Value::from(*value)),
            DeValue::Datetime(moment) => Ok(Value::from(moment.to_string())),
            DeValue::Integer(integer) => {
                let parsed = i64::from_str_radix(integer.as_str(), integer.radix());
                let wide = |_| DocumentFault::new(place, fault::too_wide(integer.as_str()));
                parsed.map(Value::Int).map_err(wide)
            }
            DeValue::Float(float) => fault::parse_double(float.as_str())
                .map_err(|message| DocumentFault::new(place, message)),
            DeValue::Array(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items.iter() {
                    let mut child = SpanNode::at(self.lines.of(item.span().start));
                    values.push(self.value(item, &mut child, depth + 1)?);
                    node.children.push(child);
                }
                Ok(Value::array(values))
            }
            DeValue::Table(table) => self.table(table, node, depth + 1),
        }
    }
}
