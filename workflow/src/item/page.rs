//! [`ItemPage`]: Markdown with YAML frontmatter, kept byte for byte.
//!
//! A page is its text. Reading finds fields and sections in it; a change replaces the bytes of one value and nothing else, so
//! that unknown keys, comments, line endings, spaces and code survive. After each change the page is read again: the value must be
//! the one that was set and every other field as before, else the change is undone and refused.

use std::collections::HashMap;

use registry::document::{self, DocumentFormat};
use tool_core::{Object, Value};

use super::{frontmatter, sections};
use crate::fault::WorkflowFault;
use crate::limits::{FRONTMATTER_BYTES_MAX, FRONTMATTER_KEYS_MAX, ITEM_BYTES_MAX};

/// Markdown with YAML frontmatter; see the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemPage {
    text: String,
}

impl ItemPage {
    /// A page with this text.
    ///
    /// # Errors
    /// A text beyond [`ITEM_BYTES_MAX`].
    pub fn parse(text: impl Into<String>) -> Result<Self, WorkflowFault> {
        let text = text.into();
        match text.len() > ITEM_BYTES_MAX {
            false => Ok(Self { text }),
            true => Err(WorkflowFault::TooLong {
                field: "item",
                bytes: text.len(),
                max: ITEM_BYTES_MAX,
            }),
        }
    }

    /// Its text.
    pub fn render(&self) -> &str {
        &self.text
    }

    /// Every field of the frontmatter.
    ///
    /// # Errors
    /// Frontmatter that is not one YAML mapping; the fault has line and column.
    pub fn fields(&self) -> Result<Object, WorkflowFault> {
        let Some(front) = frontmatter::find_table(&self.text) else {
            return Ok(Object::new());
        };
        let bytes = front.len();
        if bytes > FRONTMATTER_BYTES_MAX {
            return Err(malformed_page_fault(&format!(
                "it has {bytes} bytes, the limit is {FRONTMATTER_BYTES_MAX}"
            )));
        }
        // Empty lines before it give the places of the page.
        let before = self.text[..front.start].matches('\n').count();
        let table = "\n".repeat(before) + &self.text[front.start..front.end];
        let document = document::parse_document("frontmatter", &table, DocumentFormat::Yaml)
            .map_err(|errors| malformed_page_fault(&errors))?;
        match document.value {
            Value::Null => Ok(Object::new()),
            Value::Object(fields) if fields.len() > FRONTMATTER_KEYS_MAX => {
                Err(malformed_page_fault(&format!(
                    "it has {} keys, the limit is {FRONTMATTER_KEYS_MAX}",
                    fields.len()
                )))
            }
            Value::Object(fields) => Ok((*fields).clone()),
            other => Err(malformed_page_fault(&format!(
                "expected a table of keys, found {}",
                other.kind()
            ))),
        }
    }

    /// A field of the frontmatter.
    ///
    /// # Errors
    /// As [`ItemPage::fields`].
    pub fn field(&self, key: &str) -> Result<Option<Value>, WorkflowFault> {
        Ok(self.fields()?.get(key).cloned())
    }

    /// Sets a field to a text, a boolean, an integer, or a list of texts; frontmatter is begun where there is none.
    ///
    /// # Errors
    /// Frontmatter that cannot be read or extended, a key or value that is none; the page stays as it was.
    pub fn set_field(&mut self, key: &str, value: &Value) -> Result<(), WorkflowFault> {
        self.set_fields(&[(key, Some(value.clone()))])
    }

    /// Removes a field, with the lines of its value.
    ///
    /// # Errors
    /// Frontmatter that cannot be read without it; the page stays as it was.
    pub fn remove_field(&mut self, key: &str) -> Result<(), WorkflowFault> {
        self.set_fields(&[(key, None)])
    }

