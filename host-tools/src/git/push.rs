//! Pushing.

use tool_core::command::{CommandAccess as WorkspaceAccess, Isolation};
use tool_core::object;

use super::remote::{GitRemote, redact_address};
use super::repository::{
    GitAccess, GitInvocation, GitRepository, base_command, check_finished, override_settings,
};
use super::settings::GitOperation;
use super::{failure, names, user};
use crate::prelude::*;

/// Push a branch of a repository of git to the branch of the same name of a remote. Every call needs a person's approval. Only new
/// commits are added: nothing is forced, deleted or moved back, and no hook runs. A remote is an address of HTTPS, for which the user's
/// credential helpers are asked, one of SSH, for which the user's agent and known hosts count, or a bare repository in the workspace.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Folder with the work tree, relative to the workspace root.
    #[value(default = "default_root")]
    pub repo_path: String,
    /// Name of the remote.
    #[value(default = "default_remote")]
    pub remote: String,
    /// Name of the branch; the present one where absent.
    #[value(default)]
    pub branch: Option<String>,
}

fn default_remote() -> String {
    "origin".to_owned()
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The remote.
    pub remote: String,
    /// Its address.
    pub url: String,
    /// The branch.
    pub branch: String,
    /// The commit at its end.
    pub commit: String,
    /// `new`, `updated` or `up_to_date`.
    pub result: Pushed,
}

tool_core::names! {
    /// What a push did.
    Pushed {
        /// The remote had no such branch.
        New = "new",
        /// The remote has new commits.
        Updated = "updated",
        /// The remote had every commit.
        UpToDate = "up_to_date",
    }
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "git:push",
        title: "Push to a remote",
        tags: &["git", "repository", "remote"],
        effects: &[
            Effect::LocalExec,
            Effect::ModifiesFiles,
            Effect::NetworkAccess,
        ],
        permissions: &[
            Permission::Network,
            Permission::Filesystem,
            Permission::Shell,
        ],
        capabilities: &[Capability::FilesRead, Capability::Spawn, Capability::Http],
        human_gate: true,
        exclusive: true, // the remote may be a folder of the workspace, which no argument names
        syntax: &[
            ("/repo_path", Syntax::Tree),
            ("/remote", Syntax::Ref),
            ("/branch", Syntax::Ref),
        ],
        ..super::WRITING
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let remote = names::check_remote(&args.remote, "/remote")?;
        let repository = args.open(ctx)?;
        let PushSubject {
            reference,
            branch,
            commit,
        } = args.subject(&repository)?;
        let replaced = address_replacements(ctx)?;
        let url = push_address(&repository, remote, &replaced)?;
        let lead = GitRemote::of(&repository, &url)?;
        let start = CheckedPush {
            repository: &repository,
            remote,
            spec: format!("{reference}:{reference}"),
            replaced,
        };
        let result = match &lead {
            GitRemote::Folder(path) => start.to_folder(path)?,
            GitRemote::Server(url) => start.to_server(url)?,
            GitRemote::Ssh => start.to_ssh()?,
        };
        let url = redact_address(&url);
        ctx.happened(
            "git.pushed",
            object! {
                "repository" => args.repo_path.as_str(), "commit" => commit.as_str(), "branch" => branch.as_str(),
                "remote" => remote, "url" => url.as_str(), "result" => result.as_str(),
            },
        );
        Ok(Output {
            remote: remote.to_owned(),
            url,
            branch,
            commit,
            result,
        })
    }

    /// The branch, its commit and the address: what is pushed where. An address to which nothing can be pushed is refused here, before a
    /// person is asked.
    fn bound(args: &Args, ctx: &Ctx) -> Result<Option<Value>> {
        let remote = names::check_remote(&args.remote, "/remote")?;
        let repository = args.open(ctx)?;
        let subject = args.subject(&repository)?;
        let url = push_address(&repository, remote, &address_replacements(ctx)?)?;
        if let GitRemote::Ssh = GitRemote::of(&repository, &url)? {
            ssh_command(ctx)?;
        }
        Ok(Some(object! {
            "branch" => subject.branch, "commit" => subject.commit, "url" => redact_address(&url),
        }))
    }

    /// In a repository whose remote is a new bare repository beside it.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the present branch": r#"{"repo_path": "repo"}"# => r#"{
            "remote": "origin", "url": "../remote.git", "branch": "main",
            "commit": "19cabfff2a05339fece78056567f8c665c43c179", "result": "new"
        }"#;
    };
}

