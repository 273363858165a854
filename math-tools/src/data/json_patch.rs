//! Changes of JSON: JSON Patch and merge patch.

use std::sync::Arc;

use tool_core::{Object, tool_error};

use crate::prelude::{did_you_mean, *};

/// Most bytes of a result, as values in memory: copies of copies grow without end.
const RESULT_BYTES_MAX: u64 = 256 << 20;
/// Deepest result; what is read as JSON is less deep.
const DEPTH_MAX: usize = 256;
/// The operations, for messages.
const OPERATIONS: [&str; 6] = ["add", "remove", "replace", "move", "copy", "test"];

/// Changes a JSON value by a JSON Patch (RFC 6902: `add remove replace move copy test`, all or nothing) or by a merge patch (RFC 7386: members replace
/// those of the document, `null` removes them). A result has at most 256 MiB, and is at most 256 levels deep.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The document: any JSON.
    pub document: Input<Value>,
    /// Operations in order, such as `{"op": "replace", "path": "/a/0", "value": 2}`; `json_diff` makes them.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub patch: Option<Vec<Value>>,
    /// A merge patch.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub merge: Option<Value>,
}

/// A changed document.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The document after all changes.
    pub result: Value,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("json_patch", "Patch JSON")
        .category(Category::Data)
        .tags(&["json", "convert"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "two operations":
            r#"{"document": {"a": [1, 2], "b": "x"}, "patch": [
                {"op": "add", "path": "/a/-", "value": 3}, {"op": "move", "from": "/b", "path": "/c"}]}"#
            => r#"{"result": {"a": [1, 2, 3], "c": "x"}}"#;
        "a merge patch":
            r#"{"document": {"a": 1, "b": {"c": 2}}, "merge": {"a": null, "b": {"d": 3}}}"#
            => r#"{"result": {"b": {"c": 2, "d": 3}}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let document = args.document.load(ctx)?;
        let result = match (args.patch, args.merge) {
            (Some(operations), None) => apply_operations(document, &operations, ctx)?,
            (None, Some(merge)) => merge_values(&document, &merge),
            _ => {
                refuse!(invalid ""; "expected `patch` or `merge`"; "give one of them")
            }
        };
        Ok(Output { result })
    }
}

/// RFC 7386, section 2.
fn merge_values(target: &Value, patch: &Value) -> Value {
    let Some(members) = patch.as_object() else {
        return patch.clone();
    };
    let mut merged = target.as_object().cloned().unwrap_or_default();
    for (key, member) in members.iter() {
        match member {
            Value::Null => _ = merged.remove(key),
            member => {
                let before = merged.get(key).cloned().unwrap_or_default();
                merged.insert(key, merge_values(&before, member));
            }
        }
    }
    merged.into()
}

/// A document on its way through operations.
struct PatchedDocument {
    value: Value,
    /// No less than its size in bytes.
    bytes: u64,
    /// Bytes that the call has reserved for it.
    reserved: u64,
}

impl PatchedDocument {
    /// Counts what an operation put into the document, before the next one may copy it.
    fn count(&mut self, added: Option<&Value>, at: &str, ctx: &Ctx) -> Result<(), ToolError> {
        let Some(added) = added else {
            return Ok(());
        };
        let bytes = added.bytes_within(RESULT_BYTES_MAX);
        self.bytes += bytes.unwrap_or(RESULT_BYTES_MAX + 1);
        if self.bytes > RESULT_BYTES_MAX {
            // The sum knows nothing of what was removed or replaced.
            let exact = self.value.bytes_within(RESULT_BYTES_MAX);
            self.bytes = exact.ok_or_else(|| {
                tool_error!(LimitExceeded at at, "size";
                    "the document grows beyond {RESULT_BYTES_MAX} bytes here";
                    "copy smaller parts, or patch several documents")
            })?;
        }
        ctx.reserve(self.bytes.saturating_sub(self.reserved))?;
        self.reserved = self.reserved.max(self.bytes);
        Ok(())
    }
}

/// The document after operations, one after the other.
fn apply_operations(document: Value, operations: &[Value], ctx: &Ctx) -> Result<Value, ToolError> {
    let bytes = document.memory_bytes();
    ctx.reserve(bytes)?;
    let mut patched = PatchedDocument {
        value: document,
        bytes,
        reserved: bytes,
    };
    for (index, operation) in operations.iter().enumerate() {
        ctx.check()?;
        let at = format!("/patch/{index}");
        let step = PatchOperation { operation, at: &at }.apply(&patched.value)?;
        patched.value = step.document;
        patched.count(step.added.as_ref(), &at, ctx)?;
    }
    Ok(patched.value)
}

