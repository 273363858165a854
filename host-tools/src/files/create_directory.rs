//! Making a folder.

use crate::prelude::*;

pub(crate) struct CreateDirectory;

/// Make a folder of the workspace, and those above it that are missing. One that is there already is no error.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Path of the folder, relative to the workspace root, without `..`. Links are not followed.
    pub path: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
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
        files.make_folder(&args.path).at("/path")?;
        let info = files.stat(&args.path).at("/path")?;
        Ok(Output {
            path: info.path,
            created: !there,
        })
    }

    /// Run in a workspace that has the folder `data`.
    const EXAMPLES: &'static [JsonExample] = &[
        JsonExample {
            title: "a folder in a new folder",
            args: r#"{"path": "out/plots"}"#,
            output: r#"{"path": "out/plots", "created": true}"#,
        },
        JsonExample {
            title: "a folder that is there",
            args: r#"{"path": "data"}"#,
            output: r#"{"path": "data", "created": false}"#,
        },
    ];
}
