//! The dispatcher with the journal of a run as its records: what it does stands in the run's chain, and nothing of a run that
//! was lost is done.

use std::sync::Arc;

use journal::{Journal, RunHeader, StateStore};
use registry::{CallRequest, ChainPosition, Dispatcher};
use tool_core::{CallOutcome, ErrorCode, RandomSeed, StopFlag, Value};

use crate::fakes::{World, logged, operator, test_clock};

struct Place {
    world: World,
    folder: tempfile::TempDir,
    state: Arc<StateStore>,
    journal: Arc<Journal>,
    dispatcher: Dispatcher,
}

impl Place {
    fn new() -> Self {
        let (world, folder) = (World::new(), tempfile::tempdir().unwrap());
        let state = Arc::new(StateStore::open(folder.path(), test_clock()).unwrap());
        let journal = state.begin_run(&RunHeader::default()).unwrap();
        let dispatcher = world.dispatcher.with_host(|host| {
            host.ledger = Some(Arc::clone(&journal) as _);
            host.approvals = Some(Arc::clone(&journal) as _);
        });
        Self {
            world,
            folder,
            state,
            journal,
            dispatcher,
        }
    }

    fn call(&self, tool: &str, key: &str) -> CallOutcome {
        let mut context = operator();
        context.chain = Some(ChainPosition {
            chain_id: self.journal.id().to_owned(),
            chain_index: 0,
            step: "a".to_owned(),
            ..ChainPosition::default()
        });
        self.dispatcher.call(CallRequest {
            tool: tool.to_owned(),
            args: Value::object([("key", key), ("path", "x"), ("text", "t")]),
            context,
            seed: RandomSeed::DEFAULT,
            timeout_ms: None,
            stop: StopFlag::new(),
            progress: None,
            client: None,
            remote: None,
        })
    }

    /// Kinds of the records of the run that another process finds.
    fn kinds(&self) -> Vec<String> {
        let other = StateStore::open(self.folder.path(), test_clock()).unwrap();
        let records = other.audit_list(Some(self.journal.id()), 99).unwrap();
        let kind = |value: &Value| value.get("kind").and_then(Value::as_str).map(str::to_owned);
        records
            .iter()
            .rev()
            .filter_map(|one| kind(&one.record))
            .collect()
    }
}

#[test]
fn intents_and_calls_stand_in_the_chain_of_the_run() {
    let place = Place::new();
    let outcome = place.call("write", "journal-1");
    assert!(outcome.is_success(), "{:?}", outcome.to_value());
    assert_eq!(
        place.kinds().first().map(String::as_str),
        Some("intent"),
        "durable without being flushed"
    );
    place.journal.state().flush().unwrap();
    assert_eq!(place.kinds(), ["intent", "call"]);
    let head = outcome.to_value().pointer("/metadata/audit/head");
    let head = head.as_ref().and_then(Value::as_str).expect("a head");
    assert!(
        head.starts_with(&format!("{}:", place.journal.id())),
        "{head}"
    );
    assert!(place.world.records().is_empty(), "not in the session's own");
    let report = place.state.verify(&[], true).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
}

/// The lease was taken by another process: an effect has no intent, so it does not happen.
#[test]
fn a_lost_run_does_nothing_more() {
    let place = Place::new();
    let thief = rusqlite::Connection::open(place.state.file()).unwrap();
    thief
        .execute("UPDATE runs SET lease_fence = lease_fence + 1", [])
        .unwrap();
    let outcome = place.call("write", "journal-2");
    let err = outcome.err().unwrap();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::PreconditionFailed, Some("audit"))
    );
    assert!(err.message().contains("taken over"), "{err:?}");
    assert_eq!(logged("journal-2"), Vec::<String>::new());
}
