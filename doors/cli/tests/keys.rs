//! Keys of documents whose effect is seen at the command line alone.

use tool_core::Value;

use crate::support::Place;

/// What an agent file says for what runs its model is handed on.
#[test]
fn each_key_of_an_agent_file_is_shown() {
    let place = Place::new();
    let agent = |tools: &str| {
        format!(
            "---\nname: a\ndescription: helps\nmodel: large\nrole: worker_general\n{tools}\nvariables: [topic]\n\
             limits: {{max_turns: 7, timeout_ms: 900}}\ntemperature: 0.5\nmax_tokens: 100\n---\n# System Prompt\nx\n"
        )
    };
    place.write("agents/a.md", &agent("tools: [calculate]"));
    let shown = place.run(&["agent", "show", "a", "--json"], "");
    shown.expect_code(0);
    for (key, value) in [
        ("name", Value::from("a")),
        ("description", Value::from("helps")),
        ("model", Value::from("large")),
        ("role", Value::from("worker_general")),
        ("tools", Value::array(vec![Value::from("calculate")])),
        ("variables", Value::array(vec![Value::from("topic")])),
        ("max_turns", Value::from(7_i64)),
        ("timeout_ms", Value::from(900_i64)),
        ("temperature", Value::from(0.5)),
        ("max_tokens", Value::from(100_i64)),
    ] {
        assert_eq!(shown.at(&format!("/{key}")), value, "{key}");
    }
    place.write(
        "mathchain.toml",
        "version = 1\n[toolsets.pair]\ninclude = [\"statistics\"]\n",
    );
    place.replace("agents/a.md", &agent("toolset: pair"));
    let shown = place.run(&["agent", "show", "a", "--json"], "");
    assert_eq!(
        shown.expect_code(0).at("/tools/0"),
        Value::from("statistics")
    );
}

#[test]
fn limits_of_the_configuration_end_a_call() {
    let place = Place::new();
    let args = r#"{"log_density":"-0.5*(x0**2+x1**2)","x0":[0,0],"n_samples":1000000}"#;
    for (limit, code, hint) in [
        ("timeout_ms = 5", "timeout", "timeout_ms"),
        (
            "memory_bytes = 1000",
            "limit_exceeded",
            "limits.memory_bytes",
        ),
    ] {
        place.replace(
            "mathchain.toml",
            &format!("version = 1\n[limits]\n{limit}\n"),
        );
        let answer = place.run(&["call", "mcmc"], args);
        assert_eq!(answer.at("/error/code"), Value::from(code));
        let said = answer.at("/error/hint");
        assert!(
            said.as_str().is_some_and(|said| said.contains(hint)),
            "{said}"
        );
    }
}

/// Where a plan says nothing, `[chain]` holds; what the plan says wins.
#[test]
fn the_table_chain_is_for_plans_that_say_nothing() {
    let place = Place::new();
    let steps = "steps:\n- {id: a, tool: write_file, args: {path: a, content: x}}\n- {id: b, tool: write_file, args: {path: b, content: x}}\n\
                 - {id: c, tool: calculate, args: {expression: \"1\"}}\n";
    place.write("p.yaml", &format!("version: 1\nid: p\n{steps}"));
    let said = "version: 1\nid: q\nmode: dep\nparallel_mutations: false\n";
    place.write("q.yaml", &format!("{said}{steps}"));
    let explained = |chain: &str, plan: &str| {
        place.replace(
            "mathchain.toml",
            &format!("version = 1\n[chain]\n{chain}\n"),
        );
        let answer = place.run(&["plan", "explain", plan, "--json"], "");
        answer.expect_code(0).stdout.clone()
    };
    let usual = explained("mode = \"dep\"", "p.yaml");
    let own = explained("mode = \"dep\"", "q.yaml");
    for said in ["mode = \"seq\"", "parallel_mutations = true"] {
        assert_ne!(explained(said, "p.yaml"), usual, "{said}");
        assert_eq!(explained(said, "q.yaml"), own, "{said}");
    }
    assert_ne!(explained("on_error = \"continue\"", "p.yaml"), usual);
}
