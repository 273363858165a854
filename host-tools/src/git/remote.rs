//! Where a remote leads: a server that speaks HTTPS or SSH, or a bare repository in the workspace.

use std::net::IpAddr;
use std::path::{Component, Path, PathBuf};

use super::repository::GitRepository;
use super::settings::{self, GitOperation, GitSetting};
use crate::prelude::*;

/// Where a push goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GitRemote {
    /// A server, by its URL.
    Server(String),
    /// A server of SSH.
    Ssh,
    /// A bare repository in the workspace, relative to the work tree.
    Folder(String),
}

impl GitRemote {
    /// Reads the address of a remote.
    ///
    /// # Errors
    /// `policy_denied` with reason `transport` for other addresses, and those of [`bare_repository_remote`].
    pub(super) fn of(repository: &GitRepository<'_>, url: &str) -> Result<Self> {
        let scheme = url.split_once("://").map(|(scheme, _)| scheme);
        match scheme.map(str::to_ascii_lowercase).as_deref() {
            Some("https") if is_plain_url(url) => return Ok(Self::Server(url.to_owned())),
            Some("http") if is_plain_url(url) && is_loopback(url) => {
                return Ok(Self::Server(url.to_owned()));
            }
            Some("ssh") if is_ssh(&url["ssh://".len()..], '/') => return Ok(Self::Ssh),
            None if !is_path(url) && is_ssh(url, ':') => return Ok(Self::Ssh),
            Some("file") => return bare_repository_remote(repository, &url["file://".len()..]),
            None if is_path(url) => return bare_repository_remote(repository, url),
            _ => {}
        }
        Err(tool_error!(PolicyDenied at "/remote", "transport";
            "the remote has the address `{}`, to which nothing is pushed from here", redact_address(url);
            "a remote is `https://` without user and password, `ssh://USER@HOST/PATH`, `USER@HOST:PATH`, or a bare repository in the workspace; the user pushes by hand to others"))
    }
}

/// An address for an error: without a user and a password.
pub(super) fn redact_address(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let rest = match rest.split_once('/') {
        Some((host, path)) => format!("{}/{path}", host.rsplit('@').next().unwrap_or_default()),
        None => rest.rsplit('@').next().unwrap_or_default().to_owned(),
    };
    let whole = match scheme {
        "" => rest,
        scheme => format!("{scheme}://{rest}"),
    };
    whole
        .chars()
        .take(120)
        .flat_map(char::escape_debug)
        .collect()
}

/// Whether a URL has neither a user, nor spaces, nor control characters.
fn is_plain_url(url: &str) -> bool {
    let host = url.split('/').nth(2).unwrap_or_default();
    !host.is_empty() && !host.contains('@') && url.chars().all(|c| c.is_ascii_graphic())
}

/// Whether an address is `USER@HOST`, an end of the host, and a path, of characters that neither a shell nor `ssh` reads as more than a name.
fn is_ssh(address: &str, end: char) -> bool {
    let word = |text: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        !text.is_empty() && !text.starts_with('-') && text.bytes().all(plain)
    };
    let Some((front, path)) = address.split_once(end) else {
        return false;
    };
    let (user, host) = front.rsplit_once('@').unwrap_or(("git", front));
    let (host, port) = match end {
        '/' => host.split_once(':').unwrap_or((host, "22")),
        _ => (host, "22"),
    };
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"'\"\\`$!;&|<>*?()".contains(&byte);
    word(user)
        && word(host)
        && port.parse::<u16>().is_ok()
        && !path.is_empty()
        && !path.starts_with('-')
        // `NAME::ADDRESS` is for a program of git's, `git-remote-NAME`.
        && !(end == ':' && path.starts_with(':'))
        // What stands before another `@` may be a password.
        && path.split('/').next().is_none_or(|first| !first.contains('@'))
        && path.bytes().all(is_plain)
}

