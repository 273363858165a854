//! A level that is not reached: the command never runs, and the error says what is missing.

use host_sandbox::sandbox::ProbeVerdict;
use tool_core::ErrorCode;
use tool_core::command::{CommandAccess, Level, SandboxCommand};

use crate::place::{Place, said};
use crate::survivors::CALLER;

crate::trials!(
    below_its_level_a_command_never_runs,
    every_level_that_is_reached_is_probed,
    a_lower_level_serves_where_it_is_enough,
    a_part_that_does_not_work_is_named,
);

fn below_its_level_a_command_never_runs() {
    for (ceiling, minimum) in [
        (Level::S2, Level::S3),
        (Level::S1, Level::S2),
        (Level::S0, Level::S1),
        (Level::S0, Level::S0),
    ] {
        let place = Place::at(ceiling);
        // Without Landlock it could write here, were it ever run.
        let marker = place.path("marker");
        std::fs::create_dir(&marker).expect("makes");
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(&marker, open).expect("sets");
        std::fs::set_permissions(
            place.path(""),
            std::os::unix::fs::PermissionsExt::from_mode(0o755),
        )
        .expect("sets");
        let mut command = place.script("echo ran > @/marker/file");
        command.minimum = minimum;
        command.workspace = CommandAccess::None;
        let err = place.run(&command).expect_err("refused");
        assert_eq!(err.code(), ErrorCode::SandboxUnavailable, "{err:?}");
        assert!(err.hint_str().is_some());
        assert!(!marker.join("file").exists());
        // The marker is one: at a level that has no Landlock, asked for on purpose, the file appears.
        if ceiling == Level::S1 {
            command.minimum = Level::S1;
            let ran = place.run(&command).expect("runs");
            assert_eq!(ran.level, Level::S1);
            assert!(marker.join("file").exists(), "{ran:?}");
        }
    }
}

fn every_level_that_is_reached_is_probed() {
    let place = Place::at(Level::S3);
    let probes = place.sandbox.probe();
    let names: Vec<&str> = probes.iter().map(|probe| probe.name).collect();
    assert_eq!(
        names,
        [
            "landlock",
            "seccomp",
            "namespaces",
            "sandbox user",
            "sandbox limits",
            "sandbox level"
        ]
    );
    for probe in &probes {
        assert!(!probe.found.is_empty());
    }
    let ran = place.run(&SandboxCommand::new(["true"])).expect("runs");
    let level = probes.last().expect("one");
    assert!(level.found.starts_with(ran.level.as_str()), "{level:?}");
    assert_eq!(level.standing, ProbeVerdict::Ok);
}

fn a_lower_level_serves_where_it_is_enough() {
    let place = Place::at(Level::S2);
    let ran = place.run(&SandboxCommand::new(["true"])).expect("runs");
    assert_eq!(ran.level, Level::S2);
}

/// What this program is asked to do inside a sandbox, where no further namespaces can be made.
pub(crate) const INNER: &str = "inner";

/// A sandbox in a sandbox is a machine without namespaces: what needs them is refused with the kernel's own answer, and
/// what does not runs one level below.
fn a_part_that_does_not_work_is_named() {
    let place = Place::at(Level::S3);
    let own = std::env::current_exe().expect("a program");
    let mut command = SandboxCommand::new([own.to_str().expect("UTF-8")]);
    command.readable = vec![own.clone()];
    command.environment = vec![(CALLER.to_owned(), INNER.to_owned())];
    let ran = place.run(&command).expect("runs");
    let text = said(&ran);
    assert!(
        text.contains("refused sandbox_unavailable namespaces: the command did not run"),
        "{text}"
    );
    assert!(
        text.contains("Operation not permitted") && text.contains("cure: allow user namespaces"),
        "{text}"
    );
    assert!(
        text.contains("no marker") && text.contains("runs at S2"),
        "{text}"
    );
    assert!(
        text.contains("doctor: namespaces is Optional, level Ok: S2, enough for every tool"),
        "{text}"
    );
}

#[expect(clippy::print_stdout, reason = "the test outside reads it")]
pub(crate) fn run_inside() {
    use host_sandbox::sandbox::SandboxEnvironment;
    use tool_core::StopFlag;
    use tool_core::capability::Spawner;
    #[expect(clippy::disallowed_methods, reason = "set by the sandbox outside")]
    let home = std::path::PathBuf::from(std::env::var("HOME").expect("a home"));
    let sandbox = host_sandbox::Sandbox::new(SandboxEnvironment {
        workspace: Some(home.clone()),
        scratch: home.clone(),
        ..SandboxEnvironment::default()
    });
    let script = format!("echo ran > {}/marker", home.display());
    let mut command = SandboxCommand::new(["sh", "-c", &script]);
    command.minimum = Level::S3;
    match sandbox.run(&command, &StopFlag::new()) {
        Ok(ran) => println!("it ran: {ran:?}"),
        Err(err) => println!(
            "refused {} {}: {} cure: {}",
            err.code(),
            err.reason_str().unwrap_or_default(),
            err.message(),
            err.hint_str().unwrap_or_default()
        ),
    }
    if !home.join("marker").exists() {
        println!("no marker");
    }
    match sandbox.run(&SandboxCommand::new(["true"]), &StopFlag::new()) {
        Ok(ran) => println!("runs at {}", ran.level),
        Err(err) => println!("refused too: {err:?}"),
    }
    let probes = sandbox.probe();
    let missing = probes.iter().find(|probe| probe.cure.is_some());
    let (missing, level) = (missing.expect("one"), probes.last().expect("one"));
    println!(
        "doctor: {} is {:?}, level {:?}: {}",
        missing.name, missing.standing, level.standing, level.found
    );
}