/// What an operation made of a document.
struct PatchStep {
    document: Value,
    /// What is in it now beside what was there.
    added: Option<Value>,
}

impl PatchStep {
    /// Puts a value at a place.
    fn add(path: &JsonPath, document: &Value, value: Value) -> Result<Self, ToolError> {
        path.check_depth(&value)?;
        let document = path.add(document, value.clone())?;
        Ok(Self {
            document,
            added: Some(value),
        })
    }
}

/// An operation of RFC 6902, section 4, with its place in the arguments.
struct PatchOperation<'a> {
    operation: &'a Value,
    at: &'a str,
}

impl PatchOperation<'_> {
    fn text(&self, key: &str) -> Result<&str, ToolError> {
        let at = self.at;
        match self.operation.text(key) {
            Some(text) => Ok(text),
            None => {
                refuse!(invalid format!("{at}/{key}"), "json_patch"; "an operation needs the text `{key}`";
                    "such as {\"op\": \"add\", \"path\": \"/a\", \"value\": 1}")
            }
        }
    }

    fn path(&self, key: &str) -> Result<JsonPath, ToolError> {
        JsonPath::parse(self.text(key)?, self.at, key)
    }

    fn value(&self) -> Result<Value, ToolError> {
        let at = self.at;
        match self.operation.get("value") {
            Some(value) => Ok(value.clone()),
            None => {
                refuse!(invalid format!("{at}/value"), "json_patch"; "the operation needs a `value`";
                    "`null` is a value too; `remove` takes one away")
            }
        }
    }

    fn apply(&self, document: &Value) -> Result<PatchStep, ToolError> {
        let path = self.path("path")?;
        let changed = |document: Value| PatchStep {
            document,
            added: None,
        };
        match self.text("op")? {
            "add" => PatchStep::add(&path, document, self.value()?),
            "remove" => Ok(changed(path.remove(document)?.document)),
            "replace" => {
                let wanted = self.value()?;
                path.find(document)?;
                path.check_depth(&wanted)?;
                let document = path.replace(document, wanted.clone())?;
                Ok(PatchStep {
                    document,
                    added: Some(wanted),
                })
            }
            "copy" => {
                let copied = self.path("from")?.find(document)?;
                PatchStep::add(&path, document, copied)
            }
            "move" => {
                let from = self.path("from")?;
                if path.tokens.len() > from.tokens.len() && path.tokens.starts_with(&from.tokens) {
                    refuse!(invalid format!("{}/path", self.at), "json_patch"; "a value cannot move into itself";
                        "`copy` it there, or move what is beside it");
                }
                let removed = from.remove(document)?;
                path.check_depth(&removed.value)?;
                path.add(&removed.document, removed.value).map(changed)
            }
            "test" => self
                .test(&path, document)
                .map(|()| changed(document.clone())),
            other => {
                let near = did_you_mean(other, OPERATIONS);
                let error = ToolError::invalid(
                    format!("{}/op", self.at),
                    format_args!("unknown operation `{other}`"),
                );
                let known = || format!("the operations are {}", OPERATIONS.join(", "));
                Err(error.reason("json_patch").hint(near.unwrap_or_else(known)))
            }
        }
    }

    fn test(&self, path: &JsonPath, document: &Value) -> Result<(), ToolError> {
        let (wanted, found) = (self.value()?, path.find(document)?);
        if wanted == found {
            return Ok(());
        }
        let found = found.kind();
        refuse!(invalid format!("{}/value", self.at), "json_patch_test"; "the value at `{}` is another one: {found}", path.text;
            "nothing was changed: read the document again")
    }
}

/// Levels of a value: 1 for a number.
fn value_depth(value: &Value) -> usize {
    let below = match value {
        Value::Array(items) => items.iter().map(value_depth).max(),
        Value::Object(object) => object.iter().map(|(_, member)| value_depth(member)).max(),
        Value::Numbers(numbers) => Some(numbers.shape().len()),
        _ => None,
    };
    1 + below.unwrap_or(0)
}

/// A pointer of RFC 6901 with its place in the arguments.
struct JsonPath {
    text: String,
    tokens: Vec<String>,
    at: String,
}

