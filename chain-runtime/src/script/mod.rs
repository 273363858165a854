//! Call scripts: one call a line, the second way to write a plan.
//!
//! ```text
//! script = ( line? comment? end-of-line )*
//! line   = name "=" call | call | "return" value
//! call   = tool "(" ( name "=" value ( "," name "=" value )* ","? )? ")"
//! tool   = name ( ( ":" | "." ) name )*
//! value  = reference ( "??" default )? | number | text | "true" | "false" | "null" | "[" values "]" | "{" text ":" value, .. "}"
//! default = a value without references
//! reference = name ( "." name | "[" int "]" | "[*]" | "[" text "]" )*
//! ```
//!
//! Inside brackets lines may end anywhere. A name means what was assigned to it last, so it may be assigned again. `return` is
//! the last line and gives the outputs; without one every result is an output. There are no operators, no
//! positional arguments, no nested calls and no other statements: what is to be computed is a call. A script becomes the value of
//! a plan, so that it has the same digest, check and audit as the plan written out; [`ParsedDocument`] has the place of each part.

mod faults;
mod lower;
mod parse;
mod values;

#[cfg(test)]
mod tests;

use registry::document::ParsedDocument;
use registry::{LoadError, LoadErrors};

/// File extension of scripts.
pub const ENDING: &str = ".chain";
/// Deepest nesting of brackets, those of the call counted.
pub const DEPTH_MAX: usize = 32;
/// Longest name of a variable, an argument or a tool, in bytes.
pub const NAME_BYTES_MAX: usize = 64;
/// Most arguments of a call.
pub const ARGS_MAX: usize = 256;
/// The root of references to names that mean nothing, which are reported with the script; no step is called so.
pub(crate) const UNKNOWN: &str = "_";
/// Most problems that are reported.
pub const PROBLEMS_MAX: usize = 100;

/// Reads a script into the document of a plan; the name of the text gives the id of the plan.
///
/// # Errors
/// Every line that is no call, and every name that means nothing, with line, column and the next step.
pub fn parse_script(name: &str, text: &str) -> Result<ParsedDocument, LoadErrors> {
    let (document, errors) = read_script(name, text);
    LoadErrors::check(errors)?;
    Ok(document)
}

/// As [`parse_script`], with the readable part of a faulty script, so that the check of the plan reports its problems together with
/// these.
pub(crate) fn read_script(name: &str, text: &str) -> (ParsedDocument, Vec<LoadError>) {
    let (script, mut faults) = parse::read_script_lines(text);
    let (value, parts) = lower::lower_document(name, text, &script, &mut faults);
    let document = ParsedDocument::of_parts(name, value, parts);
    (document, faults.in_order(name, text))
}

/// Whether a text looks like a script: its first line other than a comment is a call, an assignment or `return`. No plan in
/// YAML or JSON begins like that.
pub fn is_likely(text: &str) -> bool {
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let Some(line) = lines.find(|line| !line.is_empty() && !line.starts_with('#')) else {
        return false;
    };
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':');
    let rest = line.trim_start_matches(name);
    let begins = line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let rest = rest.trim_start();
    begins && (rest.starts_with(['=', '(']) || line.starts_with("return "))
}