/// What is pushed.
struct PushSubject {
    reference: String,
    branch: String,
    commit: String,
}

impl Args {
    /// The repository, once the names are known to be names.
    fn open<'a>(&self, ctx: &'a Ctx) -> Result<GitRepository<'a>> {
        if let Some(name) = &self.branch {
            names::branch_reference(name, "/branch")?;
        }
        GitRepository::open(ctx, &self.repo_path, GitOperation::Push)
    }

    fn subject(&self, repository: &GitRepository<'_>) -> Result<PushSubject> {
        let named = self.branch.as_deref();
        let named = named
            .map(|name| names::branch_reference(name, "/branch"))
            .transpose()?;
        let reference = match named {
            Some(reference) => reference,
            None => repository.head()?.ok_or_else(|| {
                tool_error!(InvalidArgs at "/branch", "detached";
                    "`HEAD` is detached, so that no branch is the present one"; "name the branch")
            })?,
        };
        let branch = reference.trim_start_matches("refs/heads/").to_owned();
        let Some(commit) = repository.commit(&reference)? else {
            return Err(tool_error!(InvalidArgs at "/branch", Reason::NotFound;
                "the branch `{branch}` has no commit"; "`git_branch` creates branches"));
        };
        Ok(PushSubject {
            reference,
            branch,
            commit,
        })
    }
}

/// The replacements of addresses in the user's configuration.
fn address_replacements(ctx: &Ctx) -> Result<Vec<(String, String)>> {
    let found = user::user_settings(ctx, &["url.insteadof"])?.into_iter();
    let pairs = found.filter_map(|setting| Some((setting.key, setting.value?)));
    Ok(pairs.collect())
}

/// The one address that a remote pushes to, after the replacements of the user's configuration.
fn push_address(
    repository: &GitRepository<'_>,
    remote: &str,
    replaced: &[(String, String)],
) -> Result<String> {
    let own = ["url", "pushurl"].map(|name| format!("remote.{remote}.{name}"));
    if !repository.settings.iter().any(|one| own.contains(&one.key)) {
        return Err(tool_error!(InvalidArgs at "/remote", Reason::NotFound;
            "the repository has no remote `{remote}`"; "the user adds it with `git remote add`"));
    }
    let words = ["remote", "get-url", "--push", "--all", remote];
    let listed = repository.run(&GitInvocation {
        settings: replaced,
        ..GitInvocation::new(&words)
    })?;
    let listed = String::from_utf8_lossy(&listed);
    match listed.lines().collect::<Vec<_>>().as_slice() {
        [url] => Ok((*url).to_owned()),
        urls => {
            let count = urls.len();
            Err(tool_error!(PreconditionFailed at "/remote", "addresses";
                "the remote `{remote}` has {count} addresses, expected 1"; "name a remote with one address"))
        }
    }
}

/// A push that was checked.
struct CheckedPush<'a> {
    repository: &'a GitRepository<'a>,
    remote: &'a str,
    spec: String,
    /// Replacements of addresses, which made the address that was checked.
    replaced: Vec<(String, String)>,
}

