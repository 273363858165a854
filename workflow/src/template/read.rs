//! Templates from YAML: the built-in ones and those of a project, by the same reader.

use std::collections::BTreeSet;

use registry::document::{self, DocumentFormat};
use registry::{LoadError, LoadErrors, ParsedDocument};

use super::{StageGate, WorkflowStage, WorkflowTemplate};
use crate::limits::{ENTRY_BYTES_MAX, LIST_MAX, TEXT_BYTES_MAX, TITLE_BYTES_MAX};
use crate::names::{GateAction, GateKind};
use crate::roles;

/// The built-in templates: name and text.
pub const BUILT_IN: [(&str, &str); 4] = [
    ("standard", include_str!("standard.yaml")),
    ("hotfix", include_str!("hotfix.yaml")),
    ("documentation", include_str!("documentation.yaml")),
    ("ideation", include_str!("ideation.yaml")),
];

/// The built-in template of a name.
///
/// # Errors
/// There is none; the fault names the nearest.
pub fn built_in(name: &str) -> Result<WorkflowTemplate, crate::WorkflowFault> {
    let found = BUILT_IN.iter().find(|(known, _)| *known == name);
    let template = found.and_then(|(name, text)| read_template(name, text).ok());
    template.ok_or_else(|| {
        crate::WorkflowFault::unknown("template", name, BUILT_IN.iter().map(|(known, _)| *known))
    })
}

/// Reads a template.
///
/// # Errors
/// Everything that is wrong, each with file, line and key.
pub fn read_template(file: &str, text: &str) -> Result<WorkflowTemplate, LoadErrors> {
    let document = document::parse_document(file, text, DocumentFormat::Yaml)?;
    let mut errors = Vec::new();
    let template: Option<WorkflowTemplate> = document::read_typed(&document, &mut errors);
    if let Some(template) = template.as_ref().filter(|_| errors.is_empty()) {
        TemplateReader {
            document: &document,
            errors: &mut errors,
        }
        .template(template);
    }
    LoadErrors::check(errors)?;
    template.ok_or_else(|| {
        LoadError::new(
            Some(&document.place("")),
            "expected a template with `name` and `stages`",
        )
        .into()
    })
}

struct TemplateReader<'a> {
    document: &'a ParsedDocument,
    errors: &'a mut Vec<LoadError>,
}

