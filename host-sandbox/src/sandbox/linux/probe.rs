//! The probe table: every level is tried by applying it, in a launcher that then ends.

use std::time::Duration;

use rustix::process::geteuid;
use tool_core::capability::Spawner;
use tool_core::command::{Command, Level};

use super::super::{Probe, Standing};
use super::refusal::Refusal;
use super::run;
use super::scratch::Scratch;
use super::{LAUNCHABLE, Sandbox};

pub(super) fn probe(sandbox: &Sandbox) -> Vec<Probe> {
    let attempts: Vec<(Level, Result<u32, Refusal>)> = [Level::S3, Level::S2, Level::S1]
        .into_iter()
        .map(|level| (level, attempt(sandbox, level)))
        .collect();
    let at = |wanted: Level| attempts.iter().find(|(level, _)| *level == wanted);
    let reached = attempts
        .iter()
        .find(|(_, found)| found.is_ok())
        .map(|(level, _)| *level);
    let landlock = match at(Level::S2) {
        Some((_, Ok(version))) => format!("ABI {version} in force"),
        _ => String::new(),
    };
    let mut namespaces = part(
        "namespaces",
        at(Level::S3),
        &["namespaces", "mounts"],
        "processes, mounts, network, host name, shared memory",
    );
    if namespaces.standing == Standing::Missing && reached >= Some(Level::S2) {
        namespaces.standing = Standing::Optional;
        if sandbox.find("bwrap").is_some() {
            namespaces.found += " (`bwrap` is here and not used)";
        }
    }
    vec![
        part("landlock", at(Level::S2), &["landlock"], &landlock),
        part("seccomp", at(Level::S1), &["seccomp"], "filters apply"),
        namespaces,
        part("sandbox user", at(Level::S1), &["user"], &user()),
        part(
            "sandbox limits",
            at(Level::S1),
            &["limits", "processes"],
            &format!(
                "processes by user id; memory and disk of all of them watched every {} ms",
                super::watch::PAUSE.as_millis()
            ),
        ),
        level(reached, at(Level::S1)),
    ]
}

/// What the parts come to.
fn level(reached: Option<Level>, lowest: Option<&(Level, Result<u32, Refusal>)>) -> Probe {
    const NAME: &str = "sandbox level";
    match (reached, lowest) {
        (Some(Level::S3), _) => ok(NAME, "S3, the highest".to_owned()),
        (Some(Level::S2), _) => ok(
            NAME,
            "S2, enough for every tool (S3 needs `namespaces`)".to_owned(),
        ),
        (Some(level), _) => missing(
            NAME,
            format!("{level}: programs need S2 and are refused"),
            "see the lines above",
        ),
        (None, Some((_, Err(refusal)))) => {
            let (what, cure) = refusal.missing();
            missing(NAME, format!("S0, programs are refused: {what}"), cure)
        }
        (None, _) => missing(
            NAME,
            "S0, programs are refused".to_owned(),
            "see the lines above",
        ),
    }
}

fn attempt(sandbox: &Sandbox, level: Level) -> Result<u32, Refusal> {
    let refusal = |stage: &str, message: String| Refusal {
        level,
        stage: stage.to_owned(),
        message,
    };
    if !LAUNCHABLE.load(std::sync::atomic::Ordering::Relaxed) {
        return Err(refusal(
            "launcher",
            "this program does not act as launcher".to_owned(),
        ));
    }
    let failed = |err: tool_core::ToolError| refusal("scratch", err.message().to_owned());
    let scratch = Scratch::make(&sandbox.surroundings.scratch).map_err(failed)?;
    let mut command = Command::new(["probe"]);
    command.limits.wall = Duration::from_secs(5);
    if sandbox.surroundings.workspace.is_none() {
        command.workspace = tool_core::command::Access::None;
    }
    let mut policy = sandbox
        .policy(&command, level, &scratch, &tool_core::StopFlag::new())
        .map_err(failed)?;
    policy.probe = true;
    run::probe(&policy)
}

fn ok(name: &'static str, found: String) -> Probe {
    Probe {
        name,
        standing: Standing::Ok,
        found,
        cure: None,
    }
}

fn missing(name: &'static str, found: String, cure: &str) -> Probe {
    Probe {
        name,
        standing: Standing::Missing,
        found,
        cure: Some(cure.to_owned()),
    }
}

/// A part works when an attempt that needs it does; when something else failed first, that is not known.
fn part(
    name: &'static str,
    attempt: Option<&(Level, Result<u32, Refusal>)>,
    stages: &[&str],
    words: &str,
) -> Probe {
    match attempt {
        Some((_, Err(refusal))) if stages.contains(&refusal.stage.as_str()) => {
            let (what, cure) = refusal.missing();
            missing(name, what, cure)
        }
        Some((_, Err(refusal))) => missing(
            name,
            format!("not known: `{}` failed first", refusal.stage),
            "see the other lines",
        ),
        _ => ok(name, words.to_owned()),
    }
}

fn user() -> String {
    let own = geteuid();
    if own.is_root() {
        "root; each command gets a user of its own".to_owned()
    } else {
        format!("{} (not root)", own.as_raw())
    }
}
