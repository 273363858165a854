//! [`Outline`]: what readers take, found by running them on nothing and noting what they ask for.

use tool_core::schema::Schema;

/// What may stand at one place of a document.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// Texts, numbers, words: each as its schema.
    forms: Vec<Schema>,
    items: Option<Box<Self>>,
    keys: Option<Vec<(String, Self)>>,
    required: Vec<String>,
    /// What stands below names that the author chooses.
    members: Option<Box<Self>>,
}

impl Outline {
    pub(crate) fn form(&mut self, schema: Schema) {
        if !self.forms.contains(&schema) {
            self.forms.push(schema);
        }
    }

    pub(crate) fn items(&mut self) -> &mut Self {
        self.items.get_or_insert_default()
    }

    pub(crate) fn members(&mut self) -> &mut Self {
        self.members.get_or_insert_default()
    }

    pub(crate) fn table(&mut self, keys: &[&str]) {
        let known = self.keys.get_or_insert_default();
        for key in keys {
            if known.iter().all(|(name, _)| name != key) {
                known.push(((*key).to_owned(), Self::default()));
            }
        }
    }

    /// What stands at a key; a key that its table does not list is nowhere taken, and so not part of the outline.
    pub(crate) fn key(&mut self, key: &str) -> Option<&mut Self> {
        let keys = self.keys.as_mut()?;
        let found = keys.iter_mut().find(|(name, _)| name == key)?;
        Some(&mut found.1)
    }

    pub(crate) fn require(&mut self, key: &str) {
        if !self.required.iter().any(|known| known == key) {
            self.required.push(key.to_owned());
        }
    }

    /// Its JSON Schema; `describe` says what the key at a path such as `phases[].gate.kind` means.
    pub(crate) fn schema(
        &self,
        path: &str,
        describe: &mut impl FnMut(&str) -> Option<String>,
    ) -> Schema {
        let mut branches = self.forms.clone();
        if let Some(items) = &self.items {
            let items = items.schema(&format!("{path}[]"), describe);
            branches.push(object([("type", "array".into()), ("items", items)]));
        }
        if let Some(keys) = &self.keys {
            branches.push(self.closed(keys, path, describe));
        }
        if let Some(members) = &self.members {
            let members = members.schema(&below(path, "*"), describe);
            let open = [("type", "object".into()), ("additionalProperties", members)];
            branches.push(object(open));
        }
        let mut schema = match branches.len() {
            1 => branches.remove(0),
            _ => object([("anyOf", Schema::Array(branches))]),
        };
        if let (Some(text), Some(members)) = (describe(path), schema.as_object_mut()) {
            members.insert("description".to_owned(), text.into());
        }
        schema
    }

    fn closed(
        &self,
        keys: &[(String, Self)],
        path: &str,
        describe: &mut impl FnMut(&str) -> Option<String>,
    ) -> Schema {
        let properties: Schema = keys
            .iter()
            .map(|(key, outline)| (key.clone(), outline.schema(&below(path, key), describe)))
            .collect();
        let mut closed = object([
            ("type", "object".into()),
            ("properties", properties),
            ("additionalProperties", false.into()),
        ]);
        if let (false, Some(members)) = (self.required.is_empty(), closed.as_object_mut()) {
            let required = self.required.iter().map(String::as_str).map(Schema::from);
            members.insert("required".to_owned(), required.collect());
        }
        closed
    }
}

fn below(path: &str, key: &str) -> String {
    match path {
        "" => key.to_owned(),
        _ => format!("{path}.{key}"),
    }
}

/// A table of a schema.
pub(crate) fn object<const N: usize>(members: [(&str, Schema); N]) -> Schema {
    let owned = members.map(|(key, member)| (key.to_owned(), member));
    owned.into_iter().collect()
}
