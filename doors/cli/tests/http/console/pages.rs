//! What pages show, to whom, and how much at a time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use super::super::client::Server;
use super::{Browser, check_fields, key};
use crate::support::Place;

const SUM: &str = "version: 1\nid: sums\nsteps:\n  - {id: sum, tool: calculate, args: {expression: 6*7}}\noutputs: {it: {$ref: sum}}\n";

#[track_caller]
fn run(place: &Place, plan: &str, role: &str) -> String {
    let ran = place.run(&["run", plan, "--role", role], "");
    ran.at("/metadata/chain_id")
        .as_str()
        .expect("an id")
        .to_owned()
}

#[test]
fn every_page_has_its_words_in_a_folder_without_anything() {
    let place = Place::new();
    let browser = Browser::at_terminal(&place);
    for (path, words) in [
        ("/console", "Nothing waits for a person"),
        ("/console/runs", "No run is recorded"),
        ("/console/plans", "Check and explain"),
        ("/console/tools", "calculate"),
        ("/console/artifacts", "No large value"),
        ("/console/workflows", "No workflow has begun"),
        ("/console/policy", "Explain a decision"),
        ("/console/audit", "Verify every chain"),
    ] {
        let page = browser.page(path);
        assert!(page.contains(words), "{path}: {page}");
        for part in [
            "<h1>",
            "lang=\"en\"",
            "aria-current=\"page\"",
            "class=\"skip\"",
            "<main id=\"main\"",
        ] {
            assert!(page.contains(part), "{part} at {path}");
        }
    }
    check_fields(browser.get("/console/nothing").expect(404));
    for name in ["console.css", "console.js", "icon.svg"] {
        check_fields(
            browser
                .server
                .get(&format!("/console/assets/{name}"), &[])
                .expect(200),
        );
    }
    browser.server.get("/console/assets/other", &[]).expect(404);
}

#[test]
fn a_role_sees_its_own_and_the_operator_all() {
    let place = Place::new();
    place.write("p.yaml", SUM);
    let (math, general) = (
        run(&place, "p.yaml", "worker_math"),
        run(&place, "p.yaml", "worker_general"),
    );
    let made = key(&place, &["ann", "--role", "worker_math"]);
    let server = Arc::new(Server::with(
        &place,
        &["--http", "127.0.0.1:0", "--console"],
    ));
    let ann = Browser::with_key(&server, &made);
    let listed = ann.page("/console/runs");
    assert!(
        listed.contains(&math) && !listed.contains(&general),
        "{listed}"
    );
    ann.page(&format!("/console/runs/{math}"));
    ann.get(&format!("/console/runs/{general}")).expect(404);
    ann.send(&format!("/console/runs/{general}/cancel"), &[])
        .expect(404);
    let audit = ann.page("/console/audit?role=worker_general");
    assert!(!audit.contains(&general), "{audit}");
    ann.send("/console/audit/verify", &[]).expect(403);
    // It is offered the tools of its role, and told of no other role's policy.
    ann.get("/console/tools/write_file").expect(403);
    let policy = ann.page("/console/policy?role=operator&tool=calculate");
    assert!(policy.contains("the operator sees every role"), "{policy}");
    let operator = Browser::at_terminal(&place);
    let listed = operator.page("/console/runs");
    assert!(
        listed.contains(&math) && listed.contains(&general),
        "{listed}"
    );
    let verified = operator.send("/console/audit/verify", &[]);
    assert!(
        verified
            .expect(200)
            .body
            .contains("every hash is as it was written"),
        "{}",
        verified.body
    );
    let explained = operator.page("/console/policy?role=worker_math&tool=write_file");
    assert!(explained.contains("deny"), "{explained}");
}

