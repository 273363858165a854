use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fakes::tool;
use tool_core::ctx::CallBudget;
use tool_core::{
    AnyTool, Determinism, Effect, Finite, Object, RandomSeed, Spec, StopFlag, Value, fields,
    object, tool_entry,
};

use super::calls::{CallGroup, RemoteOutcome, WaitingCall, WantedCall};
use super::executor::{BuildIdentity, Executor, SubmittedTicket, TicketEvent, TicketId};
use super::files::{FilesExecutor, FilesSettings};
use super::folder::{FileFault, RunFolder, owned_name};
use super::packer::TicketPacker;
use super::ticket::{CallAnswer, TicketBody, TicketCall, answers_of_text, answers_to_text};
use super::worker::{WorkerOptions, WorkerReport, serve_tickets};
use super::{ClusterSettings, NONDETERMINISTIC};

tool!(pub(crate) Double, "double", { ..Spec::pure() },
DoubleArgs { x: Finite },
DoubleOutput { twice: f64 },
|args, _| { Ok(DoubleOutput { twice: 2.0 * args.x.get() }) });

tool!(pub(crate) Erase, "erase", { effects: &[Effect::ModifiesFiles], determinism: Determinism::External, ..Spec::pure() },
EraseArgs { x: Finite },
EraseOutput { twice: f64 },
|args, _| { Ok(EraseOutput { twice: args.x.get() }) });

fn tool(id: &str) -> Option<&'static dyn AnyTool> {
    let tools = [tool_entry::<Double>(), tool_entry::<Erase>()];
    let mut tools = tools.into_iter().map(|entry| entry.tool());
    tools.find(|tool| tool.spec().id == id)
}

fn call(stop: &StopFlag, now: Instant) -> Arc<WaitingCall> {
    let wanted = WantedCall {
        group: CallGroup {
            step: 0,
            tool: "double",
            version: 1,
            budget: CallBudget::default(),
            verify: false,
        },
        args: object! { "x" => 1.5 },
        seed: RandomSeed::DEFAULT,
        stop: stop.clone(),
        left: None,
    };
    WaitingCall::new(wanted, now)
}

fn settings() -> ClusterSettings {
    ClusterSettings {
        wait: Duration::from_secs(60),
        ticket: Duration::from_secs(1),
    }
}

fn answers(count: usize, x: f64) -> String {
    let one = CallAnswer {
        output: Ok(object! { "twice" => x }),
        warnings: vec!["w".to_owned()],
        notes: Object::new(),
    };
    answers_to_text(&vec![one; count]).unwrap()
}

fn done(id: TicketId, node: &str, body: String, ms: f64) -> TicketEvent {
    TicketEvent::Done {
        id,
        node: node.to_owned(),
        digest: registry::digest::of_texts([&*body]),
        body,
        elapsed_ms: ms,
        is_whole: true,
    }
}

/// Packs all that can be packed, and gives the copies that are due with the number of their calls.
fn packed(packer: &mut TicketPacker, now: Instant) -> Vec<(TicketId, usize)> {
    let mut counts = std::collections::HashMap::new();
    while let Some(pack) = packer.next_pack() {
        counts.insert(pack.number, pack.calls.len());
        packer.open(pack, "body".into());
    }
    let (due, _) = packer.due_copies(now);
    let count = |id: TicketId| counts.get(&id.number).copied().unwrap_or(0);
    due.iter().map(|copy| (copy.id, count(copy.id))).collect()
}

#[test]
fn packs_grow_to_the_time_of_a_ticket_and_leave_some_for_every_slot() {
    let now = Instant::now();
    let mut packer = TicketPacker::new(settings());
    let stop = StopFlag::new();
    for _ in 0..500 {
        packer.add(call(&stop, now), now);
    }
    assert!(packed(&mut packer, now).is_empty(), "there is no worker");
    packer.note_slots(Ok(2), now);
    let first = packed(&mut packer, now);
    assert_eq!(
        first.iter().map(|(_, calls)| *calls).collect::<Vec<_>>(),
        [1; 4]
    );
    // 50 ms a call: 20 of them take the second of a ticket.
    for (id, calls) in first {
        assert!(
            packer
                .learn(done(id, "n1", answers(calls, 3.0), 50.0), now)
                .is_empty()
        );
    }
    let next = packed(&mut packer, now);
    assert_eq!(
        next.iter().map(|(_, calls)| *calls).collect::<Vec<_>>(),
        [20; 4]
    );
    // The rest is shared: no slot waits for the last long ticket.
    let mut packer = TicketPacker::new(settings());
    packer.note_slots(Ok(2), now);
    packer.add(call(&stop, now), now);
    let (id, _) = packed(&mut packer, now)[0];
    packer.learn(done(id, "n1", answers(1, 3.0), 1.0), now);
    for _ in 0..10 {
        packer.add(call(&stop, now), now);
    }
    let last = packed(&mut packer, now);
    assert_eq!(
        last.iter().map(|(_, calls)| *calls).collect::<Vec<_>>(),
        [3, 3, 2, 2]
    );
}

