//! Creating a folder.

use crate::prelude::*;

/// Create a folder in the workspace, including missing parents. An existing folder is not an error.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Path of the folder, relative to the workspace root, without `..`. Links are not followed.
    pub path: String,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Path relative to the workspace root.
    pub path: String,
    /// Whether the folder is new.
    pub created: bool,
}

impl Tool for Args {
    const SPEC: Spec = super::WRITING
        .with_name("create_directory", "Create a folder")
        .tags(&["folder"]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
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
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a folder in a new folder": r#"{"path": "out/plots"}"#
            => r#"{"path": "out/plots", "created": true}"#;
        "an existing folder": r#"{"path": "data"}"# => r#"{"path": "data", "created": false}"#;
    };
}