#[test]
fn a_tool_is_found_read_and_tried() {
    let place = Place::new();
    let browser = Browser::at_terminal(&place);
    let found = browser.page("/console/tools?q=fit%20a%20line");
    assert!(found.contains("linear_regression"), "{found}");
    let tool = browser.page("/console/tools/calculate?example=0");
    assert!(
        tool.contains("name=\"a.expression\"") && tool.contains("Examples"),
        "{tool}"
    );
    let tried = browser.send("/console/tools/calculate", &[("a.expression", "6*7")]);
    assert!(tried.expect(200).body.contains(">42<"), "{}", tried.body);
    for words in [
        "mathchain call calculate",
        "tools/call",
        "curl",
        "Toolkit().call",
    ] {
        assert!(tried.body.contains(words), "{words} in {}", tried.body);
    }
    let wrong = browser.send("/console/tools/calculate", &[("a.expression", "6*")]);
    assert!(
        wrong.expect(422).body.contains("class=\"error\""),
        "{}",
        wrong.body
    );
    // What was written stands in the form still.
    assert!(wrong.body.contains(">6*</textarea>"), "{}", wrong.body);
    browser
        .send("/console/tools/calculate", &[("args", "[1]")])
        .expect(422);
    browser.send("/console/tools/nothing", &[]).expect(404);
    let data = json!({"data": {"x": [1, 2, 3], "y": [1, 4, 9]}, "x": "x", "y": "y"}).to_string();
    let plot = browser.send("/console/tools/plot", &[("args", &data)]);
    assert!(
        plot.expect(200).body.contains("<img src=\"data:image/"),
        "{}",
        plot.body
    );
    // One that needs approval says where it waits.
    let asks = browser.send(
        "/console/tools/write_file",
        &[("a.path", "a.txt"), ("a.content", "x")],
    );
    assert!(
        asks.expect(200).body.contains("/console/approvals/"),
        "{}",
        asks.body
    );
}

#[test]
fn large_values_are_looked_at_and_downloaded_by_who_sees_them() {
    let place = Place::new();
    let data: Vec<u32> = (0..20_000).collect();
    place.write("p.json", &json!({"version": 1, "id": "large", "steps": [{"id": "a", "tool": "json_query", "args": {"data": data, "query": "@"}}], "outputs": {"all": {"$ref": "a"}}}).to_string());
    run(&place, "p.json", "worker_general");
    let browser = Browser::at_terminal(&place);
    let listed = browser.page("/console/artifacts");
    let path = listed
        .split("href=\"")
        .find(|rest| rest.starts_with("/console/artifacts/"))
        .expect("a link");
    let path = path.split('"').next().expect("a link").to_owned();
    let shown = browser.page(&path);
    assert!(
        shown.contains("polyline") && shown.contains("20000"),
        "{shown}"
    );
    let file = browser.get(&format!("{path}/json"));
    assert!(
        file.expect(200)
            .field("content-disposition")
            .is_some_and(|it| it.starts_with("attachment"))
    );
    assert!(file.body.contains("19999"));
    let npy = browser.get(&format!("{path}/npy"));
    assert!(npy.expect(200).body.contains("NUMPY"));
    browser.get(&format!("{path}/exe")).expect(404);
    let made = key(&place, &["ann", "--role", "worker_math"]);
    let server = Arc::new(Server::with(
        &place,
        &["--http", "127.0.0.1:0", "--console"],
    ));
    let ann = Browser::with_key(&server, &made);
    assert!(!ann.page("/console/artifacts").contains(&path));
    for path in [path.clone(), format!("{path}/json"), format!("{path}/npy")] {
        ann.get(&path).expect(404);
    }
}

#[test]
fn a_failed_step_is_said_first() {
    let place = Place::new();
    place.write(
        "p.json",
        &json!({"version": 1, "id": "fails", "steps": [
        {"id": "good", "tool": "calculate", "args": {"expression": "6*7"}},
        {"id": "bad", "tool": "calculate", "args": {"expression": "1/0"}, "after": ["good"]},
        {"id": "last", "tool": "calculate", "args": {"expression": "1"}, "after": ["bad"]}]})
        .to_string(),
    );
    let id = run(&place, "p.json", "operator");
    let browser = Browser::at_terminal(&place);
    let page = browser.page(&format!("/console/runs/{id}?open=bad"));
    let head = page.split("<h2").next().expect("a head");
    assert!(
        head.contains("Failed at step") && head.contains("class=\"error\""),
        "{head}"
    );
    assert!(
        page.contains("id=\"step-bad\"") && page.contains("skipped"),
        "{page}"
    );
    let failed = browser.page(&format!("/console/runs/{id}?only=failed"));
    assert!(
        failed.contains("id=\"row-bad\"") && !failed.contains("id=\"row-good\""),
        "{failed}"
    );
    let listed = browser.page("/console/runs?state=failed");
    assert!(listed.contains(&id));
    assert!(!browser.page("/console/runs?state=succeeded").contains(&id));
}