fn is_loopback(url: &str) -> bool {
    let host = url.split('/').nth(2).unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let address = name.parse::<IpAddr>();
    name == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Whether git takes an address without `://` for a path: it has no colon, or a slash before the first one.
fn is_path(url: &str) -> bool {
    !url.is_empty()
        && url
            .split('/')
            .next()
            .is_some_and(|first| !first.contains(':'))
}

/// A bare repository in the workspace.
///
/// # Errors
/// `policy_denied` with reason `outside_workspace`, or with the name of a setting of it; `precondition_failed` if it is none.
fn bare_repository_remote(repository: &GitRepository<'_>, path: &str) -> Result<GitRemote> {
    let top = repository.line(&["rev-parse", "--show-toplevel"])?;
    let target = normalise_path(&Path::new(&top).join(path));
    let relative = relative_path(Path::new(&top), &target);
    let outside = || {
        tool_error!(PolicyDenied at "/remote", Reason::OutsideWorkspace;
            "the remote is the folder `{}`, which is not in the workspace", redact_address(path);
            "the user pushes to it by hand")
    };
    let relative = relative.to_str().ok_or_else(outside)?.to_owned();
    // The same place, named from the root of the workspace.
    let named = normalise_path(&Path::new(&repository.folder).join(&relative));
    let named = named.to_str().ok_or_else(outside)?;
    if named.split('/').any(|part| part == "..") {
        return Err(outside());
    }
    let ctx = repository.ctx();
    let files = ctx.files()?;
    if files.identity(named).map_err(|_| outside())?.path != named {
        return Err(outside()); // a link
    }
    files.may_write(named).at("/remote")?;
    let none = |what: &str| {
        Err(
            tool_error!(PreconditionFailed at "/remote", "no_repository";
            "the remote `{named}` {what}"; "a remote in the workspace is a bare repository: `git init --bare`"),
        )
    };
    let Ok(entries) = files.entries(named, LinkMode::Refuse, ctx.stop()) else {
        return none("is no folder");
    };
    let kind = |name: &str| {
        let is_named = |entry: &&FileInfo| entry.path.rsplit('/').next() == Some(name);
        entries.iter().find(is_named).map(|entry| entry.kind)
    };
    let whole = kind("config") == Some(FileKind::File)
        && ["objects", "refs"].map(kind) == [Some(FileKind::Directory); 2];
    if !whole || kind("commondir").is_some() {
        return none("is no bare repository");
    }
    if files
        .stat(&format!("{named}/objects/info/alternates"))
        .is_ok()
    {
        return none("uses objects of another repository");
    }
    let config = format!("{relative}/config");
    let words = ["config", "--file", &config, "--no-includes", "--list", "-z"];
    let mut settings = GitSetting::list(&repository.output(&words)?);
    let is_bare = |setting: &GitSetting| {
        setting.key == "core.bare" && setting.value.as_deref().is_none_or(|value| value == "true")
    };
    if !settings.iter().any(is_bare) {
        return none("is not bare");
    }
    settings.retain(|setting| setting.key != "core.bare");
    settings::required_overrides(&settings, GitOperation::Push).at("/remote")?;
    Ok(GitRemote::Folder(relative))
}

/// A path without `.` and `..`, by its text; `..` above a relative path stays.
fn normalise_path(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(tidy.components().next_back(), Some(Component::Normal(_))) =>
            {
                tidy.pop();
            }
            part => tidy.push(part),
        }
    }
    tidy
}

/// The way from a folder to a path, both absolute and tidy.
fn relative_path(from: &Path, to: &Path) -> PathBuf {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from[shared..].iter().map(|_| Component::ParentDir);
    up.chain(to[shared..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_apart_as_git_does() {
        for (url, path, loopback) in [
            ("../remote.git", true, false),
            ("/srv/remote.git", true, false),
            ("./a:b", true, false),
            ("host:path", false, false),
            ("ext::sh -c id", false, false),
            ("http://127.0.0.1:80/r", false, true),
            ("http://[::1]:80/r", false, true),
            ("http://127.0.0.1.example.org/r", false, false),
            ("http://example.org/127.0.0.1", false, false),
        ] {
            assert_eq!(
                (is_path(url) && !url.contains("://"), is_loopback(url)),
                (path, loopback),
                "{url}"
            );
        }
        for (address, end, is) in [
            ("git@github.com:x/y.git", ':', true),
            ("host:path", ':', true),
            ("git@github.com/x/y.git", '/', true),
            ("git@host:2222/x", '/', true),
            ("-oProxyCommand=x:y", ':', false),
            ("git@-oProxyCommand=x:y", ':', false),
            ("git@host:-x", ':', false),
            ("git@host:$(id)", ':', false),
            ("ext::sh -c id", ':', false),
            ("git@host:port/x", '/', false),
            ("git:secret@host:x", ':', false),
        ] {
            assert_eq!(is_ssh(address, end), is, "{address}");
        }
        assert!(
            !is_plain_url("https://user:secret@example.org/r")
                && is_plain_url("https://example.org/r")
        );
        assert_eq!(
            redact_address("https://user:secret@example.org/r"),
            "https://example.org/r"
        );
    }

    #[test]
    fn the_way_between_folders() {
        for (from, to, way) in [
            ("/w/repo", "/w/remote.git", "../remote.git"),
            ("/w", "/w/a/b", "a/b"),
            ("/w/a/b", "/", "../../.."),
        ] {
            assert_eq!(
                relative_path(Path::new(from), Path::new(to)),
                Path::new(way)
            );
        }
        assert_eq!(
            normalise_path(Path::new("a/./b/../../../c")),
            Path::new("../c")
        );
        assert_eq!(normalise_path(Path::new("/a/../../b")), Path::new("/../b"));
    }
}
