//! What rules look at: the paths, hosts, programs, numbers and texts of one call, as values and never as patterns in text.

use tool_core::capability::{WorkspaceFiles, could_be_one_name};
use tool_core::file_pattern::{is_file_pattern, matching_files};
use tool_core::{AnyTool, DataPlace, EffectReach, ResourceKind, StopFlag, Syntax, ToolCall, Value};

use super::glob::PathPattern;
use super::shell;
use crate::model::WorkspaceRoots;

/// A path of a call, in every form it can be judged by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathFact {
    /// As the caller wrote it.
    pub written: String,
    /// Components of the normalised text and of the real identity; empty when neither is known.
    forms: Vec<Vec<String>>,
    /// Whether some form could not be found out.
    unknown: bool,
    /// Whether the file has other names (hard links): where those lie cannot be told.
    linked: bool,
    /// Whether everything below it is used too.
    tree: bool,
}

impl PathFact {
    /// Reads a path; with files at hand its real identity counts too.
    pub fn new(written: &str, files: Option<&dyn WorkspaceFiles>) -> Self {
        let lexical = relative_path_components(written);
        let mut unknown = lexical.is_none() && files.is_none();
        let mut linked = false;
        let mut forms: Vec<Vec<String>> = lexical.into_iter().collect();
        if let Some(files) = files {
            let id = files.identity(written).ok();
            linked = id.as_ref().is_some_and(|id| id.inode.is_some());
            match id.and_then(|id| file_name_components(&id.path)) {
                Some(real) => forms.push(real),
                None => unknown = true,
            }
        }
        Self {
            written: written.to_owned(),
            forms,
            unknown,
            linked,
            tree: false,
        }
    }

    /// How a rule names it, as narrowly as it can; `None` where the name is not known.
    pub(crate) fn name(&self) -> Option<String> {
        let parts = self.forms.first()?;
        Some(match parts.as_slice() {
            [] => ".".to_owned(),
            [_, rest @ ..] if is_absolute(parts) => format!("/{}", rest.join("/")),
            parts => parts.join("/"),
        })
    }

    /// Whether it stands for files that are not known one by one.
    pub(super) fn is_open(&self) -> bool {
        self.tree
    }

    /// Whether all its names are known.
    fn certain(&self) -> bool {
        !self.unknown && !self.linked && !self.forms.is_empty()
    }

    /// Whether it certainly lies under one of the roots.
    pub fn certainly_under(&self, roots: &[Vec<String>]) -> bool {
        self.certain() && self.forms.iter().all(|form| under_any(form, roots))
    }

    /// Whether it, or something below that is used with it, could lie under one of the roots.
    #[cfg(test)]
    pub(super) fn possibly_under(&self, roots: &[Vec<String>]) -> bool {
        let condition = PathCondition {
            under: Some(roots.to_vec()),
            globs: None,
        };
        condition.possibly(self)
    }

    /// Whether one form, or something below that is used with it, could lie under one of the roots; on a file system that ignores
    /// case too.
    fn could_lie(&self, form: &[String], roots: &[Vec<String>]) -> bool {
        roots.iter().any(|root| {
            (could_begin_with(form, root) || self.tree && could_begin_with(root, form))
                && is_absolute(form) == is_absolute(root)
        })
    }
}

/// What a rule says of paths: folders they lie under, patterns they fit; both where both are given.
#[derive(Debug, Clone)]
pub(super) struct PathCondition {
    pub(super) under: Option<Vec<Vec<String>>>,
    pub(super) globs: Option<Vec<PathPattern>>,
}

impl PathCondition {
    /// Whether a path certainly is one of those meant.
    pub(super) fn certainly(&self, path: &PathFact) -> bool {
        let fits =
            |form: &Vec<String>, globs: &[PathPattern]| globs.iter().any(|glob| glob.fits(form));
        let under = self.under.as_ref();
        let globs = self.globs.as_ref();
        path.certain()
            && under.is_none_or(|roots| path.certainly_under(roots))
            // What is below a folder need not fit as the folder does.
            && globs.is_none_or(|globs| {
                !path.tree && path.forms.iter().all(|form| fits(form, globs))
            })
    }

    /// Whether a path, or something that is used with it, could be one of those meant.
    pub(super) fn possibly(&self, path: &PathFact) -> bool {
        let one = |form: &Vec<String>| {
            let under = self.under.as_ref();
            let globs = self.globs.as_ref();
            under.is_none_or(|roots| path.could_lie(form, roots))
                && globs
                    .is_none_or(|globs| globs.iter().any(|glob| glob.could_fit(form, path.tree)))
        };
        path.unknown || path.linked || path.forms.iter().any(one)
    }
}

/// Whether some file system takes the beginning of a path for another path.
pub(super) fn could_begin_with(path: &[String], beginning: &[String]) -> bool {
    let mut pairs = path.iter().zip(beginning);
    path.len() >= beginning.len() && pairs.all(|(a, b)| could_be_one_name(a, b))
}

