//! Answers that fit their reader: arrays as handles, the limit of answers, the size of the envelope, pictures in files.

use tool_core::{Value, json};

use crate::support::Place;

const HOMES: &str = "area,price,city\n50,210,Oslo\n62,250,Oslo\n71,240,Oslo\n80,330,Rome\n95,350,Rome\n60,280,Rome\n101,420,Rome\n88,300,Oslo\n";

/// 4 x 10,000 draws: about 800 kB of JSON.
const DRAWS: &str = r#"{"log_density":"-0.5*(x0-3)**2","x0":[0]}"#;

/// The handle of `samples`, which is an `.npy` file of the draws.
fn samples(output: &Value) -> String {
    let handle = output.get("samples").expect("samples");
    let shape = handle.get("shape").and_then(Value::items);
    let shape: Vec<_> = shape.expect("a shape").iter().map(Value::as_i64).collect();
    assert_eq!(shape, [Some(4), Some(10_000), Some(1)]);
    handle.text("$artifact").expect("a handle").to_owned()
}

#[test]
fn large_arrays_are_handles_where_json_is_written_and_numbers_elsewhere() {
    let place = Place::new();
    let answer = place.run(&["call", "mcmc"], DRAWS);
    assert!(answer.expect_code(0).stdout.len() < 4_000);
    let handle = samples(&answer.at("/output"));
    let warning = answer.at("/warnings/0");
    assert!(warning.to_string().contains("artifacts get"), "{warning}");
    let mean = answer.at("/output/mean/0").as_f64().expect("a mean");
    // The handle is data for the next call, and a file of numbers.
    let args = format!(r#"{{"samples":{{"$artifact":"{handle}"}}}}"#);
    let again = place.run(&["call", "mcmc_diagnostics"], &args);
    assert_eq!(
        again.expect_code(0).at("/output/mean/0").as_f64(),
        Some(mean)
    );
    let file = place.path("work/draws.npy");
    let words = [
        "artifacts",
        "get",
        &handle,
        "--to",
        file.to_str().expect("UTF-8"),
    ];
    place.run(&words, "").expect_code(0);
    let words = ["call", "mcmc_diagnostics", "--samples", "draws.npy"];
    let again = place.run(&words, "");
    assert_eq!(
        again.expect_code(0).at("/output/mean/0").as_f64(),
        Some(mean)
    );
    // A program that asks for the result alone gets all of it.
    let raw = place.run(&["call", "mcmc", "--output", "raw"], DRAWS);
    let numbers = raw.expect_code(0).at("/samples");
    let numbers = numbers.as_numbers().expect("numbers");
    assert_eq!(numbers.shape(), [4, 10_000, 1]);
    let packed = place.run(&["call", "mcmc", "--output", "npy"], DRAWS);
    assert!(
        packed
            .expect_code(0)
            .at("/output/samples")
            .get("$npy")
            .is_some()
    );
    // And so does a caller that asks for the draws.
    let asked = DRAWS.replace('}', r#","n_samples":3000,"return_samples":true}"#);
    let asked = place.run(&["call", "mcmc"], &asked);
    let numbers = asked.expect_code(0).at("/output/samples");
    assert_eq!(
        numbers.as_numbers().expect("numbers").shape(),
        [4, 3_000, 1]
    );
}

#[test]
fn every_door_of_models_has_handles() {
    let place = Place::new();
    let line = format!(r#"{{"id":1,"tool":"mcmc","args":{DRAWS}}}"#);
    let served = place.run(&["serve", "--jsonl"], &line);
    let handle = samples(&served.expect_code(0).at("/output"));
    let npy = place.run(&["serve", "--jsonl", "--output", "npy"], &line);
    assert!(
        npy.expect_code(0)
            .at("/output/samples")
            .get("$npy")
            .is_some()
    );
    let events = format!(
        "{{\"type\":\"run.requested\"}}\n{{\"type\":\"calls.observed\",\"calls\":[{{\"call_id\":\"a\",\"tool\":\"mcmc\",\"args\":{DRAWS}}}]}}\n"
    );
    let session = place.run(&["session"], &events);
    assert!(session.expect_code(0).stdout.contains(&handle));
    // Most of it lists the tools.
    assert!(session.stdout.len() < 85_000, "{}", session.stdout.len());
}

/// A table of texts and numbers goes from one call to the next by its name, and gives what the table itself gives.
#[test]
fn a_large_table_is_one_handle_and_data_for_the_next_call() {
    let place = Place::new();
    let rows =
        (0..4_000).map(|n| format!("t{},{},2024-01-{:02}\n", n % 7, n * 3 % 101, n % 28 + 1));
    let text = format!("city,price,sold\n{}", rows.collect::<String>());
    place.write("sales.csv", &text);
    let table = r#""table":{"$file":"sales.csv"}"#;
    let select = format!(r#"{{{table},"compute":["double = 2*price"]}}"#);
    let answer = place.run(&["call", "table_select"], &select);
    assert!(
        answer.expect_code(0).stdout.len() < 8_000,
        "{}",
        answer.stdout.len()
    );
    let handle = answer.at("/output/table");
    assert_eq!(handle.get("rows").and_then(Value::as_i64), Some(4_000));
    let columns = handle.get("columns").expect("columns").to_string();
    assert_eq!(columns, r#"["city","price","sold","double"]"#);
    let name = handle.text("$artifact").expect("a handle");
    let group = |table: &str| {
        let asked = r#""by":["city"],"aggregates":["sum(price)","max(sold)"]"#;
        let answer = place.run(&["call", "table_group"], &format!("{{{table},{asked}}}"));
        answer.expect_code(0).at("/output/table").to_string()
    };
    let by_handle = group(&format!(r#""table":{{"$artifact":"{name}"}}"#));
    assert_eq!(by_handle, group(table));
    assert!(by_handle.contains("2024-01-28"), "{by_handle}");
    // Delimited text has every row; programs have the table itself.
    let written = place.run(&["call", "table_select", "--output", "csv"], &select);
    assert_eq!(written.expect_code(0).stdout.lines().count(), 4_001);
    assert!(
        written
            .stdout
            .starts_with("city,price,sold,double\nt0,0,2024-01-01,0.0\n"),
        "{}",
        &written.stdout[..80]
    );
    let raw = place.run(&["call", "table_select", "--output", "raw"], &select);
    assert_eq!(raw.expect_code(0).at("/table").table_rows(), Some(4_000));
}

/// A vector that a script picks from an answer stays a vector.
#[test]
fn a_vector_of_300_numbers_is_part_of_the_answer() {
    let place = Place::new();
    let values: Vec<String> = (1..=300)
        .map(|n| (f64::from(n) / 7.0).to_string())
        .collect();
    let rows = values.iter().enumerate().map(|(row, _)| {
        let cells = (0..300).map(|column| if column == row { "1" } else { "0" });
        format!("[{}]", cells.collect::<Vec<_>>().join(","))
    });
    let rows = rows.collect::<Vec<_>>().join(",");
    let args = format!(r#"{{"A":[{rows}],"b":[{}]}}"#, values.join(","));
    let answer = place.run(&["call", "matrix_solve"], &args);
    let x = answer.expect_code(0).at("/output/x");
    assert_eq!(x.as_numbers().expect("numbers").shape(), [300]);
    // Its inverse, 90,000 numbers, is a handle in JSON; beyond the limit of answers it is one in every format.
    let args = format!(r#"{{"A":[{}]}}"#, rows.replace("0", "0.123456789012345"));
    for format in ["json", "raw"] {
        let answer = place.run(&["call", "matrix_inverse", "--output", format], &args);
        let output = answer.expect_code(0).json();
        let output = output.get("output").unwrap_or(&output);
        let inverse = output.get("inverse").expect("an inverse");
        assert!(inverse.get("$artifact").is_some(), "{format}");
    }
}

/// Case A10: the configured limit holds at its default too.
#[test]
fn the_output_limit_is_the_operators() {
    let place = Place::new();
    let ask = |bytes: usize| {
        // {"result":"..."} around the text
        let text = "x".repeat(bytes - 13);
        let args = format!(r#"{{"data":"{text}","query":"@"}}"#);
        let answer = place.run(&["call", "json_query"], &args);
        match answer.at("/ok") {
            Value::Bool(true) => "answered".to_owned(),
            _ => answer.at("/error/code").as_str().expect("text").to_owned(),
        }
    };
    for limit in [5_000, 1_048_575, 1_048_576, 1_048_577] {
        place.write(
            "mathchain.toml",
            &format!("version = 1\n[limits]\nmax_output_bytes = {limit}\n"),
        );
        assert_eq!(ask(limit), "answered", "{limit}");
        assert_eq!(ask(limit + 1), "output_too_large", "{limit}");
    }
    // A tool whose result is arrays keeps within it, and loses nothing.
    place.write(
        "mathchain.toml",
        "version = 1\n[limits]\nmax_output_bytes = 5000\n",
    );
    for format in ["json", "raw"] {
        let answer = place.run(&["call", "mcmc", "--output", format], DRAWS);
        assert!(answer.expect_code(0).stdout.len() < 6_000, "{format}");
        let whole = answer.json();
        samples(whole.get("output").unwrap_or(&whole));
    }
}

#[test]
fn the_envelope_of_a_small_call_is_below_500_bytes() {
    let place = Place::new();
    let beside = |answer: &Value| {
        let members = answer.as_object().expect("an envelope").iter();
        let rest = members.map(|(key, member)| {
            let member = if key == "output" {
                Value::Null
            } else {
                member.clone()
            };
            (key.to_owned(), member)
        });
        json::to_text(&Value::object(rest)).len()
    };
    let line = r#"{"id":1,"tool":"statistics","args":{"data":[1,2,3,4]}}"#;
    for (words, stdin) in [
        (["call", "statistics"], r#"{"data":[1,2,3,4]}"#),
        (["serve", "--jsonl"], line),
    ] {
        let answer = place.run(&words, stdin);
        let bytes = beside(&answer.expect_code(0).json());
        assert!(bytes < 500, "{bytes}: {}", answer.stdout);
        let head = answer.at("/metadata/audit/head");
        let head = head.as_str().expect("a head");
        let verified = place.run(&["audit", "verify", "--head", head], "");
        assert_eq!(verified.expect_code(0).at("/sound"), Value::Bool(true));
    }
}

#[test]
fn a_picture_in_a_file_is_nothing_else() {
    let place = Place::new();
    let args = r#"{"x":[1,2,3],"y":[1,4,9]}"#;
    let whole = place.run(&["call", "plot_sixel"], args).at("/output/sixel");
    for format in ["human", "raw"] {
        let answer = place.run(&["call", "plot_sixel", "--output", format], args);
        assert_eq!(Some(answer.expect_code(0).stdout.as_str()), whole.as_str());
        assert!(answer.stdout.starts_with("\u{1b}P") && answer.stdout.ends_with("\u{1b}\\"));
    }
    // An error is one in every format.
    let wrong = place.run(
        &["call", "plot_sixel", "--output", "raw"],
        r#"{"x":[1],"y":[]}"#,
    );
    assert!(wrong.code != 0 && wrong.stdout.is_empty());
}

#[test]
fn a_picture_is_saved_in_the_format_of_its_file() {
    let place = Place::new();
    let data = r#"{"x":[1,2,3],"y":[1,4,9]}"#;
    let save = |file: &str, more: &[&str]| {
        let mut words = vec!["call", "plot", "--data", data, "--save", file];
        words.extend(more);
        place.run(&words, "")
    };
    for (file, begins) in [("a.svg", "<svg "), ("a.html", "<!DOCTYPE html>")] {
        let answer = save(file, &[]);
        answer.expect_code(0);
        assert!(place.read(file).starts_with(begins), "{file}");
        assert!(answer.stdout.contains("(saved)") && !answer.stdout.contains("<svg "));
    }
    save("a.png", &[]).expect_code(0);
    save("a.pdf", &["--output", "human"]).expect_code(0);
    // A file is replaced only where that is asked for, and a wrong ending says which there are.
    let again = save("a.svg", &[]);
    assert!(
        again.code != 0 && again.stdout.contains("--save-over"),
        "{}",
        again.stdout
    );
    save("a.svg", &["--save-over"]).expect_code(0);
    let wrong = save("a.bmp", &[]);
    assert!(
        wrong.code == 2 && wrong.stdout.contains(".png, .svg, .pdf or .html"),
        "{}",
        wrong.stdout
    );
    let other = place.run(
        &["call", "statistics", "--data", "1,2", "--save", "b.png"],
        "",
    );
    assert!(
        other.code == 2
            && other.stdout.contains("no picture")
            && other.stdout.contains("linear_regression, mcmc"),
        "{}",
        other.stdout
    );
    let sixel = ["call", "plot_sixel", "--x", "1,2", "--y", "1,4", "--save"];
    place
        .run(&[&sixel[..], &["c.png"]].concat(), "")
        .expect_code(0);
    let svg = place.run(&[&sixel[..], &["c.svg"]].concat(), "");
    assert!(
        svg.code == 2 && svg.stdout.contains("`plot` draws"),
        "{}",
        svg.stdout
    );
    // For a reader there is no content of a picture.
    let human = place.run(&["call", "plot", "--data", data, "--output", "human"], "");
    let shown = &human.expect_code(0).stdout;
    assert!(
        shown.contains("--save FILE.png writes it") && shown.len() < 4000,
        "{shown}"
    );
}

/// `plot` draws the answer in a call of its own, by the rules of `--save`; the answer is what it is without.
#[test]
fn the_natural_picture_of_an_answer_is_saved() {
    let place = Place::new();
    place.write("homes.csv", HOMES);
    let table = ["--data", "@homes.csv"];
    let regression = [
        "call",
        "linear_regression",
        "--formula",
        "price ~ area + C(city)",
    ];
    let regression = [&regression[..], &table, &["--errors", "HC3"]].concat();
    let human = ["--output", "human"];
    let plain = place.run(&[&regression[..], &human].concat(), "");
    let save = ["--save", "fit.svg"];
    let saved = place.run(&[&regression[..], &save, &human].concat(), "");
    assert_eq!(saved.expect_code(0).stdout, plain.expect_code(0).stdout);
    assert!(saved.stderr.contains("saved `fit.svg`"), "{}", saved.stderr);
    let svg = place.read("fit.svg");
    assert!(svg.starts_with("<svg ") && svg.contains("price ~ area + C(city)"));
    // Nothing is computed where the file may not be written.
    let again = place.run(&[&regression[..], &save].concat(), "");
    assert!(again.code != 0 && again.stdout.contains("--save-over"));
    let listed = place.run(&["audit", "list", "--output", "raw"], "");
    let calls = |tool: &str| listed.stdout.matches(&format!(r#""{tool}""#)).count();
    assert_eq!(
        (calls("linear_regression"), calls("plot")),
        (2, 1),
        "{}",
        listed.stdout
    );
    for (file, words) in [
        (
            "groups.pdf",
            &["compare_groups", "--value", "price", "--group", "city"][..],
        ),
        ("matrix.html", &["correlation"]),
    ] {
        let words = [&["call"], words, &table, &["--save", file]].concat();
        place.run(&words, "").expect_code(0);
    }
    assert!(place.read("matrix.html").starts_with("<!DOCTYPE html>"));
}

/// Draws that are a handle in the answer are drawn all the same, and who may not draw computes nothing.
#[test]
fn handles_are_drawn_and_drawing_is_a_call_like_others() {
    let place = Place::new();
    let saved = place.run(&["call", "mcmc", "--save", "draws.svg"], DRAWS);
    samples(&saved.expect_code(0).at("/output"));
    assert!(place.read("draws.svg").contains("4 chains of 10000 draws"));
    place.write(
        "mathchain.toml",
        "version = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"plot\"]\n",
    );
    let denied = place.run(&["call", "mcmc", "--save", "other.svg"], DRAWS);
    assert!(
        denied.code != 0 && denied.stdout.contains("plot"),
        "{}",
        denied.stdout
    );
    assert!(!place.path("work/other.svg").exists());
}

/// `out` of a step writes its picture by calls of `plot` and `write_file`, which rules and approvals decide.
#[test]
fn a_step_states_the_file_of_its_picture() {
    let place = Place::new();
    place.write(
        "drawn.yaml",
        "version: 1\nid: drawn\nsteps:\n  \
         - {id: fit, tool: linear_regression, args: {x: [1, 2, 3, 4], y: [2, 4, 5, 8]}, out: pictures/fit.svg}\n  \
         - {id: bars, tool: plot, args: {data: {x: [1, 2], y: [5, 3]}}, out: {path: bars.png, mode: overwrite}}\n\
         outputs: {r2: {$ref: fit.r2}}\n",
    );
    // Writing asks, as a step of `write_file` does.
    let asks = place.run(&["run", "drawn.yaml"], "");
    assert!(asks.code != 0 && !place.path("work/pictures/fit.svg").exists());
    place
        .run(&["run", "drawn.yaml", "--yes"], "")
        .expect_code(0);
    assert!(place.read("pictures/fit.svg").starts_with("<svg "));
    assert!(place.path("work/bars.png").exists());
    // The first file stays, the second is replaced.
    let again = place.run(&["run", "drawn.yaml", "--yes"], "");
    assert!(
        again.code != 0 && again.stdout.contains("`fit_file`"),
        "{}",
        again.stdout
    );
    let refused = place.run(&["run", "drawn.yaml", "--role", "worker_math"], "");
    assert!(
        refused.code != 0 && refused.stderr.contains("4:") && refused.stderr.contains("write_file"),
        "{}",
        refused.stderr
    );
}

#[test]
fn what_out_cannot_mean_is_told_at_its_place() {
    let place = Place::new();
    for (step, words) in [
        (
            "{id: a, tool: calculate, args: {expression: '1'}, out: a.png}",
            "/steps/0/out",
        ),
        (
            "{id: a, tool: plot, args: {data: {x: [1]}}, out: a.bmp}",
            "/steps/0/out",
        ),
        (
            "{id: a, tool: plot, args: {data: {x: [1]}, format: pdf}, out: a.png}",
            "`format`",
        ),
        (
            "{id: a, tool: calculate, map: {over: [1]}, args: {expression: '1'}, out: a.png}",
            "a map has several",
        ),
    ] {
        let plan = format!("version: 1\nsteps:\n  - {step}\n");
        place.write("a.yaml", &plan);
        let checked = place.run(&["plan", "check", "a.yaml"], "");
        let told = format!("{}{}", checked.stdout, checked.stderr);
        assert!(checked.code != 0 && told.contains(words), "{step}: {told}");
    }
}

#[test]
fn the_pictures_of_a_run_are_saved_under_their_outputs() {
    let place = Place::new();
    place.write(
        "two.yaml",
        "version: 1\nid: two\nsteps:\n  - {id: a, tool: plot, args: {data: {x: [1, 2], y: [3, 5]}, format: svg}}\n  \
         - {id: b, tool: plot, args: {data: {x: [1, 2], y: [5, 3]}, format: svg}}\noutputs:\n  \
         rising: {$ref: a.picture}\n  falling: {$ref: b.picture}\n",
    );
    place
        .run(&["run", "two.yaml", "--save", "all.svg"], "")
        .expect_code(0);
    for name in ["all-rising.svg", "all-falling.svg"] {
        assert!(place.read(name).starts_with("<svg "), "{name}");
    }
    let wrong = place.run(&["run", "two.yaml", "--save", "all.png"], "");
    assert!(
        wrong.code != 0 && wrong.stderr.contains("image/png"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn arguments_may_be_the_json_text_of_an_object() {
    let place = Place::new();
    let text = r#""{\"data\":[1,2,6]}""#;
    let called = place.run(&["call", "statistics"], text);
    assert_eq!(called.expect_code(0).at("/output/mean").as_f64(), Some(3.0));
    let line = format!(r#"{{"id":1,"tool":"statistics","args":{text}}}"#);
    let served = place.run(&["serve", "--jsonl"], &line);
    assert_eq!(served.at("/output/mean").as_f64(), Some(3.0));
    let session = format!(
        "{{\"type\":\"run.requested\"}}\n{{\"type\":\"calls.observed\",\"calls\":[{{\"call_id\":\"a\",\"tool\":\"statistics\",\"args\":{text}}}]}}\n"
    );
    let session = place.run(&["session"], &session);
    assert!(session.expect_code(0).stdout.contains(r#""mean":3.0"#));
    let broken = r#"{"id":2,"tool":"statistics","args":"{\"data\":[1,2"}"#;
    let broken = place.run(&["serve", "--jsonl"], broken);
    let message = broken.at("/error/message").to_string();
    assert_eq!(broken.at("/error/code"), Value::from("invalid_args"));
    for word in ["not JSON", "end", "line 1, column 13"] {
        assert!(message.contains(word), "{message}");
    }
}
