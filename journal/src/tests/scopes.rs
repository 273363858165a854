//! Whose objects a caller sees.

use registry::WorkspaceId;

use super::*;

fn folder_of(name: &str) -> WorkspaceId {
    WorkspaceId {
        root: format!("/{name}"),
        id: format!("id-{name}"),
        roots: Vec::new(),
    }
}

/// Begins and ends a run of a role in a folder; gives its id.
fn run_of(state: &Arc<StateStore>, role: &str, folder: Option<&WorkspaceId>) -> String {
    let place = folder
        .map(|folder| Value::object([("root", folder.root.as_str()), ("id", folder.id.as_str())]));
    let who = match place {
        Some(place) => Value::object([("workspace", place)]),
        None => Value::object([("agent", "a")]),
    };
    let journal = state
        .begin_run(&RunHeader {
            role: role.to_owned(),
            who,
            ..header()
        })
        .unwrap();
    journal.finish(RunState::Succeeded).unwrap();
    journal.id().to_owned()
}

#[test]
fn a_run_of_another_workspace_or_role_is_none() {
    let top = folder();
    let state = Arc::new(open(top.path()));
    let (here, there) = (folder_of("here"), folder_of("there"));
    let own = run_of(&state, "worker_math", Some(&here));
    let other_role = run_of(&state, "worker_general", Some(&here));
    let elsewhere = run_of(&state, "worker_math", Some(&there));
    let nowhere = run_of(&state, "worker_math", None);
    let all = [&own, &other_role, &elsewhere, &nowhere];
    for (workspace, role, seen) in [
        (Some(&here), "worker_math", &[&own][..]),
        (Some(&here), OPERATOR, &[&own, &other_role]),
        (Some(&there), "worker_math", &[&elsewhere]),
        (Some(&folder_of("third")), OPERATOR, &[]),
        (None, OPERATOR, &[&nowhere]),
    ] {
        let scope = StateScope::new(workspace.cloned(), role);
        let listed = state.runs_in(&scope, None, 100).unwrap();
        assert_eq!(listed.len(), seen.len(), "{scope:?}");
        for id in all {
            let is_seen = seen.contains(&id);
            assert_eq!(state.run_in(&scope, id).is_ok(), is_seen, "{scope:?}");
            // Nor by the beginning of its id.
            assert_eq!(state.run_in(&scope, &id[..8]).is_ok(), is_seen, "{scope:?}");
        }
        let counted = state.run_counts(&scope).unwrap();
        let count = counted.get("succeeded").copied().unwrap_or(0);
        assert_eq!(count, seen.len() as u64, "{scope:?}");
    }
    // A folder that was moved, and one that was made anew at its path.
    for (id, root) in [("id-here", "/moved"), ("new", "/here")] {
        let folder = WorkspaceId {
            id: id.to_owned(),
            root: root.to_owned(),
            roots: Vec::new(),
        };
        let scope = StateScope::new(Some(folder), "worker_math");
        assert!(state.run_in(&scope, &own).is_ok());
        assert!(state.run_in(&scope, &elsewhere).is_err());
    }
}

#[test]
fn a_role_finds_its_run_behind_many_of_others() {
    let top = folder();
    let state = Arc::new(open(top.path()));
    let here = folder_of("here");
    let own = run_of(&state, "worker_math", Some(&here));
    for _ in 0..1005 {
        run_of(&state, "worker_general", Some(&here));
    }
    let listed = state.runs_in(&StateScope::new(Some(here), "worker_math"), None, 50);
    let listed: Vec<String> = listed.unwrap().into_iter().map(|run| run.id).collect();
    assert_eq!(listed, [own]);
}

#[test]
fn a_value_is_opened_where_it_was_made() {
    let top = folder();
    let state = Arc::new(open(top.path()));
    let (here, there) = (folder_of("here"), folder_of("there"));
    state.set_workspace(here.clone());
    let value = Value::from(vec![1.5; 20_000]);
    let handle = registry::ResultStore::keep(&*state, "c", "worker_math", &value).unwrap();
    let name = handle.text("$artifact").expect("a file");
    let opens = |workspace: &WorkspaceId, role: &str| {
        let scope = StateScope::new(Some(workspace.clone()), role);
        let listed = state.artifacts_in(&scope, 10).unwrap().len();
        let opened = state.open_in(&scope, name, 1 << 20);
        assert_eq!(listed == 1, opened.is_ok());
        opened.is_ok()
    };
    assert!(opens(&here, "worker_math") && opens(&here, OPERATOR));
    assert!(!opens(&here, "worker_general") && !opens(&there, "worker_math"));
    assert!(!opens(&there, OPERATOR));
}

#[test]
fn a_pipeline_of_another_workspace_or_role_is_none() {
    let top = folder();
    let state = Arc::new(open(top.path()));
    let (here, there) = (folder_of("here"), folder_of("there"));
    // Each workspace has a process of its own.
    let begin = |role: Option<&str>, folder: &WorkspaceId| {
        let process = open(top.path());
        process.set_workspace(folder.clone());
        let role = role.map(str::to_owned);
        let requester = PipelineRequester { role };
        process
            .begin_pipeline("team.toml", "d", &requester)
            .unwrap()
    };
    let own = begin(Some("worker_math"), &here);
    let other_role = begin(Some("worker_general"), &here);
    // One that a person began belongs to the operator.
    let of_person = begin(None, &here);
    let elsewhere = begin(Some("worker_math"), &there);
    let all = [&own, &other_role, &of_person, &elsewhere];
    for (workspace, role, seen) in [
        (&here, "worker_math", &[&own][..]),
        (&here, OPERATOR, &[&own, &other_role, &of_person]),
        (&there, "worker_math", &[&elsewhere]),
        (&folder_of("third"), OPERATOR, &[]),
    ] {
        let scope = StateScope::new(Some(workspace.clone()), role);
        let listed = state.pipelines_in(&scope, 100).unwrap();
        assert_eq!(listed.len(), seen.len(), "{scope:?}");
        for id in all {
            let is_seen = seen.contains(&id);
            assert_eq!(state.pipeline_in(&scope, id).is_ok(), is_seen, "{scope:?}");
            assert_eq!(
                state.pipeline_in(&scope, &id[..8]).is_ok(),
                is_seen,
                "{scope:?}"
            );
        }
        assert!(state.pipeline_in(&scope, "").is_err());
    }
}