fn under_any(path: &[String], roots: &[Vec<String>]) -> bool {
    let lies_in =
        |root: &Vec<String>| path.starts_with(root) && is_absolute(path) == is_absolute(root);
    roots.iter().any(lies_in)
}

/// The components of a relative path, `.` and `..` worked out; `None` when it is absolute or leaves the root.
pub fn relative_path_components(path: &str) -> Option<Vec<String>> {
    if path.starts_with('/') || path.contains('\0') {
        return None;
    }
    let mut components: Vec<String> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                components.pop()?;
            }
            name => components.push(name.to_owned()),
        }
    }
    Some(components)
}

/// The first component of an absolute name, which no relative name has.
const ABSOLUTE: &str = "/";

/// Whether a name is that of a place in another root than the first.
fn is_absolute(name: &[String]) -> bool {
    name.first().is_some_and(|first| first == ABSOLUTE)
}

/// The components of the name of a file: relative to the first root, or absolute in another one.
pub(super) fn file_name_components(name: &str) -> Option<Vec<String>> {
    let Some(rest) = name.strip_prefix(ABSOLUTE) else {
        return relative_path_components(name);
    };
    let mut parts = relative_path_components(rest)?;
    parts.insert(0, ABSOLUTE.to_owned());
    Some(parts)
}

impl WorkspaceRoots {
    /// The components of the name of what a path in a configuration means: a path relative to the first root, or a place in another
    /// one. `None` for a path that lies in no root.
    pub(crate) fn named(&self, path: &str) -> Option<Vec<String>> {
        if let Some(parts) = relative_path_components(path) {
            return Some(parts);
        }
        let absolute = match path.starts_with(ABSOLUTE) {
            true => file_name_components(path)?,
            false => file_name_components(&format!("{}/{path}", self.first))?,
        };
        let lies_in = |root: &String| {
            file_name_components(root).is_some_and(|root| absolute.starts_with(&root))
        };
        if self.others.iter().any(lies_in) {
            return Some(absolute);
        }
        let first = file_name_components(&self.first).filter(|_| !self.first.is_empty())?;
        absolute.strip_prefix(&*first).map(<[String]>::to_vec)
    }
}

/// What a rule can look at in one call.
#[derive(Debug, Clone)]
pub struct CallFacts<'a> {
    /// What the call can do at most.
    pub reach: EffectReach,
    /// Paths the tool itself uses; `None` when they could not be found out.
    pub paths: Option<Vec<PathFact>>,
    /// Files that arguments refer to, and those whose contents the tool answers ([`Spec::reads`](tool_core::Spec::reads)).
    pub files: Vec<PathFact>,
    /// Programs with their arguments; `None` when one could not be read as such.
    pub programs: Option<Vec<Vec<String>>>,
    /// Hosts; `None` when one could not be read.
    pub hosts: Option<Vec<HostFact>>,
    /// The checked arguments.
    pub args: &'a Value,
}

impl<'a> CallFacts<'a> {
    /// The same as if files had one name each; none where they do. For reasons, never for decisions.
    pub(super) fn as_if_unlinked(&self) -> Option<Self> {
        let paths = self.paths.as_ref()?;
        let unlinked = |path: &PathFact| PathFact {
            linked: false,
            ..path.clone()
        };
        paths.iter().any(|path| path.linked).then(|| Self {
            paths: Some(paths.iter().map(unlinked).collect()),
            ..self.clone()
        })
    }

    /// Gathers them from a checked call.
    pub fn of(
        tool: &dyn AnyTool,
        call: &'a dyn ToolCall,
        files: Option<&dyn WorkspaceFiles>,
    ) -> Self {
        let spec = tool.spec();
        let (args, reach) = (call.args(), call.reach());
        let of_syntax = |wanted: Syntax| {
            spec.syntax
                .iter()
                .filter(move |(_, syntax)| *syntax == wanted)
                .filter_map(|(pointer, _)| args.pointer(pointer))
                .filter(|value| !value.is_null())
        };
        let resources = call.resources();
        let named = |kind| {
            let keys = resources
                .as_ref()
                .ok()?
                .iter()
                .filter(move |key| key.kind == kind);
            Some(keys.map(|key| key.name.clone()).collect::<Vec<_>>())
        };
        let mut paths = named(ResourceKind::Path);
        let trees: Vec<Value> = of_syntax(Syntax::Tree).collect();
        for value in of_syntax(Syntax::Path).chain(of_syntax(Syntax::Tree)) {
            match (&mut paths, value.as_str()) {
                (Some(list), Some(path)) if !list.iter().any(|known| known == path) => {
                    list.push(path.to_owned())
                }
                (_, Some(_)) => {}
                (_, None) => paths = None,
            }
        }
        let of_arguments = of_syntax(Syntax::Url).map(|url| HostFact::of(url.as_str()?));
        let of_keys = named(ResourceKind::Host);
        let of_keys = of_keys.as_ref().map(|names| {
            names
                .iter()
                .map(|name| HostFact::of(&format!("https://{name}/")))
        });
        let hosts = of_keys.and_then(|of_keys| of_arguments.chain(of_keys).collect());
        let files_of = call
            .sources()
            .iter()
            .filter_map(|source| match &source.source.place {
                DataPlace::File(path) => Some(path.clone()),
                DataPlace::Artifact(_) => None,
            });
        let answered = spec
            .reads
            .iter()
            .filter_map(|pointer| args.pointer(pointer))
            .flat_map(|value| named_texts(&value));
        let is_tree =
            |path: &str| reach.below && trees.iter().any(|tree| tree.as_str() == Some(path));
        let fact = |path: &String| PathFact {
            tree: is_tree(path),
            ..PathFact::new(path, files)
        };
        let commands = of_syntax(Syntax::Shell).map(|value| command_programs(&value));
        Self {
            reach,
            paths: paths.map(|paths| paths.iter().map(fact).collect()),
            files: files_of
                .chain(answered)
                .flat_map(|path| file_facts(&path, files))
                .collect(),
            programs: commands
                .collect::<Option<Vec<_>>>()
                .map(|programs| programs.concat()),
            hosts,
            args,
        }
    }
}