impl TemplateReader<'_> {
    fn report(&mut self, pointer: &str, message: impl std::fmt::Display) {
        self.errors
            .push(LoadError::new(Some(&self.document.place(pointer)), message).at(pointer));
    }

    fn template(&mut self, template: &WorkflowTemplate) {
        if crate::ids::title_slug(&template.name) != template.name {
            let message = format!(
                "`{}` is not a name: lower-case letters, digits and `-`, at most 48",
                template.name
            );
            self.report("/name", message);
        }
        self.length("/title", &template.title, TITLE_BYTES_MAX);
        self.length("/description", &template.description, TEXT_BYTES_MAX);
        let mut names = BTreeSet::new();
        for (position, stage) in template.stages.iter().enumerate() {
            let pointer = format!("/stages/{position}");
            if !names.insert(stage.name.as_str()) {
                self.report(
                    &format!("{pointer}/name"),
                    format!("two stages are named `{}`", stage.name),
                );
            }
            self.stage(&pointer, stage);
        }
    }

    fn stage(&mut self, pointer: &str, stage: &WorkflowStage) {
        self.name(&format!("{pointer}/name"), &stage.name);
        if let Some(role) = &stage.role
            && roles::find_role(role).is_none()
        {
            let at = format!("{pointer}/role");
            let error = LoadError::new(
                Some(&self.document.place(&at)),
                format!("no role is named `{role}`"),
            );
            self.errors
                .push(error.at(&at).nearest(role, roles::role_names()));
        }
        if let Some(prompt) = &stage.prompt {
            self.length(&format!("{pointer}/prompt"), prompt, TEXT_BYTES_MAX);
        }
        self.gate(&format!("{pointer}/gate"), &stage.gate);
    }

    fn gate(&mut self, pointer: &str, gate: &StageGate) {
        let kind = gate.kind;
        for (key, given, belongs) in [
            ("prompt", gate.prompt.is_some(), GateKind::HumanApproval),
            (
                "agent_triggered",
                gate.agent_triggered,
                GateKind::HumanApproval,
            ),
            ("options", !gate.options.is_empty(), GateKind::HumanApproval),
            ("chain", gate.chain.is_some(), GateKind::ChainComplete),
            (
                "commands",
                !gate.commands.is_empty(),
                GateKind::VerificationPass,
            ),
        ] {
            if given && kind != belongs {
                self.report(
                    &format!("{pointer}/{key}"),
                    format!("`{key}` belongs to gates of type `{belongs}`, found `{kind}`"),
                );
            }
        }
        if kind == GateKind::VerificationPass && gate.commands.is_empty() {
            self.report(
                pointer,
                "a gate of type `verification_pass` has at least one of `commands`",
            );
        }
        if let Some(prompt) = &gate.prompt {
            self.length(&format!("{pointer}/prompt"), prompt, TEXT_BYTES_MAX);
        }
        if let Some(chain) = &gate.chain
            && !crate::ids::is_id(chain)
        {
            self.report(
                &format!("{pointer}/chain"),
                format!("`{}` is not an id", tool_core::brief::brief_name(chain)),
            );
        }
        self.commands(pointer, gate);
        self.options(pointer, gate);
    }

    fn commands(&mut self, pointer: &str, gate: &StageGate) {
        self.count(&format!("{pointer}/commands"), gate.commands.len());
        for (position, command) in gate.commands.iter().enumerate() {
            let at = format!("{pointer}/commands/{position}");
            self.length(&at, command, ENTRY_BYTES_MAX);
            if command.trim().is_empty() {
                self.report(&at, "a command is empty");
            }
        }
    }

    fn options(&mut self, pointer: &str, gate: &StageGate) {
        let at = format!("{pointer}/options");
        self.count(&at, gate.options.len());
        let mut labels = BTreeSet::new();
        for (position, option) in gate.options.iter().enumerate() {
            let at = format!("{at}/{position}/label");
            self.name(&at, &option.label);
            if !labels.insert(option.label.as_str()) {
                self.report(
                    &at,
                    format!("two options have the label `{}`", option.label),
                );
            }
        }
        let advances = |option: &super::GateOption| option.action == GateAction::Advance;
        if !gate.options.is_empty() && !gate.options.iter().any(advances) {
            self.report(&at, "one of `options` must have the action `advance`");
        }
    }

    fn name(&mut self, pointer: &str, name: &str) {
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            self.report(pointer, "expected a text of one line that is not empty");
        }
        self.length(pointer, name, TITLE_BYTES_MAX);
    }

    fn length(&mut self, pointer: &str, text: &str, max: usize) {
        if text.len() > max {
            self.report(
                pointer,
                format!("the text has {} bytes, the limit is {max}", text.len()),
            );
        }
    }

    fn count(&mut self, pointer: &str, count: usize) {
        if count > LIST_MAX {
            self.report(
                pointer,
                format!("the list has {count} entries, the limit is {LIST_MAX}"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_templates_are_sound() {
        let gates: Vec<String> = BUILT_IN
            .iter()
            .map(|(name, text)| {
                let template = read_template(name, text).unwrap();
                assert_eq!(template.name, *name);
                let gates: Vec<&str> = template
                    .stages
                    .iter()
                    .map(|stage| stage.gate.kind.as_str())
                    .collect();
                format!("{name}: {}", gates.join(" "))
            })
            .collect();
        assert_eq!(
            gates,
            [
                "standard: human_approval human_approval chain_complete verification_pass human_approval auto",
                "hotfix: human_approval chain_complete verification_pass human_approval auto",
                "documentation: auto chain_complete human_approval",
                "ideation: human_approval human_approval auto",
            ]
        );
        assert!(
            built_in("ideaton")
                .unwrap_err()
                .hint()
                .unwrap()
                .contains("`ideation`")
        );
        let first = &built_in("ideation").unwrap().stages[0].gate;
        assert!(first.agent_triggered && first.options.len() == 2);
    }

    #[test]
    fn faults_have_file_line_and_key() {
        for (text, expected) in [
            ("name: x\n", "t.yaml:1:1: missing key `stages`"),
            (
                "name: X y\nstages:\n- {name: a, type: review, gate: {type: auto}}\n",
                "t.yaml:1:1: `X y` is not a name",
            ),
            (
                "name: x\nstages:\n- name: a\n  type: review\n  gate: {type: automatic}\n",
                "t.yaml:5:10:",
            ),
            (
                "name: x\nstages:\n- name: a\n  type: review\n  gate:\n    type: auto\n    comands: [x]\n",
                "unknown key `comands` (did you mean `commands`?)",
            ),
            (
                "name: x\nstages:\n- name: a\n  type: review\n  gate: {type: auto, commands: [x]}\n",
                "`commands` belongs to gates of type `verification_pass`, found `auto`",
            ),
            (
                "name: x\nstages:\n- name: a\n  type: verification\n  gate: {type: verification_pass}\n",
                "at least one of `commands`",
            ),
            (
                "name: x\nstages:\n- &s {name: a, type: review, gate: {type: auto}}\n- {name: a, type: review, gate: {type: auto}}\n",
                "an anchor",
            ),
            (
                "name: x\nstages:\n- {name: a, type: review, gate: {type: auto}}\n- {name: a, type: review, gate: {type: auto}}\n",
                "t.yaml:4:4: two stages are named `a`",
            ),
            (
                "name: x\nstages:\n- {name: a, role: reviewr, type: review, gate: {type: auto}}\n",
                "no role is named `reviewr`",
            ),
            (
                "name: x\nstages:\n- {name: a, type: review, gate: {type: human_approval, options: [{label: No, action: discard}]}}\n",
                "must have the action `advance`",
            ),
            ("name: x\nstages: []\n", "t.yaml:2:1:"),
        ] {
            let told = read_template("t.yaml", text).unwrap_err().to_string();
            assert!(told.contains(expected), "{told}\n{expected}");
        }
    }

    #[test]
    fn templates_are_bounded() {
        let stage = "- {name: aN, type: review, gate: {type: auto}}\n";
        let many = |count: usize| {
            (0..count)
                .map(|n| stage.replace('N', &n.to_string()))
                .collect::<String>()
        };
        assert!(read_template("t", &format!("name: x\nstages:\n{}", many(64))).is_ok());
        assert!(read_template("t", &format!("name: x\nstages:\n{}", many(65))).is_err());
        let long = "c".repeat(ENTRY_BYTES_MAX + 1);
        let text = format!(
            "name: x\nstages:\n- {{name: a, type: review, gate: {{type: verification_pass, commands: [{long}]}}}}\n"
        );
        assert!(
            read_template("t", &text)
                .unwrap_err()
                .to_string()
                .contains("the limit is 1024")
        );
    }
}
