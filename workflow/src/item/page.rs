//! [`Page`]: Markdown with YAML frontmatter, kept byte for byte.
//!
//! A page is its text. Reading finds fields and sections in it; a change replaces the bytes of one value and nothing else, so
//! that unknown keys, comments, line endings, spaces and code survive. After each change the page is read again: the value must be
//! the one that was set and every other field as before, else the change is undone and refused.

use registry::document::{self, Format};
use tool_core::{Object, Value};

use super::{frontmatter, sections};
use crate::fault::Fault;
use crate::limits::ITEM_BYTES_MAX;

/// Markdown with YAML frontmatter; see the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    text: String,
}

impl Page {
    /// A page with this text.
    ///
    /// # Errors
    /// A text beyond [`ITEM_BYTES_MAX`].
    pub fn parse(text: impl Into<String>) -> Result<Self, Fault> {
        let text = text.into();
        match text.len() > ITEM_BYTES_MAX {
            false => Ok(Self { text }),
            true => Err(Fault::TooLong {
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
    pub fn fields(&self) -> Result<Object, Fault> {
        let Some(front) = frontmatter::find(&self.text) else {
            return Ok(Object::new());
        };
        // Empty lines before it give the places of the page.
        let before = self.text[..front.start].matches('\n').count();
        let table = "\n".repeat(before) + &self.text[front.start..front.end];
        let document = document::parse("frontmatter", &table, Format::Yaml)
            .map_err(|errors| malformed(&errors))?;
        match document.value {
            Value::Null => Ok(Object::new()),
            Value::Object(fields) => Ok((*fields).clone()),
            other => Err(malformed(&format!(
                "expected a table of keys, found {}",
                other.kind()
            ))),
        }
    }

    /// A field of the frontmatter.
    ///
    /// # Errors
    /// As [`Page::fields`].
    pub fn field(&self, key: &str) -> Result<Option<Value>, Fault> {
        Ok(self.fields()?.get(key).cloned())
    }

    /// Sets a field to a text, a boolean, an integer, or a list of texts; frontmatter is begun where there is none.
    ///
    /// # Errors
    /// Frontmatter that cannot be read or extended, a key or value that is none; the page stays as it was.
    pub fn set_field(&mut self, key: &str, value: &Value) -> Result<(), Fault> {
        if !frontmatter::is_key(key) {
            return Err(Fault::invalid(
                "key",
                "a letter, then letters, digits, `_` and `-`",
                key,
            ));
        }
        let before = self.fields()?;
        if before.get(key) == Some(value) {
            return Ok(());
        }
        let written = frontmatter::written(value).ok_or_else(|| {
            Fault::invalid(
                "value",
                "a text, a boolean, an integer or a list of texts",
                &value.kind(),
            )
        })?;
        let mut wanted = before;
        wanted.insert(key, value.clone());
        let ways = frontmatter::set(&self.text, key, &written);
        self.first_way(ways, &wanted)
    }

    /// Removes a field, with the lines of its value.
    ///
    /// # Errors
    /// Frontmatter that cannot be read without it; the page stays as it was.
    pub fn remove_field(&mut self, key: &str) -> Result<(), Fault> {
        let mut wanted = self.fields()?;
        match wanted.remove(key) {
            None => Ok(()),
            Some(_) => self.first_way(frontmatter::remove(&self.text, key), &wanted),
        }
    }

    /// Takes the first text whose fields are those wanted.
    fn first_way(&mut self, ways: Vec<String>, wanted: &Object) -> Result<(), Fault> {
        for text in ways {
            let page = Self::parse(text)?;
            if page.fields().is_ok_and(|fields| same(&fields, wanted)) {
                *self = page;
                return Ok(());
            }
        }
        Err(malformed(
            &"its keys are not written one to a line as `key: value`",
        ))
    }

    /// The text of the section `## name`, without the empty lines around it, with `\n` between lines.
    pub fn section(&self, name: &str) -> Option<String> {
        let range = sections::find(&self.text, name)?;
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
    pub fn set_section(&mut self, name: &str, text: &str) -> Result<(), Fault> {
        let text = text.replace("\r\n", "\n");
        let text = text.trim_matches('\n');
        if self.section(name).as_deref() == Some(text) {
            return Ok(());
        }
        if !sections::is_inner(text) || text.contains('\r') {
            let expected = "text whose headings begin with `###` and whose code is closed";
            return Err(Fault::invalid("section", expected, text));
        }
        let page = Self::parse(sections::set(&self.text, name, text))?;
        match page.section(name).as_deref() == Some(text) {
            true => {
                *self = page;
                Ok(())
            }
            false => Err(Fault::first(
                format!(
                    "the section `{name}` cannot be added: code or a comment before it is not closed"
                ),
                "close it with the line that ends it",
            )),
        }
    }

    /// Removes a section with its heading.
    pub fn remove_section(&mut self, name: &str) {
        self.text = sections::remove(&self.text, name);
    }
}

/// Whether two tables have the same members, in any order.
fn same(one: &Object, other: &Object) -> bool {
    one.len() == other.len() && one.iter().all(|(key, value)| other.get(key) == Some(value))
}

fn malformed(message: &dyn std::fmt::Display) -> Fault {
    Fault::Malformed {
        path: "frontmatter".to_owned(),
        message: tool_core::brief::message(message),
    }
}