impl CheckedPush<'_> {
    fn to_folder(&self, path: &str) -> Result<Pushed> {
        // The settings of the environment do not reach the other side, so that its command has them.
        let receive = "--receive-pack=git -c core.hooksPath=/dev/null -c core.fsmonitor=false \
                       -c receive.autogc=false -c gc.auto=0 receive-pack";
        let allowed = [("protocol.file.allow".to_owned(), "always".to_owned())];
        self.run(
            &[receive],
            &[path.to_owned()],
            &allowed,
            &[],
            Isolation::Offline,
        )
    }

    /// The client of the other web tools asks first, so that its rules on hosts and addresses hold here too.
    fn to_server(&self, url: &str) -> Result<Pushed> {
        let ctx = self.repository.ctx();
        let base = url.trim_end_matches('/');
        let request = HttpRequest {
            redirects_max: 0,
            bytes_max: 1 << 20,
            ..HttpRequest::get(format!("{base}/info/refs?service=git-receive-pack"))
        };
        let answer = ctx.http()?.send(&request, ctx.stop())?;
        let mut settings = vec![
            ("http.followRedirects".to_owned(), "false".to_owned()),
            ("http.sslVerify".to_owned(), "true".to_owned()),
        ];
        for scheme in ["http", "https"] {
            let key = format!("protocol.{scheme}.allow");
            settings.push((key, "always".to_owned()));
        }
        let mut variables = Vec::new();
        if answer.status == 401 {
            let Some((user, password)) = find_credential(ctx, url)? else {
                return Err(tool_error!(PreconditionFailed at "/remote", "credentials";
                    "the server asks for a user, and no credential helper of the user's configuration knows one";
                    "the user configures `credential.helper` in `~/.gitconfig`, and pushes once by hand"));
            };
            // The text is fixed: the values are in the environment, which no shell reads as text.
            let helper = "!f() { test \"$1\" = get && printf 'username=%s\\npassword=%s\\n' \
                          \"$PUSH_USER\" \"$PUSH_PASSWORD\"; }; f";
            settings.push(("credential.helper".to_owned(), helper.to_owned()));
            variables.push(("PUSH_USER".to_owned(), user));
            variables.push(("PUSH_PASSWORD".to_owned(), password));
        }
        self.run(&[], &[], &settings, &variables, Isolation::Network)
    }

    /// Git runs as the user here, since it starts the user's `ssh`, with the user's keys, agent and known hosts. Its own settings stay those
    /// of every start, so that nothing of the repository runs.
    fn to_ssh(&self) -> Result<Pushed> {
        let ctx = self.repository.ctx();
        let spawner = ctx.spawner()?;
        let mut variables = vec![
            ("PATH".to_owned(), PATH.to_owned()),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("GIT_SSH_COMMAND".to_owned(), ssh_command(ctx)?),
        ];
        let places = [
            ("HOME", spawner.home()),
            ("SSH_AUTH_SOCK", spawner.ssh_agent()),
        ];
        for (name, place) in places {
            if let Some(place) = place {
                variables.push((name.to_owned(), place.to_string_lossy().into_owned()));
            }
        }
        let settings = [("protocol.ssh.allow", "always"), ("ssh.variant", "ssh")];
        let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned()));
        self.run(&[], &[], &settings, &variables, Isolation::None)
    }

    fn run(
        &self,
        options: &[&str],
        further: &[String],
        settings: &[(String, String)],
        variables: &[(String, String)],
        isolation: Isolation,
    ) -> Result<Pushed> {
        let mut words = vec![
            "push",
            "--porcelain",
            "--no-verify",
            "--no-signed",
            "--no-follow-tags",
            "--recurse-submodules=no",
            "--no-progress",
        ];
        words.extend(options);
        words.extend(["--", self.remote, &self.spec]);
        let settings = [&self.replaced, settings].concat();
        let finished = self.repository.finished(&GitInvocation {
            grant: GitAccess::Repository,
            isolation,
            further,
            settings: &settings,
            variables,
            ..GitInvocation::new(&words)
        })?;
        let said = finished.stdout.text();
        // One line for the branch: flag, names, summary.
        let flag = said.lines().find_map(|line| {
            let (flag, rest) = line.split_once('\t')?;
            rest.starts_with(&self.spec).then(|| flag.to_owned())
        });
        match (finished.exit.code(), flag.as_deref()) {
            (0, Some("*")) => Ok(Pushed::New),
            (0, Some("=")) => Ok(Pushed::UpToDate),
            (0, Some(" ")) => Ok(Pushed::Updated),
            (_, Some("!"))
                if said.contains("(fetch first)") || said.contains("(non-fast-forward)") =>
            {
                Err(tool_error!(Conflict at "/branch", "not_fast_forward";
                    "the branch of the remote has commits that this one lacks, and nothing is forced";
                    "the user brings them into this branch"))
            }
            (code, _) => {
                let said = finished.stderr.text() + &said;
                Err(of_ssh(&said).unwrap_or_else(|| failure::error_from_stderr(&said, code)))
            }
        }
    }
}

