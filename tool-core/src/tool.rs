//! A tool: typed arguments, typed output, a [`Spec`], examples and a `run`; and the erased form that registries hold.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use crate::convert::{self, from_value, to_value};
use crate::ctx::Ctx;
use crate::error::{ErrorCode, RequestProblem, ToolError};
use crate::file_pattern::pattern_folder;
use crate::input::{DataPlace, SourceRef};
use crate::json;
use crate::resource::ResourceKey;
use crate::schema::{self, Schema};
use crate::source::find_reference;
use crate::spec::{Effect, Spec};
use crate::synonyms;
use crate::tool_error;
use crate::value::Value;
use crate::{Decode, Describe, Encode};

/// A tool is the type of its arguments, in one file, listed once in its family: a plain struct, whose doc comment is the tool's
/// description; those of the fields are the parameters'.
pub trait Tool: Decode + Encode + Describe + Send + 'static {
    /// The specification.
    const SPEC: Spec;
    /// The result: a plain struct whose fields are documented likewise.
    type Output: Encode + Describe;

    /// Does the work.
    ///
    /// # Errors
    /// As the tool documents, with the argument at fault and a hint.
    fn run(args: Self, ctx: &Ctx) -> Result<Self::Output, ToolError>;

    /// Calls with their expected results as a caller writes them; they run as tests for every tool.
    const EXAMPLES: &'static [JsonExample] = &[];

    /// Further examples, for those that are easier to compute than to write as JSON.
    fn examples() -> Vec<ToolExample<Self, Self::Output>> {
        Vec::new()
    }

    /// The resources that this call uses; by default those that [`Spec::resources`] names.
    ///
    /// # Errors
    /// When an argument cannot name a resource.
    fn resources(args: &Self) -> Result<Vec<ResourceKey>, ToolError> {
        resources_from_templates(&Self::SPEC, &to_value(args)?)
    }

    /// The effects of this call at most, from its arguments; never more than those of the [`Spec`].
    fn narrow(args: &Self) -> EffectReach {
        let _ = args;
        EffectReach::of(&Self::SPEC)
    }

    /// Evidence from which [`Tool::probe`] tells, after a crash, whether this call happened: digests, sizes, paths, never contents. It is
    /// collected just before the call, changes nothing, and is recorded with the intent; `None` where there is none.
    ///
    /// # Errors
    /// As [`Tool::run`]; the call itself then reports the error.
    fn before(args: &Self, ctx: &Ctx) -> Result<Option<Value>, ToolError> {
        let _ = (args, ctx);
        Ok(None)
    }

    /// What an approval of this call is bound to beside its arguments, and what the approver is shown of it: the branch that a push
    /// pushes, the stage of a gate. It is found before a person is asked and again before the call; where it differs, the approval does not
    /// count. It changes nothing; `None` where the arguments say it all.
    ///
    /// # Errors
    /// As [`Tool::run`]; no person is asked then.
    fn bound(args: &Self, ctx: &Ctx) -> Result<Option<Value>, ToolError> {
        let _ = (args, ctx);
        Ok(None)
    }

    /// Tells whether an interrupted call happened, from the evidence of [`Tool::before`]. It changes nothing.
    ///
    /// # Errors
    /// When it cannot tell; the outcome is then unknown.
    fn probe(args: &Self, before: &Value, ctx: &Ctx) -> Result<CallProbe, ToolError> {
        let _ = (args, before, ctx);
        Ok(CallProbe::Unknown)
    }
}

/// Whether an interrupted call happened.
#[derive(Debug, Clone, PartialEq)]
pub enum CallProbe {
    /// It happened, with this result.
    Happened(Value),
    /// It did not happen, and can be repeated.
    NotHappened,
    /// Unknown: the operator must decide.
    Unknown,
}

/// A call and its expected result.
#[derive(Debug, Clone)]
pub struct ToolExample<A, O> {
    /// Title.
    pub title: &'static str,
    /// The arguments.
    pub args: A,
    /// The expected result; doubles are compared to a relative 1e-9.
    pub output: O,
}

