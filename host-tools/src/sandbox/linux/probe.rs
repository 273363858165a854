//! The probe table: every level is tried by applying it, in a launcher that then ends.

use std::time::Duration;

use rustix::process::geteuid;
use tool_core::command::{Command, Level};

use super::super::Probe;
use super::run::{self, Refusal};
use super::scratch::Scratch;
use super::{LAUNCHABLE, Sandbox};

pub(super) fn probe(sandbox: &Sandbox) -> Vec<Probe> {
    let attempts: Vec<(Level, Result<u32, Refusal>)> = [Level::S3, Level::S2, Level::S1]
        .into_iter()
        .map(|level| (level, attempt(sandbox, level)))
        .collect();
    let at = |wanted: Level| {
        attempts
            .iter()
            .find(|(level, _)| *level == wanted)
            .map(|(_, found)| found)
    };
    let mut probes = vec![
        landlock(at(Level::S2)),
        part("seccomp", at(Level::S1), &["landlock"], "filters apply"),
        part(
            "namespaces",
            at(Level::S3),
            &[],
            "user, mount, process, network, host name",
        ),
        user(at(Level::S1)),
    ];
    let reached = attempts.iter().find(|(_, found)| found.is_ok());
    probes.push(match reached {
        Some((level, _)) if *level >= Level::S2 => ok("sandbox level", level.as_str().to_owned()),
        Some((level, _)) => missing(
            "sandbox level",
            level.as_str().to_owned(),
            "programs need S2 and are refused; see the lines above",
        ),
        None => missing(
            "sandbox level",
            "S0: programs are refused".to_owned(),
            "see the lines above",
        ),
    });
    probes
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
    let mut policy = sandbox.policy(&command, level, &scratch).map_err(failed)?;
    policy.probe = true;
    run::probe(&policy)
}

fn ok(name: &'static str, found: String) -> Probe {
    Probe {
        name,
        found,
        cure: None,
    }
}

fn missing(name: &'static str, found: String, cure: &str) -> Probe {
    Probe {
        name,
        found,
        cure: Some(cure.to_owned()),
    }
}

fn landlock(found: Option<&Result<u32, Refusal>>) -> Probe {
    match found {
        Some(Ok(version)) => ok("landlock", format!("ABI {version} in force")),
        other => part("landlock", other, &[], ""),
    }
}

/// A part that works when its level does, or when something else is what failed.
fn part(
    name: &'static str,
    found: Option<&Result<u32, Refusal>>,
    others: &[&str],
    words: &str,
) -> Probe {
    match found {
        Some(Err(refusal)) if !others.contains(&refusal.stage.as_str()) => {
            let (what, cure) = refusal.missing();
            missing(name, what, cure)
        }
        _ => ok(name, words.to_owned()),
    }
}

fn user(found: Option<&Result<u32, Refusal>>) -> Probe {
    let own = geteuid();
    if !own.is_root() {
        return ok("sandbox user", format!("{} (not root)", own.as_raw()));
    }
    part(
        "sandbox user",
        found,
        &[],
        "root; each command gets a user of its own",
    )
}
