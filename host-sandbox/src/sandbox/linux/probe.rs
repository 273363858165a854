//! The probe table: for each level a launcher applies it and exits.

use std::time::Duration;

use rustix::process::geteuid;
use tool_core::capability::Spawner;
use tool_core::command::{Level, SandboxCommand};

use super::super::{ProbeVerdict, SandboxProbe};
use super::Sandbox;
use super::launched;
use super::launcher::LAUNCH;
use super::refusal::SandboxRefusal;
use super::scratch::ScratchFolder;

type Attempt = Result<u32, SandboxRefusal>;

pub(super) fn probe_sandbox(sandbox: &Sandbox) -> Vec<SandboxProbe> {
    let [s3, s2, s1] = [Level::S3, Level::S2, Level::S1].map(|level| attempt_level(sandbox, level));
    let levels = [(&s3, Level::S3), (&s2, Level::S2), (&s1, Level::S1)];
    let reached = levels.into_iter().find(|(attempt, _)| attempt.is_ok());
    let reached = reached.map(|(_, level)| level);
    let landlock = s2.as_ref().map(|version| format!("ABI {version} in force"));
    let landlock = landlock.unwrap_or_default();
    let isolated = "processes, mounts, network, host name, shared memory";
    let mut namespaces = component_probe("namespaces", &s3, &["namespaces", "mounts"], isolated);
    if namespaces.standing == ProbeVerdict::Missing && reached >= Some(Level::S2) {
        namespaces.standing = ProbeVerdict::Optional;
        if sandbox.find("bwrap").is_some() {
            namespaces.found += " (`bwrap` is installed and not used)";
        }
    }
    let limits = format!(
        "processes by user id; total memory and disk sampled every {} ms",
        super::watch::PAUSE.as_millis()
    );
    vec![
        component_probe("landlock", &s2, &["landlock"], &landlock),
        component_probe("seccomp", &s1, &["seccomp"], "filters apply"),
        namespaces,
        component_probe("sandbox user", &s1, &["user"], &describe_user()),
        component_probe("sandbox limits", &s1, &["limits", "processes"], &limits),
        level_probe(reached, &s1),
    ]
}

/// The resulting level.
fn level_probe(reached: Option<Level>, lowest: &Attempt) -> SandboxProbe {
    const NAME: &str = "sandbox level";
    let above = "see the lines above";
    match (reached, lowest) {
        (Some(Level::S3), _) => working_probe(NAME, "S3, the highest"),
        (Some(Level::S2), _) => working_probe(
            NAME,
            "S2, enough for every tool but those that write by a program (S3 needs `namespaces`)",
        ),
        (Some(level), _) => {
            let found = format!("{level}: programs require S2 and are refused");
            missing_probe(NAME, found, above)
        }
        (None, Err(refusal)) => {
            let (what, cure) = refusal.missing();
            missing_probe(NAME, format!("S0, programs are refused: {what}"), cure)
        }
        (None, Ok(_)) => missing_probe(NAME, "S0, programs are refused".to_owned(), above),
    }
}

fn attempt_level(sandbox: &Sandbox, level: Level) -> Attempt {
    let refusal = |stage: &str, message: String| SandboxRefusal {
        level,
        stage: stage.to_owned(),
        message,
    };
    if LAUNCH.get().is_none() {
        let message = "this program cannot act as the launcher";
        return Err(refusal("launcher", message.to_owned()));
    }
    let failed = |err: tool_core::ToolError| refusal("scratch", err.message().to_owned());
    let scratch = ScratchFolder::make(&sandbox.surroundings.scratch, None).map_err(failed)?;
    let mut command = SandboxCommand::new(["probe"]);
    command.limits.wall = Duration::from_secs(5);
    if sandbox.surroundings.workspace.is_none() {
        command.workspace = tool_core::command::CommandAccess::None;
    }
    let mut policy = sandbox
        .policy(&command, level, &scratch, &tool_core::StopFlag::new())
        .map_err(failed)?;
    policy.probe = true;
    launched::probe_policy(&policy)
}

fn working_probe(name: &'static str, found: &str) -> SandboxProbe {
    SandboxProbe {
        name,
        standing: ProbeVerdict::Ok,
        found: found.to_owned(),
        cure: None,
    }
}

fn missing_probe(name: &'static str, found: String, cure: &str) -> SandboxProbe {
    SandboxProbe {
        name,
        standing: ProbeVerdict::Missing,
        found,
        cure: Some(cure.to_owned()),
    }
}

/// A part works if an attempt that needs it succeeds; if another part failed first, the result is unknown.
fn component_probe(
    name: &'static str,
    attempt: &Attempt,
    stages: &[&str],
    words: &str,
) -> SandboxProbe {
    match attempt {
        Err(refusal) if stages.contains(&refusal.stage.as_str()) => {
            let (what, cure) = refusal.missing();
            missing_probe(name, what, cure)
        }
        Err(refusal) => {
            let found = format!("unknown: `{}` failed first", refusal.stage);
            missing_probe(name, found, "see the other lines")
        }
        Ok(_) => working_probe(name, words),
    }
}

fn describe_user() -> String {
    match geteuid().as_raw() {
        0 => "root; each command runs as a separate user".to_owned(),
        own => format!("{own} (not root)"),
    }
}
