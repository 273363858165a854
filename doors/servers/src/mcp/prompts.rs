//! Prompts: recipes that a user starts, with arguments.

use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role,
};

/// A recipe.
pub(super) struct PromptRecipe {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Name, purpose, and whether it is required.
    arguments: &'static [(&'static str, &'static str, bool)],
    /// The message; `{name}` stands for an argument. A line with an argument that is not given is left out.
    text: &'static str,
}

/// Every recipe, in the order of the list.
pub(super) const RECIPES: &[PromptRecipe] = &[
    PromptRecipe {
        name: "solve",
        title: "Solve a problem and check the answer",
        description: "Choose a tool for a problem, compute, and verify the result by another way",
        arguments: &[
            ("problem", "The problem, with its data", true),
            ("accuracy", "Accuracy wanted, such as `8 digits`", false),
        ],
        text: "Solve this problem with mathchain's tools, not by mental arithmetic:\n\n{problem}\n\nAccuracy wanted: {accuracy}.\n\n1. Find the tool (`search_tools`), and read its arguments (`describe_tool`) if any is unclear.\n2. Compute. Read the evidence in the result: residual, condition, error estimate, convergence.\n3. Verify by another way: put the solution back, use a second method, or compare with a known case.\n4. State the answer with its error, and how it was verified.",
    },
    PromptRecipe {
        name: "analyse_data",
        title: "Analyse a table",
        description: "Summarise a file of data, and answer a question about it",
        arguments: &[
            (
                "file",
                "Path of a .csv, .json or .npy file in the workspace",
                true,
            ),
            ("question", "The question", false),
        ],
        text: "Analyse the data in `{file}`. Pass it as {\"$file\": \"{file}\"}, never as text; choose columns with \"column\" and rows with \"where\".\n\nThe question: {question}\n\n1. Look at the columns and the number of rows (`sql_query` over {\"$file\": \"{file}\"}).\n2. Compute `statistics` of the columns that matter, and a fit or a test where the question wants one.\n3. Draw one plot (`plot_braille` or `plot_sixel`).\n4. Answer with figures, their uncertainty, and anything in the data that makes the answer doubtful.",
    },
    PromptRecipe {
        name: "write_plan",
        title: "Write and run a plan",
        description: "Turn a task of several steps into one plan, check it, and run it",
        arguments: &[("task", "What the steps lead to", true)],
        text: "Write one plan for this task: {task}\n\nA plan is {\"version\": 1, \"id\": NAME, \"steps\": [{\"id\", \"tool\", \"args\"}], \"outputs\": {..}}. A step uses the result of another with {\"$ref\": \"step.member\"}; steps without such a link run in parallel. Large values stay between steps and are not repeated.\n\n1. Check it with `chain_check`, and mend every problem that it lists.\n2. Run it with `chain_run`.\n3. Report the outputs, the run's id, and any warning.",
    },
    PromptRecipe {
        name: "explain_error",
        title: "Explain a failed or denied call",
        description: "Find out why a call failed, and what the next step is",
        arguments: &[
            ("tool", "Name of the tool", true),
            ("message", "The error", true),
        ],
        text: "A call of `{tool}` was answered with:\n\n{message}\n\n1. Read the arguments of the tool (`describe_tool`), and compare.\n2. `invalid_args`: name the argument, what was expected, and give the corrected call.\n3. `policy_denied` or `not_visible`: name the rule and layer; do not try to get around it.\n4. `approval_required`: say which command the operator types, and repeat the same call afterwards.\n5. `numeric`, `limit_exceeded`, `timeout`: say what in the request makes it so, and propose a smaller or better posed one.",
    },
    PromptRecipe {
        name: "review_run",
        title: "Review a recorded run",
        description: "Judge a run from its record: what happened, what failed, what is doubtful",
        arguments: &[("run", "Id of the run", true)],
        text: "Review the run `{run}`. Its record is the resource mathchain://run/{run}, its plan mathchain://plan/{run}.\n\n1. List the steps with their status and time, in order.\n2. For each that failed or has a warning: the cause, and the smallest change that mends it.\n3. Say which results rest on a step with a warning.\n4. Say whether it can be resumed, and with which command (`mathchain runs resume {run}`).",
    },
];