/// A value that was taken out of a document.
struct RemovedValue {
    document: Value,
    value: Value,
}

impl JsonPath {
    fn parse(text: &str, at: &str, key: &str) -> Result<Self, ToolError> {
        let at = format!("{at}/{key}");
        if !text.is_empty() && !text.starts_with('/') {
            refuse!(invalid at, "json_patch"; "a pointer begins with `/`, found `{text}`"; "such as `/a/0`");
        }
        if text
            .split('~')
            .skip(1)
            .any(|after| !after.starts_with(['0', '1']))
        {
            refuse!(invalid at, "json_patch"; "`~` is not followed by 0 or 1 in `{text}`";
                "a pointer writes `~` in a name as `~0`, and `/` as `~1`");
        }
        let tokens = text.split('/').skip(1);
        let tokens = tokens.map(|token| token.replace("~1", "/").replace("~0", "~"));
        Ok(Self {
            text: text.to_owned(),
            tokens: tokens.collect(),
            at,
        })
    }

    /// The error of a place that is not there, with what is there instead.
    fn missing(&self, document: &Value) -> ToolError {
        let message = format!("there is nothing at `{}`", self.text);
        let error = ToolError::invalid(&self.at, message).reason("json_patch");
        let mut here = document.clone();
        for token in &self.tokens {
            match child(&here, token) {
                Some(next) => here = next,
                None => return error.hint(missing_hint(&here, token)),
            }
        }
        error.hint("name a place in a list or an object")
    }

    fn find(&self, document: &Value) -> Result<Value, ToolError> {
        let mut found = document.clone();
        for token in &self.tokens {
            found = child(&found, token).ok_or_else(|| self.missing(document))?;
        }
        Ok(found)
    }

    /// Refuses a value that would make a document too deep here.
    fn check_depth(&self, value: &Value) -> Result<(), ToolError> {
        let depth = self.tokens.len() + value_depth(value);
        if depth <= DEPTH_MAX {
            return Ok(());
        }
        Err(tool_error!(LimitExceeded at &self.at, "depth";
            "the document would be {depth} levels deep here; the limit is {DEPTH_MAX}";
            "put the value further up"))
    }

    /// The document with what `change` makes of the container of the last token.
    fn change(
        &self,
        document: &Value,
        change: &dyn Fn(&Value, &str) -> Option<Value>,
    ) -> Result<Value, ToolError> {
        fn descend(
            value: &Value,
            tokens: &[String],
            change: &dyn Fn(&Value, &str) -> Option<Value>,
        ) -> Option<Value> {
            match tokens {
                [] => None,
                [last] => change(value, last),
                [first, rest @ ..] => match value {
                    Value::Object(object) => {
                        let inner = descend(object.get(first)?, rest, change)?;
                        let mut object = object.as_ref().clone();
                        object.insert(first.as_str(), inner);
                        Some(object.into())
                    }
                    other => {
                        let index = array_index(first)?;
                        let inner = descend(&other.at(index)?, rest, change)?;
                        let mut items = other.items()?;
                        items[index] = inner;
                        Some(Value::array(items))
                    }
                },
            }
        }
        descend(document, &self.tokens, change).ok_or_else(|| self.missing(document))
    }

    fn add(&self, document: &Value, value: Value) -> Result<Value, ToolError> {
        if self.tokens.is_empty() {
            return Ok(value);
        }
        self.change(document, &|container, token| match container {
            Value::Object(object) => {
                let mut object: Object = object.as_ref().clone();
                object.insert(token, value.clone());
                Some(Value::Object(Arc::new(object)))
            }
            other => {
                let mut items = other.items()?;
                let index = match token {
                    "-" => items.len(),
                    token => array_index(token).filter(|index| *index <= items.len())?,
                };
                items.insert(index, value.clone());
                Some(Value::array(items))
            }
        })
    }

    fn replace(&self, document: &Value, value: Value) -> Result<Value, ToolError> {
        if self.tokens.is_empty() {
            return Ok(value);
        }
        self.change(document, &|container, token| match container {
            Value::Object(object) => {
                let mut object: Object = object.as_ref().clone();
                object.insert(token, value.clone());
                Some(object.into())
            }
            other => {
                let mut items = other.items()?;
                *items.get_mut(array_index(token)?)? = value.clone();
                Some(Value::array(items))
            }
        })
    }

