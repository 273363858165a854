//! JSON against a JSON Schema.

mod containers;
mod schema;
#[cfg(test)]
mod tests;
mod validator;

use schema::CheckedSchema;
use validator::SchemaValidator;

use crate::prelude::*;

/// Checks JSON against a JSON Schema of draft 2020-12 and tells every fault with its place. Known are all keywords of the core, applicator and
/// validation vocabularies but `$dynamicRef`, `unevaluatedItems` and `unevaluatedProperties`, which are refused; `$ref` leads to places of the same
/// schema (`#/$defs/x`, `#anchor`) and never to another document; `format` is not checked, as the standard has it; patterns are those of the crate `regex`. A schema with a
/// malformed keyword is refused with its place, whatever the value is.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The value: any JSON.
    pub data: Input<Value>,
    /// The schema: an object, `true` or `false`.
    pub schema: Input<Value>,
    /// Most faults to return.
    #[value(default = "BoundedInteger::<1, 1000>::of::<20>")]
    pub max_faults: BoundedInteger<1, 1000>,
}

/// Whether a value fits a schema.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Whether it does.
    pub valid: bool,
    /// What does not fit, in the order of the value; at most `max_faults`.
    pub faults: Vec<SchemaFault>,
}

/// A place that does not fit.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct SchemaFault {
    /// JSON pointer of the place in the value; empty for the whole.
    pub path: String,
    /// JSON pointer of the keyword in the schema.
    pub keyword: String,
    /// What is wrong.
    pub message: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("json_validate", "Check JSON against a schema")
        .category(Category::Data)
        .tags(&["json", "check"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a member of another type and one that is missing":
            r#"{"data": {"n": "x"}, "schema": {"properties": {"n": {"type": "integer"}}, "required": ["n", "m"]}}"#
            => r#"{"valid": false, "faults": [
                {"path": "/n", "keyword": "/properties/n/type", "message": "expected integer, found the string \"x\""},
                {"path": "", "keyword": "/required", "message": "the member `m` is missing"}]}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let (data, schema) = (args.data.load(ctx)?, args.schema.load(ctx)?);
        let checked = CheckedSchema::read(&schema, ctx)?;
        let mut validator = SchemaValidator::new(&checked, &data, args.max_faults.size(), ctx);
        let valid = validator.check_root(&data, &schema)?;
        Ok(Output {
            valid,
            faults: validator.into_faults(),
        })
    }
}
