//! `--save FILE`: the picture of an answer as a file of the user.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use tool_core::schema::Schema;
use tool_core::{Object, Result, Spec, Value, tool_error};

use super::human::PICTURE_ENDINGS;
use super::natural::drawn_tools;
use super::output::{self, ReplaceFlag, write_stderr};

/// How deep a picture may be in the outputs of a run.
const DEPTH_MAX: usize = 4;

/// Where the picture of an answer goes.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct SaveOptions {
    /// Write the picture of the answer to a file: .png, .svg, .pdf or .html
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub save: Option<PathBuf>,
    /// Replace the file of --save if it exists
    #[arg(long, requires = "save", help_heading = "Output")]
    pub save_over: bool,
}

/// A file that a picture is written to.
pub(super) struct PictureFile<'a> {
    path: &'a Path,
    ending: &'static str,
    media: &'static str,
    replaces: bool,
}

/// How the picture of a call comes about, with the arguments of the call.
pub(super) enum PictureSource {
    /// The answer has it.
    Answer(Value),
    /// `plot` draws the answer.
    Drawing(Value),
}

impl SaveOptions {
    /// The file, where one is asked for. What cannot be written is an error before anything runs.
    ///
    /// # Errors
    /// `invalid_request` for another ending, `tool_error` for a file that is there.
    pub(super) fn file(&self) -> Result<Option<PictureFile<'_>>> {
        let Some(path) = &self.save else {
            return Ok(None);
        };
        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default()
            .to_ascii_lowercase();
        let found = PICTURE_ENDINGS.iter().find(|(known, _)| *known == ending);
        let Some(&(ending, media)) = found else {
            return Err(tool_error!(InvalidRequest, "usage";
                "expected a file that ends in .png, .svg, .pdf or .html, found `{}`", path.display();
                "the ending chooses the format: `--save plot.png`"));
        };
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Err(tool_error!(ToolError, "io";
                "cannot write `{}`: there is no folder `{}`", path.display(), folder.display();
                "create the folder, or choose another one"));
        }
        // Whether it may be replaced is asked again when it is written.
        let is_there = path.exists();
        if is_there && !self.save_over {
            return Err(tool_error!(ToolError, "io";
                "cannot write `{}`: the file exists", path.display();
                "choose a new name, or replace it with --save-over"));
        }
        Ok(Some(PictureFile {
            path,
            ending,
            media,
            replaces: self.save_over,
        }))
    }
}

