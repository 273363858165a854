//! The folder of a plugin: its texts, and a digest of its contents.

use std::path::{Path, PathBuf};

use registry::LoadError;
use registry::plugins::{BrokenPlugin, PluginBundle};
use tool_core::json::{self, JsonLimits};
use tool_core::{Result, ToolError, Value, tool_error};

use super::PluginRoot;
use crate::{io, owned};

/// Name of the manifest.
const MANIFEST: &str = "manifest.json";
/// Maximum number of files of one plugin.
const FILES_MAX: usize = 2000;
/// Maximum size of all files of one plugin, in bytes.
const BYTES_MAX: u64 = 64 << 20;
/// Folders that are not part of a plugin.
const SKIPPED: [&str; 3] = ["__pycache__", ".git", ".mypy_cache"];

/// The contents of a folder.
pub(super) struct PluginFolder {
    pub(super) files: Vec<String>,
    pub(super) digest: String,
    manifest: Option<String>,
}

fn unreadable_folder_error(path: &Path, err: &dyn std::fmt::Display) -> ToolError {
    tool_error!(ToolError, "io"; "cannot read `{}`: {err}", path.display())
}

/// Every plugin below a root, by the name of its folder.
pub(super) fn read_bundles(root: &PluginRoot) -> Result<Vec<Result<PluginBundle, BrokenPlugin>>> {
    let mut bundles = Vec::new();
    for folder in plugin_folders(root)? {
        let manifest_name = folder.join(MANIFEST).to_string_lossy().into_owned();
        let broken = |manifest: &str, err: &ToolError| {
            let error = LoadError::new(None, err.message());
            Err(BrokenPlugin::new(&manifest_name, manifest, error.into()))
        };
        let read = match read_plugin_folder(&folder) {
            Ok(read) => read,
            Err(err) => {
                bundles.push(broken("", &err));
                continue;
            }
        };
        let Some(manifest) = read.manifest else {
            continue;
        };
        let parsed = json::parse_json(&manifest, JsonLimits::default()).unwrap_or_default();
        if root.shared && parsed.get("schema_version").is_none() {
            continue;
        }
        let name = parsed.get("name").and_then(Value::as_str);
        let name = name.filter(|name| is_plain(name));
        let settings = match name.map(|name| plugin_settings(root, name)).transpose() {
            Ok(settings) => settings.flatten(),
            Err(err) => {
                bundles.push(broken(&manifest, &err));
                continue;
            }
        };
        bundles.push(Ok(PluginBundle {
            manifest_name,
            settings,
            manifest,
            files: read.files,
            digest: read.digest,
            server: None,
        }));
    }
    Ok(bundles)
}

fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    !name.is_empty() && name.bytes().all(plain)
}

/// The folders below a root that have a manifest.
fn plugin_folders(root: &PluginRoot) -> Result<Vec<PathBuf>> {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    if !owned::is_present(&root.plugins)? {
        return Ok(Vec::new());
    }
    let entries = match std::fs::read_dir(&root.plugins) {
        Ok(entries) => entries,
        Err(err) if matches!(err.kind(), NotFound | NotADirectory) => return Ok(Vec::new()),
        Err(err) => return Err(unreadable_folder_error(&root.plugins, &err)),
    };
    let mut folders = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|err| unreadable_folder_error(&root.plugins, &err))?
            .path();
        if path.is_dir() && owned::is_present(&path.join(MANIFEST))? {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}

/// Path and text of the settings of a plugin, if any.
pub(super) fn plugin_settings(root: &PluginRoot, name: &str) -> Result<Option<(String, String)>> {
    let path = root.settings.join(format!("{name}.json"));
    let text = owned::read_owned_file(&path)?;
    Ok(text.map(|text| (path.to_string_lossy().into_owned(), text)))
}

/// Reads a whole folder. Links are refused: their targets could change unnoticed.
pub(super) fn read_plugin_folder(folder: &Path) -> Result<PluginFolder> {
    let facts = folder
        .metadata()
        .map_err(|err| unreadable_folder_error(folder, &err))?;
    owned::of_this_user(folder, &facts)?;
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    let mut bytes = 0;
    while let Some(path) = waiting.pop() {
        for entry in std::fs::read_dir(&path).map_err(|err| unreadable_folder_error(&path, &err))? {
            let entry = entry.map_err(|err| unreadable_folder_error(&path, &err))?;
            let path = entry.path();
            let kind = entry
                .file_type()
                .map_err(|err| unreadable_folder_error(&path, &err))?;
            if kind.is_dir() {
                if !SKIPPED.iter().any(|name| entry.file_name() == *name) {
                    waiting.push(path);
                }
                continue;
            }
            if !kind.is_file() {
                let why = "a plugin consists of files and folders only";
                return Err(unreadable_folder_error(&path, &why));
            }
            let facts = entry
                .metadata()
                .map_err(|err| unreadable_folder_error(&path, &err))?;
            owned::of_this_user(&path, &facts)?;
            bytes += facts.len();
            let relative = path.strip_prefix(folder).unwrap_or(&path).to_str();
            let relative = relative
                .map(str::to_owned)
                .ok_or_else(|| unreadable_folder_error(&path, &"its name is not UTF-8"))?;
            found.push((relative, path));
            if found.len() > FILES_MAX || bytes > BYTES_MAX {
                let mib = BYTES_MAX >> 20;
                let limit = format!("a plugin has at most {FILES_MAX} files and {mib} MiB");
                return Err(unreadable_folder_error(folder, &limit).reason("limit"));
            }
        }
    }
    found.sort();
    let mut files = Vec::with_capacity(found.len());
    let mut manifest = None;
    let mut digest = registry::digest::DigestParts::new();
    for (relative, path) in found {
        let content = bytes_of(&path)?;
        digest.add(relative.as_bytes());
        digest.add(&content);
        if relative == MANIFEST {
            let text = String::from_utf8(content);
            manifest = Some(text.map_err(|_| unreadable_folder_error(&path, &"it is not UTF-8"))?);
        }
        files.push(relative);
    }
    Ok(PluginFolder {
        files,
        digest: digest.finish(),
        manifest,
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "plugins are read before there is a workspace"
)]
fn bytes_of(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|err| unreadable_folder_error(path, &err))
}

/// Writes the settings of a plugin, atomically.
pub(super) fn write_settings(root: &PluginRoot, name: &str, text: &str) -> Result<PathBuf> {
    let path = root.settings.join(format!("{name}.json"));
    let failed = |err| io::cannot_write(&path, &err);
    std::fs::create_dir_all(&root.settings).map_err(failed)?;
    io::replace_file(&path, text.as_bytes(), io::FileReaders::AsBefore).map_err(failed)?;
    Ok(path)
}

/// Writes new files into a folder, in their order.
pub(super) fn write_new(folder: &Path, files: &[(&str, &str)]) -> Result<Vec<PathBuf>> {
    let failed = |err| io::cannot_write(folder, &err);
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut written = Vec::new();
    for (name, text) in files {
        let path = folder.join(name);
        io::write_new(&path, text).map_err(failed)?;
        written.push(path);
    }
    Ok(written)
}