#[test]
fn a_graph_of_a_thousand_steps_is_small() {
    let place = Place::new();
    let steps: Vec<_> = (0..1000)
        .map(|number| match number % 100 {
            0 => json!({"id": format!("s{number}"), "tool": "calculate", "args": {"expression": "1"}}),
            _ => json!({"id": format!("s{number}"), "tool": "calculate", "args": {"expression": "1"}, "after": [format!("s{}", number - number % 100)]}),
        })
        .collect();
    place.write(
        "p.json",
        &json!({"version": 1, "id": "wide", "steps": steps}).to_string(),
    );
    let id = run(&place, "p.json", "operator");
    let browser = Browser::at_terminal(&place);
    let page = browser.page(&format!("/console/runs/{id}"));
    assert!(
        page.contains("990 steps") && page.contains("1000 steps"),
        "{page}"
    );
    assert!(
        browser
            .page(&format!("/console/runs/{id}?page=9"))
            .contains("id=\"row-s999\"")
    );
}

#[test]
fn ten_thousand_runs_are_listed_a_part_at_a_time() {
    const RUNS: usize = 10_000;
    let place = Place::new();
    place.write("p.yaml", SUM);
    let id = run(&place, "p.yaml", "operator");
    let file = find_state(&place);
    let state = rusqlite::Connection::open(file).expect("opens");
    // The same run under other ids: a list looks at no record of it.
    let columns: Vec<String> = state
        .prepare("SELECT name FROM pragma_table_info('runs')")
        .expect("a table")
        .query_map([], |row| row.get(0))
        .expect("columns")
        .map(|name| name.expect("a name"))
        .collect();
    let copied: Vec<String> = columns
        .iter()
        .map(|name| match name.as_str() {
            "id" => "printf('%012x', n)".to_owned(),
            "created_ms" => "created_ms - n".to_owned(),
            "state" => "CASE WHEN n % 100 = 7 THEN 'failed' ELSE state END".to_owned(),
            other => other.to_owned(),
        })
        .collect();
    state
        .execute_batch(&format!(
            "PRAGMA foreign_keys = OFF;
             INSERT INTO runs({}) WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {RUNS}) SELECT {} FROM runs, c WHERE id = '{id}'",
            columns.join(", "),
            copied.join(", "),
        ))
        .expect("copies");
    drop(state);
    let browser = Browser::at_terminal(&place);
    let first = browser.page("/console/runs");
    assert!(first.contains(&id) && first.contains("10001"), "{first}");
    assert_eq!(first.matches("<tr id=\"run-").count(), 50);
    let middle = browser.page("/console/runs?page=100");
    assert_eq!(middle.matches("<tr id=\"run-").count(), 50);
    assert!(middle.contains("rel=\"prev\"") && middle.contains("rel=\"next\""));
    let last = browser.page("/console/runs?page=200");
    assert_eq!(last.matches("<tr id=\"run-").count(), 1);
    assert!(!last.contains("rel=\"next\""));
    let failed = browser.page("/console/runs?state=failed&page=1");
    assert_eq!(failed.matches("<tr id=\"run-").count(), 50);
    assert!(!failed.contains("rel=\"next\""), "100 failed");
    let one = browser.page("/console/runs?q=00000000270f");
    assert_eq!(one.matches("<tr id=\"run-").count(), 1);
    // Not a measurement: a list that read every record would take minutes.
    let begun = Instant::now();
    browser.page("/console/runs?state=waiting");
    assert!(begun.elapsed() < Duration::from_secs(20));
}

/// The file of the state of the folder.
fn find_state(place: &Place) -> std::path::PathBuf {
    let mut open = vec![place.path("")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => open.push(path),
                false if path.ends_with("state.db") => return path,
                false => {}
            }
        }
    }
    panic!("no state")
}