/// A call and its expected result, both as JSON.
#[derive(Debug, Clone, Copy)]
pub struct JsonExample {
    /// Title.
    pub title: &'static str,
    /// The arguments.
    pub args: &'static str,
    /// The expected result; doubles are compared to a relative 1e-9.
    pub output: &'static str,
}

/// Examples as rows: `"title": arguments => result;`, both as JSON.
#[macro_export]
macro_rules! examples {
    ($($title:literal: $args:expr => $output:expr;)+) => {
        &[$($crate::JsonExample { title: $title, args: $args, output: $output }),+]
    };
}

/// An example of an erased tool.
#[derive(Debug, Clone)]
pub struct ErasedExample {
    /// Title.
    pub title: &'static str,
    /// The arguments.
    pub args: Value,
    /// The expected result.
    pub output: Value,
}

/// The effects of a call at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EffectReach {
    /// Effects.
    pub effects: &'static [Effect],
    /// Whether it can destroy existing data.
    pub destructive: bool,
    /// Whether repeating a call has no further effect.
    pub idempotent: bool,
    /// Whether it uses files at any depth below the folders in arguments of syntax `tree`.
    pub below: bool,
}

impl EffectReach {
    /// The reach of a whole tool.
    pub const fn of(spec: &Spec) -> Self {
        Self {
            effects: spec.effects,
            destructive: spec.destructive,
            idempotent: spec.idempotent,
            below: true,
        }
    }
}

/// A tool with its types erased, as registries hold it.
pub trait AnyTool: Send + Sync {
    /// The specification.
    fn spec(&self) -> &Spec;
    /// The description: the doc comment of its arguments.
    fn description(&self) -> String;
    /// Schema of the arguments, JSON Schema 2020-12; made on demand.
    fn input_schema(&self) -> Schema;
    /// Schema of the result.
    fn output_schema(&self) -> Schema;
    /// Its examples.
    fn examples(&self) -> Vec<ErasedExample>;
    /// Whether it has the argument `verify`: its answers can be computed again by another library.
    fn verifies(&self) -> bool {
        false
    }
    /// Decodes and checks arguments; all problems are reported at once.
    ///
    /// # Errors
    /// `invalid_args` with the JSON pointer of each culprit.
    fn decode(&self, args: &Value) -> Result<Box<dyn ToolCall>, ToolError>;
}

/// Checked arguments of one call, ready to run.
pub trait ToolCall: Send {
    /// The arguments in canonical form: defaults filled in, order of the struct.
    fn args(&self) -> &Value;
    /// The files and artifacts the arguments refer to.
    fn sources(&self) -> &[SourceRef];
    /// The resources the call uses.
    ///
    /// # Errors
    /// As [`Tool::resources`].
    fn resources(&self) -> Result<Vec<ResourceKey>, ToolError>;
    /// What the call can do at most.
    fn reach(&self) -> EffectReach;
    /// As [`Tool::before`].
    ///
    /// # Errors
    /// As [`Tool::before`].
    fn before(&self, ctx: &Ctx) -> Result<Option<Value>, ToolError> {
        let _ = ctx;
        Ok(None)
    }
    /// As [`Tool::bound`].
    ///
    /// # Errors
    /// As [`Tool::bound`].
    fn bound(&self, ctx: &Ctx) -> Result<Option<Value>, ToolError> {
        let _ = ctx;
        Ok(None)
    }
    /// As [`Tool::probe`].
    ///
    /// # Errors
    /// As [`Tool::probe`].
    fn probe(&self, before: &Value, ctx: &Ctx) -> Result<CallProbe, ToolError> {
        let _ = (before, ctx);
        Ok(CallProbe::Unknown)
    }
    /// Does the work.
    ///
    /// # Errors
    /// As [`Tool::run`].
    fn run(self: Box<Self>, ctx: &Ctx) -> Result<Value, ToolError>;
}

