//! [`Object`]: the members of an object, and a table whose columns are written out when somebody asks for them.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, OnceLock};

use super::Value;

/// A table that a crate keeps in a layout of its own, and that is an object of columns to everybody else.
pub trait TableSource: Any + Send + Sync + UnwindSafe + RefUnwindSafe + fmt::Debug {
    /// Number of rows.
    fn rows(&self) -> usize;

    /// The names of the columns, each once, in order.
    fn names(&self) -> &[Arc<str>];

    /// The cells of the column at a position: numbers as one block where all cells are there, else a list.
    fn column(&self, index: usize) -> Value;

    /// The memory that it keeps alive, in bytes.
    fn memory_bytes(&self) -> u64;

    /// At least the size of all columns as JSON without their names, in bytes.
    fn json_bytes_max(&self) -> u64;
}

/// The members of an object, in the order they were given.
#[derive(Clone, Default)]
pub struct Object {
    members: Vec<(Arc<str>, Value)>,
    /// A table in place of members; the first change writes it out.
    table: Option<Box<TableMembers>>,
}

#[derive(Clone)]
struct TableMembers {
    source: Arc<dyn TableSource>,
    columns: Vec<OnceLock<Value>>,
}

impl TableMembers {
    fn column(&self, index: usize) -> &Value {
        self.columns[index].get_or_init(|| self.source.column(index))
    }
}

impl Object {
    /// An empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// A table as an object of columns. A column takes memory of its own once somebody looks at it as a value.
    pub fn of_table(source: Arc<dyn TableSource>) -> Self {
        let columns = source.names().iter().map(|_| OnceLock::new()).collect();
        Self {
            members: Vec::new(),
            table: Some(Box::new(TableMembers { source, columns })),
        }
    }

    /// The table behind it, where there is one.
    pub fn table(&self) -> Option<&dyn TableSource> {
        Some(&*self.table.as_ref()?.source)
    }

    /// The table behind it, where it is of this type.
    pub fn table_as<T: TableSource>(&self) -> Option<&T> {
        let source: &dyn Any = self.table()?;
        source.downcast_ref()
    }

    fn member(&self, index: usize) -> (&Arc<str>, &Value) {
        match &self.table {
            Some(table) => (&table.source.names()[index], table.column(index)),
            None => {
                let (key, value) = &self.members[index];
                (key, value)
            }
        }
    }

    /// The members to change; a table is written out.
    fn members_mut(&mut self) -> &mut Vec<(Arc<str>, Value)> {
        if self.table.is_some() {
            self.members = (0..self.len())
                .map(|index| {
                    let (key, value) = self.member(index);
                    (Arc::clone(key), value.clone())
                })
                .collect();
            self.table = None;
        }
        &mut self.members
    }

    fn position(&self, key: &str) -> Option<usize> {
        match &self.table {
            Some(table) => table.source.names().iter().position(|name| **name == *key),
            None => self.members.iter().position(|(name, _)| **name == *key),
        }
    }

    /// Looks a member up.
    pub fn get(&self, key: &str) -> Option<&Value> {
        Some(self.member(self.position(key)?).1)
    }

    /// The value of the member at a position.
    pub fn nth(&self, index: usize) -> Option<&Value> {
        (index < self.len()).then(|| self.member(index).1)
    }

    /// Sets a member; a present one keeps its place.
    pub fn insert(&mut self, key: impl Into<Arc<str>>, value: impl Into<Value>) {
        let (key, value) = (key.into(), value.into());
        let members = self.members_mut();
        match members.iter_mut().find(|(name, _)| *name == key) {
            Some((_, slot)) => *slot = value,
            None => members.push((key, value)),
        }
    }

    /// Sets a member where there is a value.
    pub fn insert_some(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.insert(key, value);
        }
    }

    /// Sets all members of another object.
    pub fn extend(&mut self, others: &Self) {
        for (key, value) in others.iter() {
            self.insert(key, value.clone());
        }
    }

    /// Adds a member that the caller knows to be new.
    pub fn push_unique(&mut self, key: Arc<str>, value: Value) {
        self.members_mut().push((key, value));
    }

    /// Removes a member.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let index = self.position(key)?;
        Some(self.members_mut().remove(index).1)
    }

    /// Hands every member to a reader; the columns of a table live no longer than the reader looks at them.
    ///
    /// # Errors
    /// The first error of the reader.
    pub fn visit<E>(
        &self,
        mut reader: impl FnMut(&Arc<str>, &Value) -> Result<(), E>,
    ) -> Result<(), E> {
        for index in 0..self.len() {
            self.visit_member(index, &mut reader)?;
        }
        Ok(())
    }

    /// As [`Self::visit`], in the order of the names.
    ///
    /// # Errors
    /// The first error of the reader.
    pub fn visit_sorted<E>(
        &self,
        mut reader: impl FnMut(&Arc<str>, &Value) -> Result<(), E>,
    ) -> Result<(), E> {
        let names: Vec<&str> = self.keys().collect();
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_unstable_by_key(|&index| names[index]);
        order
            .into_iter()
            .try_for_each(|index| self.visit_member(index, &mut reader))
    }

    fn visit_member<E>(
        &self,
        index: usize,
        reader: &mut impl FnMut(&Arc<str>, &Value) -> Result<(), E>,
    ) -> Result<(), E> {
        match &self.table {
            Some(table) if table.columns[index].get().is_none() => {
                reader(&table.source.names()[index], &table.source.column(index))
            }
            _ => {
                let (key, value) = self.member(index);
                reader(key, value)
            }
        }
    }

    /// The members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        (0..self.len()).map(|index| {
            let (key, value) = self.member(index);
            (&**key, value)
        })
    }

    /// The names of the members in order, without a look at what they hold.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| match &self.table {
            Some(table) => &*table.source.names()[index],
            None => &*self.members[index].0,
        })
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        match &self.table {
            Some(table) => table.columns.len(),
            None => self.members.len(),
        }
    }

    /// Whether two objects have the same members, in any order; in linear time where the order is the same, or there are many.
    pub(super) fn equals(&self, other: &Self) -> bool {
        /// Up to here a search is as fast as a table.
        const FEW: usize = 16;
        if self.len() != other.len() {
            return false;
        }
        if self.keys().eq(other.keys()) {
            let mut pairs = self.iter().zip(other.iter());
            return pairs.all(|((_, one), (_, two))| one == two);
        }
        if self.len() <= FEW {
            let mut members = self.iter();
            return members.all(|(key, value)| other.get(key) == Some(value));
        }
        let table: HashMap<&str, &Value> = other.iter().collect();
        let mut members = self.iter();
        members.all(|(key, value)| table.get(key) == Some(&value))
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl IntoIterator for Object {
    type Item = (Arc<str>, Value);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    /// The members in order; those of a table are written out.
    fn into_iter(mut self) -> Self::IntoIter {
        self.members_mut();
        self.members.into_iter()
    }
}

impl FromIterator<(Arc<str>, Value)> for Object {
    /// An object of members whose keys are known to differ.
    fn from_iter<I: IntoIterator<Item = (Arc<str>, Value)>>(members: I) -> Self {
        Self {
            members: members.into_iter().collect(),
            table: None,
        }
    }
}