impl PictureFile<'_> {
    /// How the picture of a call comes about.
    ///
    /// # Errors
    /// `invalid_request` for a tool without a picture of this kind.
    pub(super) fn source(
        &self,
        spec: &Spec,
        schema: &Schema,
        args: Value,
    ) -> Result<PictureSource> {
        let formats = constants_of(schema, "format");
        let draws = spec.tags.contains(&"picture");
        if formats.iter().any(|format| format == self.ending) {
            let given = args.text("format").map(str::to_owned);
            return match given {
                Some(given) if given != self.ending => Err(tool_error!(InvalidRequest, "usage";
                    "`--save` writes a file in the format {}, and `format` is {given}", self.ending;
                    "leave `format` out")),
                _ => {
                    let mut args: Object = args.as_object().cloned().unwrap_or_default();
                    args.insert("format", self.ending);
                    Ok(PictureSource::Answer(args.into()))
                }
            };
        }
        if draws && self.ending == "png" {
            return Ok(PictureSource::Answer(args));
        }
        if draws {
            return Err(tool_error!(InvalidRequest, "usage";
                "`{}` draws no {} files", spec.id, self.ending;
                "`plot` draws tables as png, svg, pdf and html"));
        }
        let drawn = drawn_tools();
        if drawn.iter().any(|name| name == spec.id) {
            return Ok(PictureSource::Drawing(args));
        }
        Err(tool_error!(InvalidRequest, "usage";
            "`{}` has no picture for a file", spec.id;
            "the answers of {} have one, and `plot` draws tables", drawn.join(", ")))
    }

    /// The ending of the file, which is the name of its format.
    pub(super) fn ending(&self) -> &'static str {
        self.ending
    }

    /// Writes the picture of an answer, and leaves its place in the answer.
    ///
    /// # Errors
    /// `tool_error` where there is no picture, or the file cannot be written.
    pub(super) fn save_answer(&self, answer: &Value) -> Result<Value> {
        let mut found = Vec::new();
        let rest = self.take_pictures(answer, String::new(), 0, &mut found);
        let [(_, bytes)] = found.as_slice() else {
            return self.save_several(&found).map(|()| rest);
        };
        self.write(self.path, bytes)?;
        Ok(rest)
    }

    /// Several pictures, as the outputs of a run have them, in files named by the outputs.
    fn save_several(&self, found: &[(String, Vec<u8>)]) -> Result<()> {
        if found.is_empty() {
            return Err(tool_error!(ToolError, "no_picture";
                "the answer has no picture of the type {}", self.media;
                "in a plan, the step that draws has `format: {}`, and an output names it", self.ending));
        }
        let stem = self
            .path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or("plot");
        for (name, bytes) in found {
            let is_plain = |one: char| one.is_alphanumeric() || matches!(one, '-' | '_');
            let name: String = name
                .chars()
                .map(|one| if is_plain(one) { one } else { '-' })
                .collect();
            let path = self
                .path
                .with_file_name(format!("{stem}-{name}.{}", self.ending));
            self.write(&path, bytes)?;
        }
        Ok(())
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let failed = |err: std::io::Error| tool_error!(ToolError, "io"; "cannot write `{}`: {err}", path.display());
        let flag = ReplaceFlag {
            name: "--save-over",
            is_set: self.replaces,
        };
        let size = output::to_file_unless(path, flag, |out| out.write_all(bytes).map_err(failed))?;
        if !output::is_quiet() {
            write_stderr(&format!("saved `{}` ({size} bytes)\n", path.display()));
        }
        Ok(())
    }

    /// The value without the contents of its pictures, which are added to `found` under the names of their members.
    fn take_pictures(
        &self,
        value: &Value,
        name: String,
        depth: usize,
        found: &mut Vec<(String, Vec<u8>)>,
    ) -> Value {
        if let Some(text) = value.as_str() {
            return match self.pixels_of(text) {
                Some(bytes) => {
                    found.push((name, bytes));
                    Value::from(self.saved_words())
                }
                None => value.clone(),
            };
        }
        let Some(members) = value.as_object().filter(|_| depth < DEPTH_MAX) else {
            return value.clone();
        };
        let media = value.text("$media").or_else(|| {
            value
                .text("mime_type")
                .filter(|_| members.get("$resource").is_some())
        });
        if media == Some(self.media) {
            let content = match (value.text("base64"), value.text("text")) {
                (Some(data), _) => STANDARD.decode(data).ok().map(|bytes| ("base64", bytes)),
                (None, Some(text)) => Some(("text", text.as_bytes().to_vec())),
                (None, None) => None,
            };
            if let Some((member, bytes)) = content {
                found.push((name, bytes));
                let mut members = members.clone();
                members.insert(member, self.saved_words());
                return members.into();
            }
        }
        let mut rest = Object::new();
        for (member, inner) in members.iter() {
            // The picture of a step is named by its output.
            let inner_name = if name.is_empty() || member != "picture" && depth < 1 {
                member.to_owned()
            } else {
                name.clone()
            };
            rest.insert(
                member,
                self.take_pictures(inner, inner_name, depth + 1, found),
            );
        }
        rest.into()
    }

    fn saved_words(&self) -> String {
        "(saved)".to_owned()
    }

    /// A sixel picture as the pixels of a file.
    fn pixels_of(&self, text: &str) -> Option<Vec<u8>> {
        if self.ending == "png" {
            mathchain::picture::png_of_sixel(text)
        } else {
            None
        }
    }
}

/// The texts that a schema names as the values of an argument.
pub(super) fn constants_of(schema: &Schema, argument: &str) -> Vec<String> {
    let property = &schema["properties"][argument];
    let mut names = Vec::new();
    collect_constants(property, schema, &mut names, 0);
    names
}