/// One line of a family's list: a tool, erased.
#[derive(Clone, Copy)]
pub struct ErasedTool(&'static dyn AnyTool);

/// Erases a tool for a family's list.
pub const fn tool_entry<T: Tool>() -> ErasedTool {
    ErasedTool(const { &TypedTool::<T>(PhantomData) })
}

impl ErasedTool {
    pub(crate) const fn of(tool: &'static dyn AnyTool) -> Self {
        Self(tool)
    }

    /// The tool.
    pub fn tool(self) -> &'static dyn AnyTool {
        self.0
    }
}

impl fmt::Debug for ErasedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.spec().id)
    }
}

pub(crate) struct TypedTool<T>(pub(crate) PhantomData<fn() -> T>);

impl<T: Tool> TypedTool<T> {
    const SPEC: &'static Spec = &T::SPEC;
}

impl<T: Tool> AnyTool for TypedTool<T> {
    fn spec(&self) -> &Spec {
        Self::SPEC
    }

    fn description(&self) -> String {
        schema::root_description(&schema::of_input::<T>())
    }

    fn input_schema(&self) -> Schema {
        schema::of_input::<T>()
    }

    fn output_schema(&self) -> Schema {
        let mut output = schema::of_output::<T::Output>();
        schema::add_dropped(&mut output, &self.input_schema());
        output
    }

    fn examples(&self) -> Vec<ErasedExample> {
        let encode = |value: Result<Value, ToolError>| {
            value.unwrap_or_else(|err| Value::from(err.to_string()))
        };
        let written = T::EXAMPLES.iter().map(|example| ErasedExample {
            title: example.title,
            args: encode(canonical_arguments::<T>(example.args)),
            output: encode(parse_json_arguments(example.output)),
        });
        let computed = T::examples().into_iter().map(|example| ErasedExample {
            title: example.title,
            args: encode(to_value(&example.args)),
            output: encode(to_value(&example.output)),
        });
        written.chain(computed).collect()
    }

    fn decode(&self, args: &Value) -> Result<Box<dyn ToolCall>, ToolError> {
        Ok(Box::new(self.decode_typed(args)?))
    }
}

impl<T: Tool> TypedTool<T> {
    pub(crate) fn decode_typed(&self, args: &Value) -> Result<TypedCall<T>, ToolError> {
        if args.as_object().is_none() {
            let found = args.kind();
            let message = format_args!("expected the arguments as an object, found {found}");
            return Err(ToolError::invalid("", message));
        }
        let typed: T = match from_value(args) {
            Ok(typed) => typed,
            // Other names of arguments are looked for where their own do not fit.
            Err(first) => {
                match synonyms::rename_arguments(Self::SPEC, &self.input_schema(), args) {
                    Some(args) => {
                        from_value(&args).map_err(|err| Self::argument_error(&args, err))?
                    }
                    None => return Err(Self::argument_error(args, first)),
                }
            }
        };
        let encoded = convert::encode_value(&typed)?;
        check_references(Self::SPEC, &encoded.value, &encoded.sources)?;
        Ok(TypedCall {
            typed,
            args: encoded.value,
            sources: encoded.sources,
        })
    }
}

/// Refuses a reference to a file or artifact in arguments, other than those that are opened: the tool would take it for data.
///
/// # Errors
/// `invalid_args` at the first one.
pub fn check_references(spec: &Spec, args: &Value, opened: &[SourceRef]) -> Result<(), ToolError> {
    let opened: HashSet<&str> = opened.iter().map(|one| one.pointer.as_str()).collect();
    let skip = |at: &str| opened.contains(at) || spec.holds_calls.contains(&at);
    match find_reference(args, &skip) {
        None => Ok(()),
        Some(pointer) => Err(tool_error!(InvalidArgs at pointer, "reference";
            "`{}` opens no file or artifact here", spec.id;
            "give `$file` or `$artifact` as the whole argument, where the tool takes data, or pass the content")),
    }
}

fn parse_json_arguments(text: &str) -> Result<Value, ToolError> {
    Ok(json::parse_json(text, json::JsonLimits::default())?)
}