#[test]
fn runs_are_replayed_and_compared() {
    let place = Place::new();
    let plan = |second: &str| {
        format!(
            "version: 1\nid: twice\ninputs: {{n: {{type: integer, default: 1}}}}\nsteps:\n  - {{id: one, tool: calculate, args: {{expression: 6*7}}}}\n  - {{id: two, tool: calculate, args: {{expression: {second}}}, after: [one]}}\n"
        )
    };
    place.write("a.yaml", &plan("1+1"));
    place.write("b.yaml", &plan("1+2"));
    let same = [
        run(&place, "a.yaml", "operator"),
        run(&place, "a.yaml", "operator"),
    ];
    let other = run(&place, "b.yaml", "operator");
    let browser = Browser::at_terminal(&place);
    let page = format!("/console/runs/{}", same[0]);
    let sent = browser.send(&format!("{page}/replay"), &[]);
    assert_eq!(sent.expect(303).field("location"), Some(&*page));
    let told = browser.page(&page);
    assert!(
        told.contains("identical, bit for bit (2 calls computed again"),
        "{told}"
    );
    let offered = browser.page(&format!("{page}/compare"));
    assert!(
        offered.contains(&same[1]) && offered.contains(&other),
        "{offered}"
    );
    let alike = browser.page(&format!("{page}/compare?with={}", same[1]));
    assert!(alike.contains("Every step ended alike"), "{alike}");
    let differing = browser.page(&format!("{page}/compare?with={other}"));
    for words in [
        "At step <code>two</code>",
        "another result",
        "1 of 2 steps",
        "plan digest",
    ] {
        assert!(differing.contains(words), "{words} in {differing}");
    }
    // A run of another role is none for who does not see it.
    browser
        .get(&format!("{page}/compare?with=none"))
        .expect(404);
}

#[test]
fn a_plan_is_written_checked_and_run() {
    let place = Place::new();
    let browser = Browser::at_terminal(&place);
    let empty = browser.page("/console/plans");
    assert!(empty.contains("n*(n+1)*(2*n+1)/6"), "{empty}");
    let plan = "version: 1\nid: p\nsteps:\n  - {id: a, tool: calculate, args: {expresion: 1+1}}\n";
    let send = |plan: &str, inputs: &str, act: &str| {
        let fields = [("plan", plan), ("inputs", inputs), ("act", act)];
        browser.send("/console/plans", &fields)
    };
    for act in ["check", "run"] {
        let wrong = send(plan, "", act);
        let body = &wrong.expect(422).body;
        assert!(
            body.contains("line 4, column") && body.contains("expression"),
            "{body}"
        );
        // What was written stays.
        assert!(body.contains("expresion: 1+1"), "{body}");
    }
    let plan = "version: 1\nid: p\ninputs: {n: {type: integer}}\nsteps:\n  - {id: a, tool: calculate, args: {expression: n+1, variables: {n: {$ref: inputs.n}}}}\n  - {id: w, tool: write_file, args: {path: a.txt, content: x}, after: [a]}\n";
    let open = send(plan, "", "check");
    let body = &open.expect(200).body;
    assert!(
        body.contains("2 steps in 2 waves; waits for a person at w; needs the inputs n"),
        "{body}"
    );
    send(plan, "[1]", "check").expect(422);
    let lacking = send(plan, "", "run");
    assert!(
        lacking.expect(422).body.contains("<code>n</code>"),
        "{}",
        lacking.body
    );
    let begun = send(plan, "{\"n\": 41}", "run");
    let run = begun
        .expect(303)
        .field("location")
        .expect("a run")
        .to_owned();
    let begun = Instant::now();
    while !browser.page(&run).contains("Waits for an approval") {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never waits");
        std::thread::sleep(Duration::from_millis(50));
    }
    // The plan of a run is edited again.
    let id = run.rsplit('/').next().expect("an id");
    let again = browser.page(&format!("/console/plans?run={id}"));
    assert!(
        again.contains("&quot;n&quot;:41") && again.contains("write_file"),
        "{again}"
    );
}
