//! A level that is not reached: the command never runs, and the error says what is missing.

use tool_core::ErrorCode;
use tool_core::command::{Access, Command, Level};

use super::place::Place;

crate::trials!(
    below_its_level_a_command_never_runs,
    every_level_that_is_reached_is_probed,
    a_lower_level_serves_where_it_is_enough,
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
        command.workspace = Access::None;
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
            "sandbox level"
        ]
    );
    for probe in &probes {
        assert!(!probe.found.is_empty());
    }
    let ran = place.run(&Command::new(["true"])).expect("runs");
    let level = probes.last().expect("one");
    assert_eq!(level.found, ran.level.as_str());
}

fn a_lower_level_serves_where_it_is_enough() {
    let place = Place::at(Level::S2);
    let ran = place.run(&Command::new(["true"])).expect("runs");
    assert_eq!(ran.level, Level::S2);
}