/// Arguments with their defaults filled in, in the order of the struct.
fn canonical_arguments<A: Decode + Encode>(text: &str) -> Result<Value, ToolError> {
    let args: A = from_value(&parse_json_arguments(text)?)
        .map_err(|problem| ToolError::of_problems(ErrorCode::InvalidArgs, vec![problem]))?;
    to_value(&args)
}

impl<T: Tool> TypedTool<T> {
    /// The error with every problem: those found by the schema, and the one that stopped decoding.
    fn argument_error(args: &Value, first: RequestProblem) -> ToolError {
        let mut problems = schema::check_value(&schema::of_input::<T>(), args);
        match problems
            .iter_mut()
            .find(|problem| problem.path == first.path)
        {
            Some(same) => *same = first, // the type's own words say more
            None => problems.insert(0, first),
        }
        let given = T::EXAMPLES
            .iter()
            .map(|example| parse_json_arguments(example.args));
        let computed = T::examples().into_iter().map(|one| to_value(&one.args));
        let examples: Vec<Value> = given.chain(computed).flatten().collect();
        for problem in problems.iter_mut().filter(|one| one.hint.is_none()) {
            problem.hint = example_spelling(&examples, &problem.path);
        }
        ToolError::of_problems(ErrorCode::InvalidArgs, problems)
    }
}

/// How the argument at a pointer is written, by the first short example that has it.
fn example_spelling(examples: &[Value], pointer: &str) -> Option<String> {
    const SHOWN_MAX: usize = 120;
    let name = pointer.split('/').nth(1)?;
    let mut texts = examples
        .iter()
        .filter_map(|args| args.get(name).map(json::to_text));
    let text = texts.find(|text| text.len() <= SHOWN_MAX)?;
    Some(format!("for example \"{name}\": {text}"))
}

pub(crate) struct TypedCall<T> {
    pub(crate) typed: T,
    args: Value,
    sources: Vec<SourceRef>,
}

impl<T: Tool> ToolCall for TypedCall<T> {
    fn args(&self) -> &Value {
        &self.args
    }

    fn sources(&self) -> &[SourceRef] {
        &self.sources
    }

    fn resources(&self) -> Result<Vec<ResourceKey>, ToolError> {
        T::resources(&self.typed)
    }

    fn reach(&self) -> EffectReach {
        T::narrow(&self.typed)
    }

    fn before(&self, ctx: &Ctx) -> Result<Option<Value>, ToolError> {
        T::before(&self.typed, ctx)
    }

    fn bound(&self, ctx: &Ctx) -> Result<Option<Value>, ToolError> {
        T::bound(&self.typed, ctx)
    }

    fn probe(&self, before: &Value, ctx: &Ctx) -> Result<CallProbe, ToolError> {
        T::probe(&self.typed, before, ctx)
    }

    fn run(self: Box<Self>, ctx: &Ctx) -> Result<Value, ToolError> {
        to_value(&T::run(self.typed, ctx)?)
    }
}

/// The resources that the templates of a spec find in (canonical) arguments; an absent optional argument names none.
///
/// # Errors
/// When the argument is neither absent nor a text.
pub fn resources_from_templates(spec: &Spec, args: &Value) -> Result<Vec<ResourceKey>, ToolError> {
    let mut keys = Vec::new();
    for template in spec.resources {
        match args.pointer(template.pointer) {
            None | Some(Value::Null) => {}
            Some(Value::String(name)) => {
                keys.push(ResourceKey::new(template.kind, &*name, template.access));
            }
            Some(other) => {
                let (kind, found) = (template.kind, other.kind());
                let message = format_args!("expected the name of a {kind}, found {found}");
                return Err(ToolError::invalid(template.pointer, message));
            }
        }
    }
    Ok(keys)
}

/// The read keys of the files that arguments refer to.
pub fn source_keys(sources: &[SourceRef]) -> Vec<ResourceKey> {
    let files = sources
        .iter()
        .filter_map(|source| match &source.source.place {
            DataPlace::File(path) => Some(ResourceKey::read_path(pattern_folder(path))),
            DataPlace::Artifact(_) => None,
        });
    files.collect()
}
