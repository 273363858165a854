//! Making a folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Ctx, Example, Reason, Spec, Tool, ToolError};

/// Makes a folder.
pub struct CreateDirectory;

/// Make a folder of the workspace, and those above it that are missing. One that is there already is no error.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Path of the folder, relative to the workspace root, without `..`. Links are not followed.
    pub path: String,
}

/// The result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Path relative to the workspace root.
    pub path: String,
    /// Whether the folder is new.
    pub created: bool,
}

impl Tool for CreateDirectory {
    const SPEC: Spec = Spec {
        id: "create_directory",
        title: "Make a folder",
        tags: &["folder"],
        ..super::WRITING
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let files = ctx.files()?;
        ctx.check()?;
        let there = match files.stat(&args.path) {
            Ok(_) => true,
            Err(err) if err.is(Reason::NotFound) => false,
            Err(err) => return Err(err.at("/path")),
        };
        files
            .make_folder(&args.path)
            .map_err(|err| err.at("/path"))?;
        let info = files.stat(&args.path).map_err(|err| err.at("/path"))?;
        Ok(Output {
            path: info.path,
            created: !there,
        })
    }

    /// Run in a workspace that has the folder `data`.
    fn examples() -> Vec<Example<Args, Output>> {
        let example = |title, path: &str, created| Example {
            title,
            args: Args {
                path: path.to_owned(),
            },
            output: Output {
                path: path.to_owned(),
                created,
            },
        };
        vec![
            example("a folder in a new folder", "out/plots", true),
            example("a folder that is there", "data", false),
        ]
    }
}