/// The texts that a schema names one by one: in `enum`, `const`, in branches, or behind a reference.
fn collect_constants(property: &Schema, root: &Schema, names: &mut Vec<String>, depth: usize) {
    if depth > 4 {
        return;
    }
    let listed = property["enum"].as_array().into_iter().flatten();
    names.extend(listed.filter_map(Schema::as_str).map(str::to_owned));
    names.extend(property["const"].as_str().map(str::to_owned));
    for branches in ["anyOf", "oneOf", "allOf"] {
        for branch in property[branches].as_array().into_iter().flatten() {
            collect_constants(branch, root, names, depth + 1);
        }
    }
    if let Some(target) = property["$ref"]
        .as_str()
        .and_then(|target| root.pointer(target.strip_prefix('#')?))
    {
        collect_constants(target, root, names, depth + 1);
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at what was written")]
mod tests {
    use super::*;
    use tool_core::json::{JsonLimits, parse_json};

    fn value(text: &str) -> Value {
        parse_json(text, JsonLimits::default()).unwrap()
    }

    fn options(path: &Path) -> SaveOptions {
        SaveOptions {
            save: Some(path.to_path_buf()),
            save_over: false,
        }
    }

    #[test]
    fn endings_choose_the_format_and_others_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        for (name, media) in [
            ("a.png", "image/png"),
            ("b.SVG", "image/svg+xml"),
            ("c.pdf", "application/pdf"),
            ("d.html", "text/html"),
        ] {
            let options = options(&folder.path().join(name));
            assert_eq!(options.file().unwrap().unwrap().media, media);
        }
        for name in ["a.bmp", "a", ".png", "a.png.txt"] {
            let found = options(&folder.path().join(name));
            let err = found.file().err().unwrap();
            assert!(
                err.message().contains(".png, .svg, .pdf or .html"),
                "{name}"
            );
        }
    }

    #[test]
    fn a_file_is_replaced_only_where_asked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.svg");
        let answer = value(
            r#"{"plot":"x","picture":{"$resource":"plot:picture.svg","mime_type":"image/svg+xml","text":"<svg/>"}}"#,
        );
        let found = options(&path);
        let rest = found.file().unwrap().unwrap().save_answer(&answer).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "<svg/>");
        assert_eq!(
            rest,
            value(
                r#"{"plot":"x","picture":{"$resource":"plot:picture.svg","mime_type":"image/svg+xml","text":"(saved)"}}"#
            )
        );
        assert!(
            options(&path)
                .file()
                .err()
                .unwrap()
                .hint_str()
                .unwrap()
                .contains("--save-over")
        );
        let over = SaveOptions {
            save_over: true,
            ..options(&path)
        };
        assert!(over.file().unwrap().unwrap().save_answer(&answer).is_ok());
    }

    #[test]
    fn a_missing_folder_is_found_before_anything_runs() {
        let folder = tempfile::tempdir().unwrap();
        let err = options(&folder.path().join("none/a.svg"))
            .file()
            .err()
            .unwrap();
        assert!(err.message().contains("there is no folder"), "{err:?}");
        assert!(options(Path::new("a-new-picture.svg")).file().is_ok());
    }

    /// What is there by the time of writing is named with the flag of this option.
    #[test]
    fn a_file_that_appeared_meanwhile_is_told_with_the_right_flag() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.svg");
        let answer = value(
            r#"{"picture":{"$resource":"plot:picture.svg","mime_type":"image/svg+xml","text":"<svg/>"}}"#,
        );
        let found = options(&path);
        let file = found.file().unwrap().unwrap();
        std::fs::write(&path, "other").unwrap();
        let err = file.save_answer(&answer).unwrap_err();
        let hint = err.hint_str().unwrap();
        assert!(
            hint.contains("--save-over") && !hint.contains("--force"),
            "{hint}"
        );
    }

    #[test]
    fn several_pictures_are_named_by_their_outputs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.png");
        let answer = value(
            r#"{"lines":{"picture":{"$media":"image/png","base64":"AAE="}},"bars":{"picture":{"$media":"image/png","base64":"AgM="}},
            "n":3,"svg":{"$resource":"a:b","mime_type":"image/svg+xml","text":"<svg/>"}}"#,
        );
        options(&path)
            .file()
            .unwrap()
            .unwrap()
            .save_answer(&answer)
            .unwrap();
        assert_eq!(
            std::fs::read(folder.path().join("all-lines.png")).unwrap(),
            [0, 1]
        );
        assert_eq!(
            std::fs::read(folder.path().join("all-bars.png")).unwrap(),
            [2, 3]
        );
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
        let none = folder.path().join("none.pdf");
        let err = options(&none)
            .file()
            .unwrap()
            .unwrap()
            .save_answer(&answer)
            .unwrap_err();
        assert!(err.message().contains("application/pdf"));
    }
}
