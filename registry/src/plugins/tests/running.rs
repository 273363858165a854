//! A process and what it can do to its callers: each is one typed error, and the next call works.

use super::*;

fn launch(concurrency: usize) -> ProcessLaunch {
    let mut command = SandboxCommand::new(["demo"]);
    command.limits.stdout_bytes = 10_000;
    ProcessLaunch {
        name: "demo".to_owned(),
        command,
        speech: ProcessProtocol::Plugin(PluginSpeech {
            version: "1.0.0".to_owned(),
            modules: vec!["numpy".to_owned()],
            config: value("{\"depth\":3}"),
        }),
        concurrency,
    }
}

fn process(spawner: &Arc<Scripted>, concurrency: usize) -> PluginProcess {
    let clock = fast();
    PluginProcess::new(
        launch(concurrency),
        Arc::clone(spawner) as _,
        clock,
        Box::new(|| true),
    )
}

fn call(process: &PluginProcess, tool: &str) -> Result<Value, ToolError> {
    process.call(tool, &value("{\"n\":1}"), &Ctx::default())
}

fn reason(result: Result<Value, ToolError>) -> String {
    result
        .unwrap_err()
        .reason_str()
        .unwrap_or("none")
        .to_owned()
}

#[test]
fn one_process_answers_many_calls_and_ends_with_its_plugin() {
    let greeted = Arc::new(Mutex::new(Value::Null));
    let seen = Arc::clone(&greeted);
    let spawner = Scripted::new(move |line, out| {
        if line.get("type").and_then(Value::as_str) == Some("hello") {
            *seen.lock().unwrap() = line.clone();
            return out.say(r#"{"type":"hello","protocol":1}"#);
        }
        let id = line.get("id").unwrap();
        out.say(format!(
            r#"{{"type":"progress","id":{id},"fraction":0.5,"message":"half"}}"#
        ));
        out.result(id, &line.get("args").unwrap().to_string());
    });
    let process = process(&spawner, 1);
    for _ in 0..5 {
        assert_eq!(call(&process, "echo").unwrap().to_string(), r#"{"n":1}"#);
    }
    assert_eq!((spawner.started(), spawner.alive()), (1, 1));
    assert_eq!(
        greeted.lock().unwrap().to_string(),
        r#"{"type":"hello","protocol":1,"plugin":"demo","version":"1.0.0","modules":["numpy"],"config":{"depth":3}}"#
    );
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&told);
    let ctx = Ctx::default().with_progress(Arc::new(move |fraction, words: &str| {
        listener.lock().unwrap().push((fraction, words.to_owned()))
    }));
    process.call("echo", &value("{}"), &ctx).unwrap();
    assert!(
        told.lock()
            .unwrap()
            .iter()
            .all(|one| *one == (Some(0.5), "half".to_owned()))
    );
    drop(process);
    assert_eq!(spawner.alive(), 0);
}

#[test]
fn calls_side_by_side_get_what_is_theirs() {
    // Answers come in pairs, the later call first.
    let held: Mutex<Option<(Value, Value)>> = Mutex::default();
    let spawner = Scripted::new(greeting(move |line, out| {
        let (id, args) = (
            line.get("id").unwrap().clone(),
            line.get("args").unwrap().clone(),
        );
        let mut held = held.lock().unwrap();
        match held.take() {
            None => *held = Some((id, args)),
            Some((other_id, other_args)) => {
                out.result(&id, &args.to_string());
                out.result(&other_id, &other_args.to_string());
            }
        }
    }));
    let process = process(&spawner, 8);
    // As many calls as pairs need, in every round.
    let round = std::sync::Barrier::new(8);
    std::thread::scope(|scope| {
        for thread in 0..8_i64 {
            let (process, round) = (&process, &round);
            scope.spawn(move || {
                for number in 0..20_i64 {
                    round.wait();
                    let args = Value::object([("n", thread * 100 + number)]);
                    let answer = process.call("echo", &args, &Ctx::default()).unwrap();
                    assert_eq!(answer.to_string(), args.to_string());
                }
            });
        }
    });
    assert_eq!(spawner.started(), 1);
}

#[test]
fn what_a_process_says_wrongly_fails_the_call_and_ends_it() {
    for (line, expected) in [
        ("garbage", "plugin_protocol"),
        ("[1]", "plugin_protocol"),
        (r#"{"type":"result","id":99,"output":1}"#, "plugin_protocol"),
        (r#"{"type":"result","id":1}"#, "plugin_protocol"),
        (
            r#"{"type":"result","id":1,"output":1,"error":{"message":"x"}}"#,
            "plugin_protocol",
        ),
        (
            r#"{"type":"result","id":1,"output":1,"output":2}"#,
            "plugin_protocol",
        ),
        (r#"{"type":"shout","id":1}"#, "plugin_protocol"),
        (r#"{"type":"hello","protocol":1}"#, "plugin_protocol"),
        (
            r#"{"type":"result","id":1,"error":{"message":"no","code":"internal"}}"#,
            "plugin_protocol",
        ),
    ] {
        let spawner = Scripted::new(greeting(move |_, out| out.say(line)));
        let process = process(&spawner, 1);
        let err = call(&process, "echo").unwrap_err();
        assert_eq!(err.reason_str(), Some(expected), "{line}: {err:?}");
        assert!(err.message().contains("`demo`"));
        assert_eq!(spawner.alive(), 0, "{line}");
    }
    let spawner = Scripted::new(greeting(|_, out| {
        out.say(r#"{"type":"result","id":1,"error":{"message":"no such file","code":"invalid_args","path":"/path","hint":"look"}}"#)
    }));
    let err = call(&process(&spawner, 1), "echo").unwrap_err();
    assert_eq!(
        (err.code(), err.path(), err.hint_str()),
        (ErrorCode::InvalidArgs, Some("/path"), Some("look"))
    );
}

#[test]
fn a_greeting_has_to_fit() {
    for (hello, expected) in [
        (
            r#"{"type":"hello","protocol":2}"#,
            "uses protocol version 2",
        ),
        (r#"{"type":"hello"}"#, "without `protocol`"),
        (
            r#"{"type":"hello","protocol":1,"version":"9.0.0"}"#,
            "reports version 9.0.0",
        ),
        (
            r#"{"type":"hello","protocol":1,"missing":["python:numpy"]}"#,
            "lacks `python:numpy`",
        ),
        (
            r#"{"type":"result","id":1,"output":1}"#,
            "did not greet first",
        ),
        ("Python 3.11", "which is no JSON"),
    ] {
        let spawner = Scripted::new(move |_, out| out.say(hello));
        let err = call(&process(&spawner, 1), "echo").unwrap_err();
        assert!(err.message().contains(expected), "{err:?}");
        assert_eq!(spawner.alive(), 0);
    }
    let mute = Scripted::new(|_, _| {});
    let err = call(&process(&mute, 1), "echo").unwrap_err();
    assert!(err.message().contains("sent no greeting within"), "{err}");
}

#[test]
fn a_crash_is_reported_and_the_next_start_waits() {
    let spawner = Scripted::new(greeting(|line, out| {
        match line.get("tool").and_then(Value::as_str) {
            Some("crash") => out.ended = Some(ProcessExit::Status(3)),
            _ => out.result(line.get("id").unwrap(), "true"),
        }
    }));
    let process = process(&spawner, 1);
    let err = call(&process, "crash").unwrap_err();
    assert_eq!(err.reason_str(), Some("plugin_crashed"));
    assert!(
        err.message()
            .contains("ended with status 3 during a call: Traceback: |   ValueError: no"),
        "{err}"
    );
    // The pause is short and waited for; then it works, and the count starts anew.
    assert!(call(&process, "fine").is_ok());
    for crash in 0..10 {
        let reason = reason(call(&process, "crash"));
        if reason == "plugin_resting" {
            assert!((5..8).contains(&crash), "rests after {crash} crashes");
            return;
        }
        assert_eq!(reason, "plugin_crashed");
    }
    panic!("it never rested");
}

#[test]
fn a_deadline_ends_the_process_and_no_other_call() {
    let spawner = Scripted::new(greeting(|line, out| {
        if line.get("tool").and_then(Value::as_str) == Some("fine") {
            out.result(line.get("id").unwrap(), "true");
        }
    }));
    let alone = process(&spawner, 1);
    let stop = StopFlag::new();
    let ctx = Ctx::new(stop.clone(), tool_core::CallBudget::default());
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| alone.call("slow", &value("{}"), &ctx));
        std::thread::sleep(Duration::from_millis(20));
        // This one waits for its turn meanwhile, and gets a process of its own.
        let other = scope.spawn(|| call(&alone, "fine"));
        std::thread::sleep(Duration::from_millis(20));
        stop.time_out();
        assert_eq!(slow.join().unwrap().unwrap_err().code(), ErrorCode::Timeout);
        assert!(other.join().unwrap().is_ok());
    });
    assert_eq!((spawner.started(), spawner.alive()), (2, 1));
    drop(alone);

    // With another call in the same process, that one is waited for.
    let release = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let gate = Arc::clone(&release);
    let held: Mutex<Option<Value>> = Mutex::default();
    let spawner = Scripted::new(greeting(move |line, out| {
        match line.get("tool").and_then(Value::as_str) {
            Some("held") => *held.lock().unwrap() = line.get("id").cloned(),
            // The cancelled call says nothing; what comes with it releases the other.
            None if gate.load(Ordering::Relaxed) => {
                out.result(&held.lock().unwrap().take().unwrap(), "true")
            }
            _ => {}
        }
    }));
    let shared = process(&spawner, 4);
    let stop = StopFlag::new();
    let ctx = Ctx::new(stop.clone(), tool_core::CallBudget::default());
    std::thread::scope(|scope| {
        let other = scope.spawn(|| call(&shared, "held"));
        std::thread::sleep(Duration::from_millis(20));
        let slow = scope.spawn(|| shared.call("slow", &value("{}"), &ctx));
        std::thread::sleep(Duration::from_millis(20));
        release.store(true, Ordering::Relaxed);
        stop.cancel();
        assert_eq!(
            slow.join().unwrap().unwrap_err().code(),
            ErrorCode::Cancelled
        );
        assert!(other.join().unwrap().is_ok());
    });
    assert_eq!(spawner.alive(), 0, "the last call ends what is retired");
}

#[test]
fn a_call_that_is_cancelled_and_says_so_keeps_the_process() {
    let spawner = Scripted::new(greeting(|line, out| {
        match line.get("type").and_then(Value::as_str) {
            Some("cancel") => out.say(format!(
                r#"{{"type":"result","id":{},"error":{{"message":"cancelled"}}}}"#,
                line.get("id").unwrap()
            )),
            _ if line.get("tool").and_then(Value::as_str) == Some("fine") => {
                out.result(line.get("id").unwrap(), "1")
            }
            _ => {}
        }
    }));
    let process = process(&spawner, 1);
    let stop = StopFlag::new();
    let ctx = Ctx::new(stop.clone(), tool_core::CallBudget::default());
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| process.call("slow", &value("{}"), &ctx));
        std::thread::sleep(Duration::from_millis(20));
        stop.cancel();
        assert_eq!(
            slow.join().unwrap().unwrap_err().code(),
            ErrorCode::Cancelled
        );
    });
    assert!(call(&process, "fine").is_ok());
    assert_eq!(spawner.started(), 1);
}

#[test]
fn files_that_changed_since_they_were_loaded_are_not_run() {
    let spawner = Scripted::new(greeting(|line, out| {
        out.result(line.get("id").unwrap(), "1")
    }));
    let looks = Arc::new(AtomicUsize::new(0));
    for (changes_at, started) in [(0, 0), (1, 1)] {
        looks.store(0, Ordering::Relaxed);
        let counter = Arc::clone(&looks);
        let unchanged = move || counter.fetch_add(1, Ordering::Relaxed) < changes_at;
        let process = PluginProcess::new(
            launch(1),
            Arc::clone(&spawner) as _,
            fast(),
            Box::new(unchanged),
        );
        let before = spawner.started();
        let err = call(&process, "echo").unwrap_err();
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::ResourceChanged, Some("plugin_changed"))
        );
        assert_eq!((spawner.started() - before, spawner.alive()), (started, 0));
    }
}

#[test]
fn a_closed_plugin_takes_no_call_and_too_long_ones_are_refused() {
    let spawner = Scripted::new(greeting(|line, out| {
        out.result(line.get("id").unwrap(), "1")
    }));
    let process = process(&spawner, 1);
    let long = Value::object([("text", "x".repeat(10_000))]);
    let err = process.call("echo", &long, &Ctx::default()).unwrap_err();
    assert_eq!(err.code(), ErrorCode::LimitExceeded);
    assert!(call(&process, "echo").is_ok());
    process.close("it was removed");
    assert_eq!(reason(call(&process, "echo")), "plugin_closed");
    assert_eq!(spawner.alive(), 0);
}
