//! `out`: the picture of a step as a file.
//!
//! It stands for calls that a plan could state itself: one that draws the result, unless the step draws, and one that writes the file.
//! Rules, approvals, the audit and the undoing of a run see these calls and nothing else.

use std::sync::Arc;

use tool_core::schema::{Schema, json};
use tool_core::{Decode, DecodeError, Object, Value, brief, object};

use super::PlanStep;
use crate::template::ArgumentNode;

/// The tool that draws the results of others, and takes `format`, `result`, `of` and `call`.
pub const DRAWING_TOOL: &str = "plot";
/// The tool that writes the file.
pub const WRITING_TOOL: &str = "write_file";

/// Endings of files, which name the format, with the member of a picture that has its content.
const FORMATS: [PictureForm; 4] = [
    PictureForm::new("png", "base64"),
    PictureForm::new("svg", "text"),
    PictureForm::new("pdf", "base64"),
    PictureForm::new("html", "text"),
];

struct PictureForm {
    ending: &'static str,
    member: &'static str,
}

impl PictureForm {
    const fn new(ending: &'static str, member: &'static str) -> Self {
        Self { ending, member }
    }
}

tool_core::names! {
    /// Treatment of a file that is there.
    #[derive(Default)]
    PictureFileMode {
        /// It stays, and the step fails.
        #[default]
        Create = "create",
        /// It is replaced.
        Overwrite = "overwrite",
    }
}

/// The file of a picture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Decode)]
#[value(default, deny_unknown_fields)]
pub struct StepPicture {
    /// Path below the workspace; its ending names the format.
    pub path: Arc<str>,
    /// Treatment of a file that is there.
    pub mode: PictureFileMode,
}

/// A path, or an object with one.
pub(super) fn step_picture(value: &Value) -> Result<Option<StepPicture>, DecodeError> {
    match value.as_str() {
        Some(path) => Ok(Some(StepPicture {
            path: path.into(),
            mode: PictureFileMode::default(),
        })),
        None => StepPicture::decode(value).map(Some),
    }
}

pub(super) fn step_picture_schema() -> Schema {
    let path = json!({
        "type": "string",
        "pattern": r"\.(png|svg|pdf|html)$",
        "maxLength": 4096,
    });
    let object = json!({
        "type": "object",
        "properties": {"path": path, "mode": {"enum": ["create", "overwrite"]}},
        "required": ["path"],
        "additionalProperties": false,
    });
    json!({
        "anyOf": [path, object],
        "examples": ["pictures/fit.png", {"path": "pictures/fit.svg", "mode": "overwrite"}],
    })
}

/// Why `out` of a step cannot hold.
pub(super) struct PictureFault {
    pub(super) message: String,
    pub(super) hint: &'static str,
}

/// The calls that `out` of a step stands for; a step that draws gets the format of the file.
///
/// # Errors
/// A path with another ending, a step that is a map, or one whose `format` is another one.
pub(super) fn picture_steps(step: &mut PlanStep) -> Result<Vec<PlanStep>, PictureFault> {
    let Some(out) = step.out.clone() else {
        return Ok(Vec::new());
    };
    let ending = out.path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let Some(form) = FORMATS.iter().find(|form| form.ending == ending) else {
        return Err(PictureFault {
            message: format!(
                "expected a path that ends in .png, .svg, .pdf or .html, found `{}`",
                brief::brief_name(&out.path)
            ),
            hint: "the ending chooses the format",
        });
    };
    if step.map.is_some() {
        return Err(PictureFault {
            message: "`out` is for one picture, and a map has several".to_owned(),
            hint: "draw its results in a step of their own, or leave `out` out and write each with `write_file`",
        });
    }
    let mut steps = Vec::new();
    let drawing = if &*step.tool == DRAWING_TOOL {
        step.args = with_format(&step.args, form.ending)?;
        Arc::clone(&step.id)
    } else {
        let ArgumentNode::Literal(call) = &step.args else {
            return Ok(Vec::new());
        };
        let call = if call.is_null() {
            object! {}
        } else {
            call.clone()
        };
        let args = object! {
            "result" => reference(&step.id),
            "of" => &*step.tool,
            "call" => call,
            "format" => form.ending,
        };
        let drawing = call_step(format!("{}_picture", step.id), DRAWING_TOOL, args);
        let id = Arc::clone(&drawing.id);
        steps.push(drawing);
        id
    };
    let content = reference(&format!("{drawing}.picture.{}", form.member));
    let encoding = if form.member == "text" {
        "utf-8"
    } else {
        "base64"
    };
    let args = object! {
        "path" => &*out.path,
        "content" => content,
        "mode" => out.mode.as_str(),
        "encoding" => encoding,
        "parents" => true,
    };
    steps.push(call_step(format!("{}_file", step.id), WRITING_TOOL, args));
    Ok(steps)
}

fn with_format(args: &ArgumentNode, ending: &str) -> Result<ArgumentNode, PictureFault> {
    let ArgumentNode::Literal(args) = args else {
        return Ok(args.clone());
    };
    if args
        .get("format")
        .is_some_and(|format| format.as_str() != Some(ending))
    {
        return Err(PictureFault {
            message: format!("`out` is a file in the format {ending}, and `format` is another one"),
            hint: "leave `format` out",
        });
    }
    let mut args: Object = args.as_object().cloned().unwrap_or_default();
    args.insert("format", ending);
    Ok(ArgumentNode::Literal(args.into()))
}

fn reference(target: &str) -> Value {
    object! { "$ref" => target }
}

fn call_step(id: String, tool: &str, args: Value) -> PlanStep {
    PlanStep {
        id: id.into(),
        tool: tool.into(),
        args: ArgumentNode::Literal(args),
        ..PlanStep::default()
    }
}