    fn remove(&self, document: &Value) -> Result<RemovedValue, ToolError> {
        let value = self.find(document)?;
        if self.tokens.is_empty() {
            return Ok(RemovedValue {
                document: Value::Null,
                value,
            });
        }
        let document = self.change(document, &|container, token| match container {
            Value::Object(object) => {
                let mut object: Object = object.as_ref().clone();
                object.remove(token)?;
                Some(object.into())
            }
            other => {
                let mut items = other.items()?;
                let index = array_index(token).filter(|index| *index < items.len())?;
                items.remove(index);
                Some(Value::array(items))
            }
        })?;
        Ok(RemovedValue { document, value })
    }
}

/// What a value has under a token.
fn child(value: &Value, token: &str) -> Option<Value> {
    match value {
        Value::Object(object) => object.get(token).cloned(),
        other => array_index(token).and_then(|index| other.at(index)),
    }
}

/// What a value has instead of a token.
fn missing_hint(value: &Value, token: &str) -> String {
    match (value, value.items()) {
        (Value::Object(object), _) => {
            let near = did_you_mean(token, object.iter().map(|(key, _)| key));
            let absent = || {
                format!("there is no member `{token}`; `add` makes one in an object that is there")
            };
            near.unwrap_or_else(absent)
        }
        (_, Some(items)) => match items.len() {
            0 => "the list is empty; `-` stands for the place after the last".to_owned(),
            count => format!(
                "the list has the items 0 to {}; `-` stands for the place after the last",
                count - 1
            ),
        },
        _ => format!(
            "`{token}` would lie in {}, which has no members",
            value.kind()
        ),
    }
}

