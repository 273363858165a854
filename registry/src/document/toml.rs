//! TOML into a document.

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use tool_core::{Object, Value};

use super::fault::{self, DEPTH_MAX, Fault, check_size};
use super::spans::{Lines, Node, Parsed, Spans};

pub(super) fn parse(text: &str) -> Result<Parsed, Vec<Fault>> {
    match whole(text) {
        Ok((value, root)) => Ok((value, Spans::Tree(root), Vec::new())),
        Err(fault) => Err(vec![fault]),
    }
}

fn whole(text: &str) -> Result<(Value, Node), Fault> {
    check_size(text)?;
    let lines = Lines::new(text);
    let table = DeTable::parse(text).map_err(|err| {
        let span = err.span().unwrap_or_default();
        let mut message = err.message().replace('\n', ", ");
        if let (true, Some(key)) = (message.contains("duplicate key"), text.get(span.clone())) {
            message = format!("{message} `{}`", tool_core::brief::name(key));
        }
        Fault::new(lines.of(span.start), message)
    })?;
    let read = Read { lines };
    let mut root = Node::at((1, 1));
    let value = read.table(table.get_ref(), &mut root, 1)?;
    Ok((value, root))
}

struct Read<'a> {
    lines: Lines<'a>,
}

impl Read<'_> {
    /// Depth is bounded: by [`DEPTH_MAX`] here, and by the parser before.
    fn table(&self, table: &DeTable<'_>, node: &mut Node, depth: usize) -> Result<Value, Fault> {
        let mut members: Vec<_> = table.iter().collect();
        members.sort_by_key(|(key, _)| key.span().start);
        let mut object = Object::new();
        for (key, member) in members {
            let mut child = Node::at(self.lines.of(key.span().start));
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
        node: &mut Node,
        depth: usize,
    ) -> Result<Value, Fault> {
        let place = self.lines.of(value.span().start);
        if depth > DEPTH_MAX {
            return Err(Fault::new(place, format!("nested deeper than {DEPTH_MAX}")));
        }
        match value.get_ref() {
            DeValue::String(text) => Ok(Value::from(text.as_ref())),
            DeValue::Boolean(value) => Ok(Value::from(*value)),
            DeValue::Datetime(moment) => Ok(Value::from(moment.to_string())),
            DeValue::Integer(integer) => {
                let parsed = i64::from_str_radix(integer.as_str(), integer.radix());
                let wide = |_| Fault::new(place, fault::too_wide(integer.as_str()));
                parsed.map(Value::Int).map_err(wide)
            }
            DeValue::Float(float) => {
                fault::number(float.as_str()).map_err(|message| Fault::new(place, message))
            }
            DeValue::Array(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items.iter() {
                    let mut child = Node::at(self.lines.of(item.span().start));
                    values.push(self.value(item, &mut child, depth + 1)?);
                    node.children.push(child);
                }
                Ok(Value::array(values))
            }
            DeValue::Table(table) => self.table(table, node, depth + 1),
        }
    }
}
