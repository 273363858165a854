//! What another tool answered, and the arguments of its call, of which a picture takes what the result does not repeat.

use tool_core::convert::{DecodeError, EncodeError, Encoder};
use tool_core::input::InputKind;
use tool_core::schema::json;
use tool_core::{DataSource, Object};

use super::super::natural::DrawnTool;
use crate::prelude::*;

/// The arguments of a call, an object; what it takes from files and artifacts is opened for the picture too.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DrawnCall(Value);

impl DrawnCall {
    /// The arguments as they were given.
    pub(crate) fn value(&self) -> &Value {
        &self.0
    }
}

tool_core::inline_schema!(DrawnCall, json!({ "type": "object" }));

impl Decode for DrawnCall {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        match value.as_object() {
            Some(_) => Ok(Self(value.clone())),
            None => Err(DecodeError::expected("the arguments as an object", value)),
        }
    }
}

impl Encode for DrawnCall {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        let Some(members) = self.0.as_object() else {
            return self.0.encode(encoder);
        };
        let has_source = |(_, value): (&str, &Value)| DataSource::from_value(value).is_some();
        if !members.iter().any(has_source) {
            return self.0.encode(encoder);
        }
        let kinds = source_kinds(&self.0);
        let members: Vec<(String, CallMember)> = members
            .iter()
            .map(|(name, value)| (name.to_owned(), CallMember::new(name, value, &kinds)))
            .collect();
        encode_members(&members, encoder)
    }
}

/// The result of a tool; arrays that are handles of artifacts, as an answer has them for models, are opened.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DrawnAnswer(Value);

tool_core::inline_schema!(DrawnAnswer, json!({}));

impl Decode for DrawnAnswer {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        Ok(Self(value.clone()))
    }
}

impl Encode for DrawnAnswer {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        let members = match self.0.as_object() {
            Some(members) if members.iter().any(|(_, value)| handle_of(value).is_some()) => members,
            _ => return self.0.encode(encoder),
        };
        let members: Vec<(String, CallMember)> = members
            .iter()
            .map(|(name, value)| {
                let member = match handle_of(value) {
                    Some(source) => CallMember::Any(Input::From(source)),
                    None => CallMember::Plain(value.clone()),
                };
                (name.to_owned(), member)
            })
            .collect();
        encode_members(&members, encoder)
    }
}

impl DrawnAnswer {
    /// The result with the contents of its handles.
    ///
    /// # Errors
    /// An artifact that was not opened.
    pub(crate) fn load(&self, ctx: &Ctx) -> Result<Value, ToolError> {
        let Some(members) = self.0.as_object() else {
            return Ok(self.0.clone());
        };
        let mut loaded = members.clone();
        for (name, value) in members.iter() {
            if let Some(source) = handle_of(value) {
                loaded.insert(name, ctx.loaded(&source)?);
            }
        }
        Ok(loaded.into())
    }
}

/// The artifact of a handle; what else stands beside it, such as its shape, is for readers.
fn handle_of(value: &Value) -> Option<DataSource> {
    value
        .text(tool_core::source::ARTIFACT)
        .map(DataSource::artifact)
}

fn encode_members(
    members: &[(String, CallMember)],
    encoder: &mut Encoder,
) -> Result<Value, EncodeError> {
    let mut pairs = members
        .iter()
        .map(|(name, member)| (name as &dyn Encode, member as &dyn Encode));
    encoder.members(&mut pairs)
}

/// An argument and how its content is read.
struct SourceKind {
    pointer: String,
    kind: InputKind,
}

/// How the arguments that refer to files are read by the tool whose arguments these are.
fn source_kinds(args: &Value) -> Vec<SourceKind> {
    let args = &without_shared_arguments(args);
    let known = DrawnTool::ALL.map(DrawnTool::name);
    let tools = crate::FAMILIES.iter().flat_map(|family| family.iter());
    let mut drawn = tools.filter(|entry| known.contains(&entry.tool().spec().id));
    let sources = drawn.find_map(|entry| {
        let call = entry.tool().decode(args).ok()?;
        let sources = call.sources().iter();
        let kinds = sources.map(|source| SourceKind {
            pointer: source.pointer.clone(),
            kind: source.kind,
        });
        Some(kinds.collect())
    });
    sources.unwrap_or_default()
}

/// The arguments without those that every tool takes.
pub(crate) fn without_shared_arguments(args: &Value) -> Value {
    let mut given: Object = args.as_object().cloned().unwrap_or_default();
    given.remove("verify");
    given.into()
}

/// An argument of the call.
enum CallMember {
    Plain(Value),
    Numbers(Input<Vector>),
    Table(Input<Table>),
    Any(Input<Value>),
    Text(Input<TextInput>),
}

impl CallMember {
    fn new(name: &str, value: &Value, kinds: &[SourceKind]) -> Self {
        let Some(Ok(source)) = DataSource::from_value(value) else {
            return Self::Plain(value.clone());
        };
        let pointer = format!("/{name}");
        let kind = kinds.iter().find(|one| one.pointer == pointer);
        match kind.map_or(InputKind::Any, |one| one.kind) {
            InputKind::Data => Self::Numbers(Input::From(source)),
            InputKind::Table => Self::Table(Input::From(source)),
            InputKind::Any => Self::Any(Input::From(source)),
            InputKind::Text => Self::Text(Input::From(source)),
        }
    }
}

impl Encode for CallMember {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        match self {
            Self::Plain(value) => value.encode(encoder),
            Self::Numbers(input) => input.encode(encoder),
            Self::Table(input) => input.encode(encoder),
            Self::Any(input) => input.encode(encoder),
            Self::Text(input) => input.encode(encoder),
        }
    }
}