    /// Sets fields as [`ItemPage::set_field`], and removes those without a value. The frontmatter is read once before and once after all of
    /// them; only where the result is not what was wanted is each way of writing each field tried.
    ///
    /// # Errors
    /// As [`ItemPage::set_field`] and [`ItemPage::remove_field`].
    pub fn set_fields(&mut self, changes: &[(&str, Option<Value>)]) -> Result<(), WorkflowFault> {
        let mut wanted = self.fields()?;
        let mut needed = Vec::new();
        for (key, value) in changes {
            if !frontmatter::is_key(key) {
                let expected = "a letter, then letters, digits, `_` and `-`";
                return Err(WorkflowFault::invalid("key", expected, key));
            }
            if wanted.get(key) == value.as_ref() {
                continue;
            }
            let written = match value {
                None => {
                    wanted.remove(key);
                    None
                }
                Some(value) => {
                    wanted.insert(*key, value.clone());
                    Some(frontmatter::write_yaml_value(value).ok_or_else(|| {
                        let expected = "a text, a boolean, an integer or a list of texts";
                        WorkflowFault::invalid("value", expected, &value.kind())
                    })?)
                }
            };
            needed.push((*key, written));
        }
        if needed.is_empty() {
            return Ok(());
        }
        // All changes at once, in the first way of writing each; where that reads back otherwise, one after the other in any way that does.
        let ways = |text: &str, key: &str, written: &Option<String>| match written {
            Some(written) => frontmatter::set_entry(text, key, written),
            None => frontmatter::remove_entry(text, key),
        };
        let mut text = self.text.clone();
        for (key, written) in &needed {
            text = ways(&text, key, written).into_iter().next().unwrap_or(text);
        }
        if self.take(text, &wanted)? {
            return Ok(());
        }
        let mut page = self.clone();
        for (key, written) in &needed {
            let mut then = page.fields()?;
            match wanted.get(key) {
                Some(value) => then.insert(*key, value.clone()),
                None => drop(then.remove(key)),
            }
            page.first_way(ways(&page.text, key, written), &then)?;
        }
        *self = page;
        Ok(())
    }

    /// Takes a text if its fields are those wanted.
    fn take(&mut self, text: String, wanted: &Object) -> Result<bool, WorkflowFault> {
        let page = Self::parse(text)?;
        let takes = page
            .fields()
            .is_ok_and(|fields| has_same_members(&fields, wanted));
        if takes {
            *self = page;
        }
        Ok(takes)
    }

    /// Takes the first text whose fields are those wanted.
    fn first_way(&mut self, ways: Vec<String>, wanted: &Object) -> Result<(), WorkflowFault> {
        for text in ways {
            if self.take(text, wanted)? {
                return Ok(());
            }
        }
        Err(malformed_page_fault(
            &"its keys are not written one to a line as `key: value`",
        ))
    }

    /// The text of the section `## name`, without the empty lines around it, with `\n` between lines.
    pub fn section(&self, name: &str) -> Option<String> {
        let range = sections::find_section(&self.text, name)?;
        Some(
            self.text[range]
                .replace("\r\n", "\n")
                .trim_matches('\n')
                .to_owned(),
        )
    }

    /// Sets the text of a section; one that is missing is added at the end.
    ///
    /// # Errors
    /// A text with headings of the first two levels or code that is not closed, which would end the section elsewhere, and a page
    /// whose own code is not closed; the page stays as it was.
    pub fn set_section(&mut self, name: &str, text: &str) -> Result<(), WorkflowFault> {
        let text = text.replace("\r\n", "\n");
        let text = text.trim_matches('\n');
        if self.section(name).as_deref() == Some(text) {
            return Ok(());
        }
        if !sections::is_inner(text) || text.contains('\r') {
            let expected = "text whose headings begin with `###` and whose code is closed";
            return Err(WorkflowFault::invalid("section", expected, text));
        }
        let page = Self::parse(sections::set_section(&self.text, name, text))?;
        match page.section(name).as_deref() == Some(text) {
            true => {
                *self = page;
                Ok(())
            }
            false => Err(WorkflowFault::first(
                format!(
                    "the section `{name}` cannot be added: code or a comment before it is not closed"
                ),
                "close it with the line that ends it",
            )),
        }
    }

    /// Removes a section with its heading.
    pub fn remove_section(&mut self, name: &str) {
        self.text = sections::remove_section(&self.text, name);
    }
}

/// Whether two tables have the same members, in any order.
fn has_same_members(one: &Object, other: &Object) -> bool {
    let other: HashMap<&str, &Value> = other.iter().collect();
    one.len() == other.len() && (one.iter()).all(|(key, value)| other.get(key) == Some(&value))
}

fn malformed_page_fault(message: &dyn std::fmt::Display) -> WorkflowFault {
    WorkflowFault::Malformed {
        path: "frontmatter".to_owned(),
        message: tool_core::brief::brief_message(message),
    }
}