/// A file of an argument; each of several, where its path is a pattern. Where these are not known, everything below the folder.
fn file_facts(path: &str, files: Option<&dyn WorkspaceFiles>) -> Vec<PathFact> {
    let one = PathFact::new(path, files);
    if !is_file_pattern(path) {
        return vec![one];
    }
    let found = files.and_then(|files| matching_files(files, path, &StopFlag::default()).ok());
    match found {
        Some(found) => {
            let found = found.iter().map(|path| PathFact::new(path, files));
            std::iter::once(one).chain(found).collect()
        }
        None => vec![PathFact {
            unknown: true,
            tree: true,
            ..one
        }],
    }
}

/// A text, or the texts of a list.
fn named_texts(value: &Value) -> Vec<String> {
    if let Some(text) = value.as_str() {
        return vec![text.to_owned()];
    }
    let items = value.items().unwrap_or_default();
    let texts = items.iter().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// An argument vector, or every command of a text for the shell; `None` when they cannot be read off.
fn command_programs(value: &Value) -> Option<Vec<Vec<String>>> {
    if let Some(text) = value.as_str() {
        return shell::split_shell_commands(text);
    }
    let items = value.items()?;
    let words: Option<Vec<String>> = items
        .iter()
        .map(|word| Some(word.as_str()?.to_owned()))
        .collect();
    words
        .filter(|words| !words.is_empty())
        .map(|words| vec![words])
}

/// A host of a call, and the port it is reached on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFact {
    /// Its name in lower case.
    pub name: String,
    /// The port.
    pub port: u16,
}

impl HostFact {
    /// Reads an http(s) URL; `None` where its host or port cannot be told.
    fn of(url: &str) -> Option<Self> {
        let (scheme, host_port) = url_authority(url)?; // one with a user has no port that can be told
        let name = host_of(url)?;
        let after_host = match host_port.rfind(']') {
            Some(bracket) => &host_port[bracket + 1..],
            None => host_port.find(':').map_or("", |colon| &host_port[colon..]),
        };
        let port = match after_host.strip_prefix(':') {
            None | Some("") if scheme == "https" => 443,
            None | Some("") => 80,
            Some(digits) => digits.parse().ok()?,
        };
        Some(Self { name, port })
    }

    /// Whether an entry of `permissions.network.allowed_hosts` lists it; an entry with a port lists only that one.
    pub(super) fn listed_as(&self, entry: &str) -> bool {
        match entry.rsplit_once(':') {
            Some((host, digits)) if !digits.is_empty() && !digits.ends_with(']') => {
                digits.parse() == Ok(self.port) && host_fits(host, &self.name)
            }
            _ => host_fits(entry, &self.name),
        }
    }
}

/// Scheme in lower case and authority of an http(s) URL; `None` for everything else.
fn url_authority(url: &str) -> Option<(String, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    matches!(scheme.as_str(), "http" | "https").then_some((scheme, authority))
}

/// The host of an http(s) URL, in lower case, without port and user; `None` for everything else.
pub(super) fn host_of(url: &str) -> Option<String> {
    let host_port = url_authority(url)?.1.rsplit('@').next()?;
    let host = if host_port.starts_with('[') {
        &host_port[..=host_port.find(']')?]
    } else {
        host_port.split(':').next()?
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let plain = host.bytes().all(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'[' | b']' | b':')
    });
    (plain && !host.is_empty()).then_some(host)
}

/// Whether a host is the one a pattern names: itself, or `*.` and anything below.
pub(super) fn host_fits(pattern: &str, host: &str) -> bool {
    match pattern.strip_prefix("*.") {
        Some(parent) => host
            .strip_suffix(parent)
            .is_some_and(|front| front.len() > 1 && front.ends_with('.')),
        None => pattern == host,
    }
}