#[test]
fn more_workers_get_more_calls_and_what_moving_them_costs_is_counted() {
    let now = Instant::now();
    let mut packer = TicketPacker::new(settings());
    let stop = StopFlag::new();
    assert_eq!(packer.calls_wanted(), 0);
    packer.note_slots(Ok(100), now);
    packer.add(call(&stop, now), now);
    let (id, _) = packed(&mut packer, now)[0];
    packer.note_submission(id, Ok(()), now);
    let started = now + Duration::from_millis(30);
    let began = TicketEvent::Started {
        id,
        node: "n1".to_owned(),
    };
    packer.learn(began, started);
    let body = answers(1, 3.0);
    let received = body.len();
    packer.learn(
        done(id, "n1", body, 50.0),
        started + Duration::from_millis(60),
    );
    // 50 ms a call: 20 on each of 200 tickets.
    packer.add(call(&stop, now), now);
    assert_eq!(packer.calls_wanted(), 4_000);
    let costs = Value::from(packer.costs()[&0].to_object());
    let expected = object! {
        "tickets" => 1_i64, "calls" => 1_i64, "bytes_sent" => 4_i64, "bytes_received" => received,
        "computing_ms" => 50.0, "waiting_ms" => 30.0, "moving_ms" => 10.0,
    };
    assert_eq!(costs, expected);
    assert_eq!((packer.tickets().out, packer.tickets().done), (0, 1));
}

#[test]
fn the_first_result_counts_and_another_one_that_differs_ends_the_run() {
    let now = Instant::now();
    let mut packer = TicketPacker::new(settings());
    packer.note_slots(Ok(1), now);
    let waiting = call(&StopFlag::new(), now);
    packer.add(Arc::clone(&waiting), now);
    let (id, _) = packed(&mut packer, now)[0];
    packer.learn(done(id, "n1", answers(1, 3.0), 5.0), now);
    match waiting.wait() {
        RemoteOutcome::Computed {
            output,
            warnings,
            node,
            ..
        } => {
            assert_eq!(output.unwrap(), object! { "twice" => 3.0 });
            assert_eq!((warnings, node), (vec!["w".to_owned()], "n1".to_owned()));
        }
        other => panic!("{other:?}"),
    }
    // The same result again is no news; a late one that ended by time says nothing about the tool.
    packer.learn(done(id, "n2", answers(1, 3.0), 5.0), now);
    let mut late = done(id, "n2", answers(1, 4.0), 5.0);
    if let TicketEvent::Done { is_whole, .. } = &mut late {
        *is_whole = false;
    }
    packer.learn(late, now);
    assert!(packer.alarm().is_none());

    let waits = call(&StopFlag::new(), now);
    packer.add(Arc::clone(&waits), now);
    packer.learn(done(id, "n2", answers(1, 4.0), 5.0), now);
    let alarm = packer.alarm().cloned().unwrap();
    assert_eq!(alarm.reason_str(), Some(NONDETERMINISTIC));
    assert!(alarm.message().contains("`n1` and `n2`"), "{alarm:?}");
    assert!(matches!(waits.wait(), RemoteOutcome::Failed(_)));
    let after = call(&StopFlag::new(), now);
    packer.add(Arc::clone(&after), now);
    assert!(matches!(after.wait(), RemoteOutcome::Failed(_)));
}

#[test]
fn a_straggler_is_submitted_once_more_and_the_other_copy_is_withdrawn() {
    let now = Instant::now();
    let mut packer = TicketPacker::new(settings());
    packer.note_slots(Ok(2), now);
    let stop = StopFlag::new();
    packer.add(call(&stop, now), now);
    let (first, _) = packed(&mut packer, now)[0];
    packer.learn(done(first, "n1", answers(1, 3.0), 50.0), now);
    packer.add(call(&stop, now), now);
    let (id, _) = packed(&mut packer, now)[0];
    packer.learn(
        TicketEvent::Started {
            id,
            node: "n1".to_owned(),
        },
        now,
    );
    let soon = now + Duration::from_secs(2);
    assert!(packed(&mut packer, soon).is_empty());
    let later = now + Duration::from_secs(4);
    let again = packed(&mut packer, later);
    let copy = TicketId { copy: 2, ..id };
    assert_eq!(again, [(copy, 0)]);
    assert!(packed(&mut packer, later).is_empty(), "once");
    let withdrawn = packer.learn(done(copy, "n2", answers(1, 3.0), 50.0), later);
    assert_eq!(withdrawn, [id]);
}

