//! Call scripts: what is wrong with their lines and with the plans they become.

use chain_runtime::{Plan, PlanProblem};
use tool_core::Object;

use crate::fakes::{World, operator};

/// What is wrong with the lines of a script and with the plan it becomes is told together.
#[test]
fn scripts_report_every_problem_at_once() {
    let problems = |script: &str| {
        let world = World::new();
        let plan = Plan::read("s.chain", script).unwrap();
        let context = operator();
        let found = chain_runtime::check_plan(
            &plan,
            &world.dispatcher,
            &context,
            &Object::new(),
            chain_runtime::CheckMode::Run,
        );
        let found = found.unwrap_err();
        let told = |problem: &PlanProblem| {
            let (line, _) = problem.place.expect("a place");
            format!("{line}: {}", problem.message)
        };
        found.list().iter().map(told).collect::<Vec<_>>()
    };
    let cases: [(&str, &[&str]); 5] = [
        (
            "a = no_such(x=1)\nb = sum(data=a.foo)\nc = sum(data=zz.x)\nd = sum(data=[zz, 1])\n",
            &[
                "1: no tool named `no_such`",
                "3: no line before this one assigns `zz`",
                "4: no line before this one assigns `zz`",
            ],
        ),
        (
            "a = note(key=\"k\", text=\"x\")\nreturn a.txt\nb = no_such(x=1)\nc = sum(data=zz)\n",
            &[
                "2: `a.txt`: `a` of `note` gives",
                "3: `return` is the last line",
                "3: no tool named `no_such`",
                "4: `return` is the last line",
                "4: no line before this one assigns `zz`",
            ],
        ),
        (
            "a = 5\nb = sum(data=a)\nc = sum(dta=[1])\nreturn {\"a\": a, \"b\": zz ?? 1}\n",
            &[
                "1: expected a call after `=`",
                "3: unknown argument `dta`",
                "3: missing required argument `data`",
                "4: no line before this one assigns `zz`",
            ],
        ),
        (
            "b = sum(data=b.x)\n",
            &["1: no line before this one assigns `b`"],
        ),
        ("# nothing\n", &["1: the script has no call"]),
    ];
    for (script, expected) in cases {
        let found = problems(script);
        assert_eq!(found.len(), expected.len(), "{script}\n{found:#?}");
        for one in expected {
            let is_told = found.iter().any(|problem| problem.starts_with(one));
            assert!(is_told, "expected `{one}` in {found:#?}");
        }
    }
}