/// The list of prompts.
pub(super) fn list_prompts() -> Vec<Prompt> {
    let argument = |&(name, description, required): &(&str, &str, bool)| {
        PromptArgument::new(name)
            .with_description(description)
            .with_required(required)
    };
    let prompt = |recipe: &PromptRecipe| {
        let arguments = recipe.arguments.iter().map(argument).collect();
        Prompt::new(recipe.name, Some(recipe.description), Some(arguments)).with_title(recipe.title)
    };
    RECIPES.iter().map(prompt).collect()
}

/// One prompt with its arguments.
///
/// # Errors
/// `-32602` for an unknown name, and for an argument that is missing, unknown or no text.
pub(super) fn get_prompt(params: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let invalid = |message: String| ErrorData::invalid_params(message, None);
    let name = &params.name;
    let names = || {
        RECIPES
            .iter()
            .map(|recipe| recipe.name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let recipe = RECIPES.iter().find(|recipe| recipe.name == name);
    let recipe = recipe
        .ok_or_else(|| invalid(format!("no prompt named `{name}`; there are: {}", names())))?;
    let given = params.arguments.clone().unwrap_or_default();
    if let Some(unknown) = given
        .keys()
        .find(|key| !recipe.arguments.iter().any(|(name, ..)| name == key))
    {
        return Err(invalid(format!(
            "the prompt `{name}` has no argument `{unknown}`"
        )));
    }
    let mut text = recipe.text.to_owned();
    for (argument, _, required) in recipe.arguments {
        let value = given.get(*argument).filter(|value| !value.is_null());
        let value = value
            .map(|value| {
                value
                    .as_str()
                    .ok_or_else(|| invalid(format!("the argument `{argument}` is a text")))
            })
            .transpose()?;
        let mark = format!("{{{argument}}}");
        match value {
            // Braces of a value are no marks of ours.
            Some(value) => text = text.replace(&mark, &value.replace('{', "{\u{200b}")),
            None if *required => {
                return Err(invalid(format!(
                    "the prompt `{name}` needs the argument `{argument}`"
                )));
            }
            None => {
                let lines = text.lines().filter(|line| !line.contains(&mark));
                text = lines.collect::<Vec<_>>().join("\n");
            }
        }
    }
    let text = text.replace("{\u{200b}", "{");
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(recipe.description))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, arguments: serde_json::Value) -> Result<String, ErrorData> {
        let serde_json::Value::Object(arguments) = arguments else {
            panic!("an object")
        };
        let found = get_prompt(&GetPromptRequestParams::new(name).with_arguments(arguments))?;
        Ok(
            serde_json::to_value(&found.messages[0]).unwrap()["content"]["text"]
                .as_str()
                .unwrap()
                .to_owned(),
        )
    }

    #[test]
    fn arguments_replace_their_marks() {
        let full = text(
            "solve",
            serde_json::json!({"problem": "x = {accuracy}", "accuracy": "8 digits"}),
        )
        .unwrap();
        assert!(
            full.contains("x = {accuracy}\n") && full.contains("wanted: 8 digits."),
            "{full}"
        );
        let without = text("solve", serde_json::json!({"problem": "1 + 1"})).unwrap();
        assert!(!without.contains("Accuracy wanted"), "{without}");
        for (name, arguments, expected) in [
            ("solv", serde_json::json!({}), "no prompt named `solv`"),
            (
                "solve",
                serde_json::json!({}),
                "needs the argument `problem`",
            ),
            ("solve", serde_json::json!({"problem": 1}), "is a text"),
            (
                "solve",
                serde_json::json!({"problem": "a", "extra": "b"}),
                "has no argument `extra`",
            ),
        ] {
            let error = text(name, arguments).unwrap_err();
            assert!(error.message.contains(expected), "{}", error.message);
        }
    }

    #[test]
    fn every_mark_is_an_argument_and_every_argument_has_a_mark() {
        assert_eq!(RECIPES.len(), 5);
        for recipe in RECIPES {
            for (argument, ..) in recipe.arguments {
                assert!(
                    recipe.text.contains(&format!("{{{argument}}}")),
                    "{}: {argument}",
                    recipe.name
                );
            }
        }
    }
}