/// The search path of programs that run as the user.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The command that connects: the user's own `core.sshCommand`, else `ssh`. It asks nobody and accepts no unknown host.
fn ssh_command(ctx: &Ctx) -> Result<String> {
    let own = user::user_settings(ctx, &["core.sshcommand"])?.pop();
    let program = match own.and_then(|setting| setting.value) {
        Some(command) => command,
        None => {
            let found = ctx.spawner()?.find("ssh");
            let found = found.filter(|ssh| !ssh.path.contains([' ', '\'', '"', '\\', '$', '`']));
            found.map(|ssh| ssh.path).ok_or_else(|| {
                tool_error!(PreconditionFailed at "/remote", "ssh_missing";
                    "the remote has an address of SSH, and `ssh` is not installed";
                    "install OpenSSH, or name a remote of HTTPS")
            })?
        }
    };
    Ok(format!(
        "{program} -o BatchMode=yes -o StrictHostKeyChecking=yes -o ForwardAgent=no -o ClearAllForwardings=yes"
    ))
}

/// What `ssh` says of a connection that it did not make.
fn of_ssh(said: &str) -> Option<ToolError> {
    if said.contains("Host key verification failed") {
        return Some(tool_error!(PreconditionFailed at "/remote", "host_key";
            "the host is not among the user's known hosts, or has another key than there";
            "the user connects once by hand and compares the key: `ssh HOST`"));
    }
    if said.contains("Could not resolve hostname") || said.contains("ssh: connect to host") {
        return Some(
            tool_error!(ToolError at "/remote", "network"; "the host of the remote is not reached";
            "`ssh HOST` shows why; then push again"),
        );
    }
    said.contains("Permission denied (").then(|| {
        tool_error!(PreconditionFailed at "/remote", "credentials";
            "the server accepts no key of the user";
            "`ssh-add -l` lists the keys of the agent; `ssh-add FILE` adds one")
    })
}

/// User and password for a URL from the user's credential helpers. These are programs of the user, which need the user's files and
/// keyring: they run as the user, outside of every repository, with no configuration but their own.
fn find_credential(ctx: &Ctx, url: &str) -> Result<Option<(String, String)>> {
    let spawner = ctx.spawner()?;
    let (Some(git), Some(home)) = (spawner.find("git"), spawner.home()) else {
        return Ok(None);
    };
    const KINDS: [&str; 5] = [
        "credential.helper",
        "credential.username",
        "credential.usehttppath",
        "credential.protectprotocol",
        "credential.sanitizeprompt",
    ];
    let settings = user::user_settings(ctx, &KINDS)?;
    if !settings.iter().any(|one| one.kind() == "credential.helper") {
        return Ok(None);
    }
    let settings: Vec<(String, String)> = settings
        .into_iter()
        .filter_map(|setting| Some((setting.key, setting.value?)))
        .collect();
    let mut command = base_command(&git, &["credential", "fill"]);
    command.workspace = WorkspaceAccess::None;
    command.isolation = Isolation::None;
    command.stdin = format!("url={url}\n\n").into_bytes();
    let variables = [
        ("HOME", home.to_string_lossy().into_owned()),
        ("PATH", PATH.to_owned()),
        ("LANG", "C.UTF-8".to_owned()),
        ("GIT_DIR", "/dev/null".to_owned()),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value));
    command.environment.extend(variables);
    override_settings(&mut command, settings.iter());
    let finished = check_finished(spawner.run(&command, ctx.stop())?)?;
    let said = finished.stdout.text();
    let member = |name: &str| {
        let mut lines = said.lines();
        lines.find_map(|line| Some(line.strip_prefix(name)?.strip_prefix('=')?.to_owned()))
    };
    let found = member("username").zip(member("password"));
    Ok(found.filter(|_| finished.exit.success()))
}