#[test]
fn a_ticket_is_refused_three_times_at_most() {
    let now = Instant::now();
    let mut packer = TicketPacker::new(settings());
    packer.note_slots(Ok(1), now);
    let waiting = call(&StopFlag::new(), now);
    packer.add(Arc::clone(&waiting), now);
    for copy in 1..=3 {
        let (id, _) = packed(&mut packer, now)[0];
        assert_eq!(id.copy, copy);
        let why = "damaged".to_owned();
        packer.learn(
            TicketEvent::Refused {
                id,
                node: "n1".to_owned(),
                why,
            },
            now,
        );
    }
    assert!(packed(&mut packer, now).is_empty());
    match waiting.wait() {
        RemoteOutcome::Failed(error) => {
            assert_eq!(error.reason_str(), Some("ticket_refused"));
            assert!(error.message().contains("damaged"), "{error:?}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(packer.warnings.len(), 3);
}

#[test]
fn a_result_of_another_number_of_calls_is_none() {
    let now = Instant::now();
    let mut packer = TicketPacker::new(settings());
    packer.note_slots(Ok(1), now);
    packer.add(call(&StopFlag::new(), now), now);
    let (id, _) = packed(&mut packer, now)[0];
    packer.learn(done(id, "n1", answers(2, 3.0), 5.0), now);
    assert_eq!(packed(&mut packer, now), [(TicketId { copy: 2, ..id }, 0)]);
}

#[test]
fn calls_wait_for_a_worker_as_long_as_configured_and_stopped_ones_no_longer() {
    let now = Instant::now();
    let mut packer = TicketPacker::new(settings());
    packer.note_slots(Ok(0), now);
    // A time in which nothing waits is none.
    let begin = now + Duration::from_secs(100);
    packer.note_slots(Ok(0), begin);
    let (stopped, waits) = (StopFlag::new(), call(&StopFlag::new(), begin));
    let cancelled = call(&stopped, begin);
    packer.add(Arc::clone(&waits), begin);
    packer.add(Arc::clone(&cancelled), begin);
    stopped.cancel();
    packer.look(begin);
    assert!(matches!(cancelled.wait(), RemoteOutcome::Failed(_)));
    let end = begin + Duration::from_secs(61);
    packer.note_slots(Ok(0), end);
    packer.look(end);
    assert!(matches!(waits.wait(), RemoteOutcome::Unplaced(why) if why.contains("no worker")));
    // Given up: the next ones do not wait again, until a worker comes.
    let next = call(&StopFlag::new(), end);
    packer.note_slots(Ok(0), end);
    packer.add(Arc::clone(&next), end);
    assert!(matches!(next.wait(), RemoteOutcome::Unplaced(_)));
    packer.note_slots(Ok(1), end);
    packer.add(call(&StopFlag::new(), end), end);
    assert_eq!(packed(&mut packer, end).len(), 1);
}

#[test]
fn tickets_that_cannot_be_submitted_are_due_again() {
    let now = Instant::now();
    let mut packer = TicketPacker::new(settings());
    packer.note_slots(Ok(1), now);
    let waits = call(&StopFlag::new(), now);
    packer.add(Arc::clone(&waits), now);
    let (id, _) = packed(&mut packer, now)[0];
    let full = || Err(tool_core::tool_error!(ToolError, "no space"));
    packer.note_submission(id, full(), now);
    assert_eq!(packed(&mut packer, now), [(id, 0)]);
    packer.note_submission(id, full(), now);
    let end = now + Duration::from_secs(61);
    packer.look(end);
    assert!(matches!(waits.wait(), RemoteOutcome::Unplaced(why) if why.contains("no space")));
}

#[test]
fn bodies_come_back_as_they_were() {
    let body = TicketBody {
        tool: "double".to_owned(),
        version: 3,
        budget: CallBudget {
            timeout_ms: 17,
            memory_bytes: u64::MAX,
            evaluations: 5,
        },
        verify: true,
        calls: vec![
            TicketCall {
                args: object! { "x" => f64::NAN, "$ref" => Value::vector(vec![-0.0, 1e-310]) },
                seed: RandomSeed::new(u64::MAX),
            },
            TicketCall {
                args: object! { "n" => i64::MAX, "empty" => Value::vector(Vec::new()) },
                seed: RandomSeed::new(0),
            },
        ],
    };
    let read = TicketBody::parse(&body.to_text().unwrap()).unwrap();
    assert_eq!(read.calls[1], body.calls[1]);
    assert_eq!(read.to_text().unwrap(), body.to_text().unwrap());
    assert!(TicketBody::parse("{}").is_err());
    let error = tool_core::tool_error!(Numeric, "singular"; "no"; "try more");
    let ends = [
        CallAnswer {
            output: Err(error.clone()),
            warnings: Vec::new(),
            notes: fields! { "a" => 1_i64 },
        },
        CallAnswer {
            output: Ok(Value::Null),
            warnings: vec!["x".to_owned()],
            notes: Object::new(),
        },
    ];
    let text = answers_to_text(&ends).unwrap();
    let read = answers_of_text(&text, 2).unwrap();
    assert_eq!(
        read[0].output.as_ref().unwrap_err().to_value(),
        error.to_value()
    );
    assert_eq!(read[0].notes.get("a"), Some(&Value::Int(1)));
    assert_eq!(*read[1].output.as_ref().unwrap(), Value::Null);
    assert!(answers_of_text(&text, 3).is_err());
}

fn identity() -> BuildIdentity {
    BuildIdentity {
        build: "this".to_owned(),
        profile: "any".to_owned(),
    }
}

fn files(dir: &Path, lease: Duration) -> FilesExecutor {
    FilesExecutor::create(FilesSettings {
        dir: dir.to_owned(),
        lease,
        identity: identity(),
    })
    .unwrap()
}

/// A worker that ends after one ticket, or soon without one.
fn work_once(dir: &Path, node: &str) -> WorkerReport {
    serve_tickets(&WorkerOptions {
        dir: dir.to_owned(),
        slots: 1,
        idle: Duration::from_millis(400),
        stays: true,
        once: true,
        node: node.to_owned(),
        identity: identity(),
        stop: StopFlag::new(),
        tool: &tool,
        log: &|_| {},
    })
    .unwrap()
}

fn ticket_of(tool: &str) -> String {
    let call = TicketCall {
        args: object! { "x" => 1.5 },
        seed: RandomSeed::DEFAULT,
    };
    let body = TicketBody {
        tool: tool.to_owned(),
        version: 1,
        budget: CallBudget::default(),
        verify: false,
        calls: vec![call],
    };
    body.to_text().unwrap()
}

const FIRST: TicketId = TicketId { number: 1, copy: 1 };

/// What an executor tells until it tells of the end of a ticket.
fn end_of(executor: &FilesExecutor) -> TicketEvent {
    let begin = Instant::now();
    loop {
        let events = executor.poll().unwrap().events;
        let end = events.into_iter().find(|event| {
            matches!(
                event,
                TicketEvent::Done { .. } | TicketEvent::Refused { .. }
            )
        });
        match end {
            Some(end) => return end,
            None if begin.elapsed() > Duration::from_secs(60) => panic!("nothing came"),
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

#[test]
fn a_signed_ticket_is_computed_and_a_tool_with_effects_or_a_damaged_one_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let executor = files(dir.path(), Duration::from_secs(5));
    executor.poll().unwrap();
    let submit = |tool: &str| {
        let body = ticket_of(tool);
        let ticket = SubmittedTicket {
            id: FIRST,
            tool,
            body: &body,
        };
        executor.submit(&ticket).unwrap();
    };
    submit("double");
    assert_eq!(work_once(dir.path(), "n1").calls, 1);
    match end_of(&executor) {
        TicketEvent::Done {
            body,
            is_whole: true,
            node,
            ..
        } => {
            let answer = answers_of_text(&body, 1).unwrap().remove(0);
            assert_eq!(answer.output.unwrap(), object! { "twice" => 3.0 });
            assert_eq!(node, "n1");
        }
        other => panic!("{other:?}"),
    }
    submit("erase");
    assert_eq!(work_once(dir.path(), "n1").refused, 1);
    let refusal = |event| match event {
        TicketEvent::Refused { why, .. } => why,
        other => panic!("{other:?}"),
    };
    assert!(refusal(end_of(&executor)).contains("`erase` is not a function"));
    // One byte of the arguments is another.
    submit("double");
    let place = executor
        .path()
        .join(RunFolder::TICKETS)
        .join(FIRST.to_string());
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut fs::File::open(&place).unwrap(), &mut bytes).unwrap();
    let at = bytes.windows(3).rposition(|part| part == b"1.5").unwrap();
    bytes[at] = b'2';
    std::io::Write::write_all(&mut fs::File::create(&place).unwrap(), &bytes).unwrap();
    assert_eq!(work_once(dir.path(), "n1").refused, 1);
    assert!(refusal(end_of(&executor)).contains("damaged"));
}

#[test]
fn results_that_are_not_signed_count_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let executor = files(dir.path(), Duration::from_secs(5));
    let results = executor.path().join(RunFolder::RESULTS);
    let name = owned_name(&FIRST.to_string(), "n1-00000000");
    // A file by a process without the key, and one of the run's own under another name.
    std::io::Write::write_all(
        &mut fs::File::create(results.join(&name)).unwrap(),
        b"{\"whole\":true}\n00\n{}",
    )
    .unwrap();
    let (folder, _) = RunFolder::open(executor.path()).unwrap();
    folder
        .write("results/other~n1", &fields! { "whole" => true }, "{}")
        .unwrap();
    fs::rename(results.join("other~n1"), results.join("00000002-1~n1")).unwrap();
    let report = executor.poll().unwrap();
    assert!(report.events.is_empty(), "{:?}", report.events);
    assert_eq!(report.warnings.len(), 2, "{:?}", report.warnings);
    assert_eq!(fs::read_dir(&results).unwrap().count(), 0);
    let place = folder.path.join("workers/w");
    assert!(matches!(folder.read(&place), Err(FileFault::Missing)));
}

#[test]
fn the_ticket_of_a_worker_that_is_silent_goes_back_and_another_computes_it() {
    let dir = tempfile::tempdir().unwrap();
    let lease = Duration::from_millis(300);
    let executor = files(dir.path(), lease);
    executor.poll().unwrap();
    let body = ticket_of("double");
    let ticket = SubmittedTicket {
        id: FIRST,
        tool: "double",
        body: &body,
    };
    executor.submit(&ticket).unwrap();
    // A worker that showed itself, claimed, and was killed.
    let (folder, _) = RunFolder::open(executor.path()).unwrap();
    let header = fields! { "node" => "n9", "slots" => 1_u32, "beats" => 1_u32 };
    folder.write("workers/n9-1", &header, "").unwrap();
    let claim = folder.place(RunFolder::CLAIMS, &owned_name(&FIRST.to_string(), "n9-1"));
    fs::rename(folder.place(RunFolder::TICKETS, &FIRST.to_string()), &claim).unwrap();
    let mut events = Vec::new();
    let begin = Instant::now();
    while !events.contains(&TicketEvent::Returned { id: FIRST }) {
        assert!(begin.elapsed() < Duration::from_secs(60), "{events:?}");
        events.extend(executor.poll().unwrap().events);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(
        events[0],
        TicketEvent::Started {
            id: FIRST,
            node: "n9".to_owned()
        }
    );
    assert_eq!(work_once(dir.path(), "n1").calls, 1);
    assert!(matches!(end_of(&executor), TicketEvent::Done { node, .. } if node == "n1"));
}

#[cfg(unix)]
#[test]
fn the_folder_of_a_run_is_for_its_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let executor = files(dir.path(), Duration::from_secs(5));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(executor.path()), 0o700);
    assert_eq!(mode(&executor.path().join("key")), 0o600);
    assert!(RunFolder::open(executor.path()).is_ok());
    // A folder that others may write is no run of this user.
    fs::set_permissions(executor.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let refused = RunFolder::open(executor.path()).err().unwrap();
    assert!(
        refused.message().contains("open to other users"),
        "{refused:?}"
    );
}

#[test]
fn a_run_whose_head_is_silent_is_over_for_its_workers() {
    let dir = tempfile::tempdir().unwrap();
    let executor = files(dir.path(), Duration::from_millis(100));
    executor.poll().unwrap();
    // The head beats no more; without the silence the worker would wait for its idle time.
    let report = serve_tickets(&WorkerOptions {
        dir: dir.path().to_owned(),
        slots: 1,
        idle: Duration::from_secs(600),
        stays: false,
        once: false,
        node: "n1".to_owned(),
        identity: identity(),
        stop: StopFlag::new(),
        tool: &tool,
        log: &|_| {},
    });
    assert_eq!(report.unwrap(), WorkerReport::default());
    drop(executor);
}