/// An index without leading zeros or signs.
fn array_index(token: &str) -> Option<usize> {
    let is_number = token.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = token == "0" || !token.starts_with('0');
    (is_number && is_plain)
        .then(|| token.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_core::{json, tool_entry};

    fn run(args: &str) -> Result<String, ToolError> {
        let args = json::parse_json(args, json::JsonLimits::default()).unwrap();
        let found = tool_entry::<Args>()
            .tool()
            .decode(&args)?
            .run(&Ctx::default())?;
        Ok(found.get("result").expect("a result").to_string())
    }

    fn patch(document: &str, operations: &str) -> Result<String, ToolError> {
        run(&format!(
            r#"{{"document": {document}, "patch": {operations}}}"#
        ))
    }

    /// RFC 6902, appendix A.
    #[test]
    fn the_examples_of_the_standard() {
        for (document, operations, expected) in [
            (
                r#"{"foo":"bar"}"#,
                r#"[{"op":"add","path":"/baz","value":"qux"}]"#,
                r#"{"foo":"bar","baz":"qux"}"#,
            ),
            (
                r#"{"foo":["bar","baz"]}"#,
                r#"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
                r#"{"foo":["bar","qux","baz"]}"#,
            ),
            (
                r#"{"baz":"qux","foo":"bar"}"#,
                r#"[{"op":"remove","path":"/baz"}]"#,
                r#"{"foo":"bar"}"#,
            ),
            (
                r#"{"foo":["bar","qux","baz"]}"#,
                r#"[{"op":"remove","path":"/foo/1"}]"#,
                r#"{"foo":["bar","baz"]}"#,
            ),
            (
                r#"{"baz":"qux","foo":"bar"}"#,
                r#"[{"op":"replace","path":"/baz","value":"boo"}]"#,
                r#"{"baz":"boo","foo":"bar"}"#,
            ),
            (
                r#"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
                r#"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
                r#"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#,
            ),
            (
                r#"{"foo":["all","grass","cows","eat"]}"#,
                r#"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
                r#"{"foo":["all","cows","eat","grass"]}"#,
            ),
            (
                r#"{"foo":"bar"}"#,
                r#"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
                r#"{"foo":"bar","child":{"grandchild":{}}}"#,
            ),
            (
                r#"{"/":9,"~1":10}"#,
                r#"[{"op":"test","path":"/~01","value":10}]"#,
                r#"{"/":9,"~1":10}"#,
            ),
            (
                r#"{"foo":["bar"]}"#,
                r#"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
                r#"{"foo":["bar",["abc","def"]]}"#,
            ),
            (
                r#"[1,2]"#,
                r#"[{"op":"copy","from":"/0","path":"/-"}]"#,
                "[1,2,1]",
            ),
            (
                r#"{"a":1}"#,
                r#"[{"op":"replace","path":"","value":[1]}]"#,
                "[1]",
            ),
        ] {
            assert_eq!(
                patch(document, operations).unwrap(),
                expected,
                "{operations}"
            );
        }
        for (document, operations, path) in [
            (
                r#"{"baz":"qux"}"#,
                r#"[{"op":"test","path":"/baz","value":"bar"}]"#,
                "/patch/0/value",
            ),
            (
                r#"{"foo":"bar"}"#,
                r#"[{"op":"add","path":"/baz/bat","value":"qux"}]"#,
                "/patch/0/path",
            ),
            (
                r#"{"/":9,"~1":10}"#,
                r#"[{"op":"test","path":"/~01","value":"10"}]"#,
                "/patch/0/value",
            ),
            (
                r#"[1]"#,
                r#"[{"op":"add","path":"/2","value":1}]"#,
                "/patch/0/path",
            ),
            (
                r#"[1]"#,
                r#"[{"op":"remove","path":"/01"}]"#,
                "/patch/0/path",
            ),
            (
                r#"{"a":{"b":1}}"#,
                r#"[{"op":"move","from":"/a","path":"/a/b"}]"#,
                "/patch/0/path",
            ),
            (
                r#"{"a":1}"#,
                r#"[{"op":"delete","path":"/a"}]"#,
                "/patch/0/op",
            ),
            (
                r#"{"a":1}"#,
                r#"[{"op":"add","path":"a","value":1}]"#,
                "/patch/0/path",
            ),
            (
                r#"{"a":1}"#,
                r#"[{"op":"add","path":"/a"}]"#,
                "/patch/0/value",
            ),
        ] {
            let err = patch(document, operations).unwrap_err();
            assert_eq!(err.path(), Some(path), "{operations}: {err:?}");
        }
    }

    /// Each copy of the whole into itself doubles it: 2^40 items in forty operations.
    #[test]
    fn copies_of_copies_end_at_a_limit() {
        let copies = |path: &str, count: usize| {
            let copy = format!(r#"{{"op":"copy","from":"","path":"{path}"}}"#);
            format!("[{}]", vec![copy; count].join(","))
        };
        let err = patch(r#"["x"]"#, &copies("/-", 40)).unwrap_err();
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::LimitExceeded, Some("size"))
        );
        assert!(err.path().unwrap().starts_with("/patch/2"), "{err:?}");
        let err = patch(r#"{"a":1}"#, &copies("/a", 1000)).unwrap_err();
        assert_eq!(err.reason_str(), Some("depth"), "{err:?}");
        // What is replaced again and again does not grow.
        let replace = r#"{"op":"replace","path":"/a","value":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#;
        let many = format!("[{}]", vec![replace; 10_000].join(","));
        assert!(patch(r#"{"a":1}"#, &many).is_ok());
    }

    #[test]
    fn pointers_are_checked_and_hints_say_what_is_there() {
        for (document, path, hint) in [
            (r#"{"a~b":1}"#, "/a~b", "`~0`"),
            (r#"{"a":1}"#, "/a~", "`~1`"),
            (r#"{"price":1}"#, "/prise", "did you mean `price`?"),
            (r#"{"a":[1,2]}"#, "/a/2", "the items 0 to 1"),
            (r#"{"a":1}"#, "/a/b", "no members"),
        ] {
            let operation = format!(r#"[{{"op":"remove","path":"{path}"}}]"#);
            let err = patch(document, &operation).unwrap_err();
            let found = err.hint_str().unwrap_or_default();
            assert!(found.contains(hint), "{path}: {found}");
            assert_eq!(err.path(), Some("/patch/0/path"));
        }
    }

    /// RFC 7386, appendix A.
    #[test]
    fn merge_patches_of_the_standard() {
        for (document, merge, expected) in [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (
                r#"{"a":{"b":"c"}}"#,
                r#"{"a":{"b":"d","c":null}}"#,
                r#"{"a":{"b":"d"}}"#,
            ),
            (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
            (r#"["a","b"]"#, r#"{"a":"b"}"#, r#"{"a":"b"}"#),
            (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
            ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
        ] {
            let args = format!(r#"{{"document": {document}, "merge": {merge}}}"#);
            assert_eq!(run(&args).unwrap(), expected, "{merge}");
        }
        assert!(run(r#"{"document": 1}"#).is_err());
    }
}
