//! Rules that a person recorded while approving: a file beside the state, in the schema of the configuration.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use registry::document::{self, Format};
use registry::policy::to_toml;
use registry::{Config, Layer, Level, LoadError, LoadErrors, Rule};
use tool_core::{ErrorCode, ToolError};

/// Name of the file in the state folder.
pub const FILE_NAME: &str = "user-rules.toml";

/// What the layer of recorded rules is called.
const LAYER: &str = "terminal";

const HEADER: &str =
    "# Recorded by `mathchain approve ID --always`; `mathchain policy forget N` takes one away.\n";

/// The file in a state folder.
pub fn file(folder: &Path) -> PathBuf {
    folder.join(FILE_NAME)
}

/// The layers of recorded rules; none where nothing was recorded.
///
/// # Errors
/// Everything that is wrong with the file, with its places.
pub fn load(folder: &Path) -> Result<Vec<Layer>, ToolError> {
    let file = file(folder);
    if !file.exists() {
        return Ok(Vec::new());
    }
    let text = crate::environment::read_named(&file)?;
    read(&file.to_string_lossy(), &text).map_err(Into::into)
}

fn read(name: &str, text: &str) -> Result<Vec<Layer>, LoadErrors> {
    let document = document::parse(name, text, Format::Toml)?;
    let mut errors = Vec::new();
    for (key, _) in document
        .value
        .as_object()
        .into_iter()
        .flat_map(|top| top.iter())
    {
        if !matches!(key, "version" | "policies") {
            let pointer = format!("/{key}");
            let error = LoadError::new(
                Some(&document.place(&pointer)),
                format!("`{key}` belongs into the configuration; here are `policies` only"),
            );
            errors.push(error.at(pointer));
        }
    }
    LoadErrors::check(errors)?;
    let layers = Config::parse(name, text)?.layers;
    let others = layers.iter().filter(|layer| layer.level != Level::User);
    let errors = others.map(|layer| {
        LoadError::new(
            layer.place.as_ref(),
            "recorded rules are of level `user`; others belong into the configuration",
        )
    });
    LoadErrors::check(errors.collect())?;
    Ok(layers)
}

/// The rules, in the order of their numbers, which begin at 1.
///
/// # Errors
/// As [`load`].
pub fn list(folder: &Path) -> Result<Vec<Rule>, ToolError> {
    let layers = load(folder)?;
    Ok(layers.into_iter().flat_map(|layer| layer.rules).collect())
}

/// Adds a rule; gives its number.
///
/// # Errors
/// As [`load`]; `tool_error` when the file cannot be written.
pub fn record(folder: &Path, rule: Rule) -> Result<usize, ToolError> {
    let mut layers = load(folder)?;
    match layers.last_mut() {
        Some(layer) => layer.rules.push(rule),
        None => layers.push(Layer::new(Level::User, LAYER).rule(rule)),
    }
    write(&file(folder), &layers)?;
    Ok(layers.iter().map(|layer| layer.rules.len()).sum())
}

/// Takes a rule away.
///
/// # Errors
/// As [`record`]; `invalid_args` for a number that no rule has.
pub fn forget(folder: &Path, number: usize) -> Result<Rule, ToolError> {
    let mut layers = load(folder)?;
    let mut left = number.wrapping_sub(1);
    for layer in &mut layers {
        if left < layer.rules.len() {
            let rule = layer.rules.remove(left);
            layers.retain(|layer| {
                !layer.rules.is_empty() || layer.allow.is_some() || !layer.deny.is_empty()
            });
            write(&file(folder), &layers)?;
            return Ok(rule);
        }
        left = left.wrapping_sub(layer.rules.len());
    }
    let message = format_args!("no recorded rule has the number {number}");
    Err(ToolError::new(ErrorCode::InvalidArgs, message)
        .reason("unknown_rule")
        .hint("`mathchain policy rules` lists them"))
}

/// Whole or not at all, for this user alone.
fn write(file: &Path, layers: &[Layer]) -> Result<(), ToolError> {
    let draft = file.with_extension("toml.new");
    let done = (|| {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let mut open = options.open(&draft)?;
        open.write_all(HEADER.as_bytes())?;
        open.write_all(to_toml(layers).as_bytes())?;
        open.sync_all()?;
        std::fs::rename(&draft, file)
    })();
    done.map_err(|err: std::io::Error| {
        let message = format_args!("cannot write `{}`: {err}", file.display());
        ToolError::new(ErrorCode::ToolError, message).reason("io")
    })
}

#[cfg(test)]
mod tests {
    use registry::Verdict;

    use super::*;

    #[test]
    fn rules_are_recorded_numbered_and_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(list(folder.path()).expect("reads"), Vec::new());
        for (number, tool) in [(1, "write_file"), (2, "run_shell")] {
            let rule = Rule::new(Verdict::Allow, [tool]);
            assert_eq!(record(folder.path(), rule).expect("writes"), number);
        }
        assert!(forget(folder.path(), 0).is_err() && forget(folder.path(), 3).is_err());
        let gone = forget(folder.path(), 1).expect("forgets");
        assert_eq!(gone.matches.tools[0].text, "write_file");
        let left = list(folder.path()).expect("reads");
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].place.as_ref().map(|place| place.line), Some(8));
        forget(folder.path(), 1).expect("forgets");
        assert_eq!(load(folder.path()).expect("reads"), Vec::new());
    }

    #[test]
    fn only_rules_of_the_user_are_read() {
        for (text, part) in [
            (
                "version = 1\n[limits]\ntimeout_ms = 1\n",
                "`limits` belongs into",
            ),
            (
                "version = 1\n[[policies]]\nlevel = \"global\"\n",
                "of level `user`",
            ),
            (
                "version = 1\n[[policies]]\nlevel = \"user\"\nalow = []\n",
                "did you mean `allow`?",
            ),
        ] {
            let errors = read("user-rules.toml", text).expect_err(text).to_string();
            assert!(errors.contains(part), "{errors}");
            assert!(errors.contains("user-rules.toml:"), "{errors}");
        }
    }
}
