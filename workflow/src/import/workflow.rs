//! Workflows of the earlier layout.

use super::json::JsonItemFile;
use super::{ImportReader, ImportSource, ImportTurn};
use crate::event::{
    EventPayload, GateOpened, GateSatisfied, WorkflowCompleted, WorkflowDiscarded, WorkflowPaused,
    WorkflowStarted,
};
use crate::limits::STAGES_MAX;
use crate::names::{GateAction, GateKind, StageKind};
use crate::roles;
use crate::template::{GateOption, StageGate, WorkflowStage};

impl ImportReader {
    pub(super) fn workflow(&mut self, file: &ImportSource<'_>) {
        let Some(json) = JsonItemFile::read(self, file) else {
            return;
        };
        json.unknown_keys(
            self,
            &[
                "id",
                "requestId",
                "template",
                "currentStage",
                "status",
                "stages",
                "createdAt",
                "updatedAt",
                "blockedReason",
            ],
        );
        let (Some(id), Some(template), Some(status)) = (
            json.required(self, "id"),
            json.required(self, "template"),
            json.required(self, "status"),
        ) else {
            return;
        };
        let current = json.count(self, "currentStage").unwrap_or(0);
        let errors = self.errors.len();
        let stages = self.stages(&json);
        if self.errors.len() > errors {
            return;
        }
        let time = json.time(self, "createdAt");
        let place = json.place("id");
        // A completed workflow may be one stage beyond the last.
        let stage = current.min(stages.len().saturating_sub(1));
        let gate = stages.get(stage).map(|stage| stage.gate.clone());
        let data = WorkflowStarted {
            workflow: id.clone(),
            template,
            stages,
            request: json.text(self, "requestId"),
            chain: None,
            stage,
        };
        self.draft(ImportTurn::Workflow, &id, &place, time, data);
        self.human_gate(&json, &id, stage, gate, &status);
        self.ended(&json, &id, &status);
    }

    /// The gate of the current stage, if it waits for a person, or a person satisfied it.
    fn human_gate(
        &mut self,
        json: &JsonItemFile,
        id: &str,
        stage: usize,
        gate: Option<StageGate>,
        status: &str,
    ) {
        let path = format!("stages/{stage}/gate");
        let satisfied = json
            .flag(self, &format!("{path}/satisfied"))
            .unwrap_or(false);
        let Some(gate) = gate.filter(|gate| gate.kind == GateKind::HumanApproval) else {
            return;
        };
        let waits = !gate.agent_triggered && matches!(status, "active" | "paused");
        // A gate that was satisfied had opened before, though the file does not say so.
        if !satisfied && !waits {
            return;
        }
        let place = json.place(&format!("{path}/satisfied"));
        let time = match satisfied {
            true => json.time(self, &format!("{path}/satisfiedAt")),
            false => json.time(self, "createdAt"),
        };
        let opened = GateOpened {
            workflow: id.to_owned(),
            stage,
        };
        self.draft(
            ImportTurn::Workflow,
            &format!("{id} 1"),
            &place,
            time,
            opened,
        );
        if !satisfied {
            return;
        }
        let advances = gate
            .options
            .iter()
            .find(|option| option.action == GateAction::Advance);
        let data = GateSatisfied {
            workflow: id.to_owned(),
            stage,
            option: advances.map(|option| option.label.clone()),
            results: Vec::new(),
        };
        let by = json.text(self, &format!("{path}/satisfiedBy"));
        let reason = by.map(|by| format!("satisfied in the earlier system by {by}"));
        self.draft(ImportTurn::Workflow, &format!("{id} 2"), &place, time, data)
            .reason = reason;
    }

    fn ended(&mut self, json: &JsonItemFile, id: &str, status: &str) {
        let (place, time) = (json.place("status"), json.time(self, "updatedAt"));
        let workflow = id.to_owned();
        let blocked = json.text(self, "blockedReason");
        let (data, reason): (EventPayload, _) = match status {
            "active" => return,
            "paused" => (
                WorkflowPaused { workflow }.into(),
                blocked.unwrap_or_else(|| "paused in the earlier system".to_owned()),
            ),
            "completed" => (
                WorkflowCompleted {
                    workflow,
                    imported: true,
                }
                .into(),
                "completed in the earlier system".to_owned(),
            ),
            "discarded" | "cancelled" | "failed" => (
                WorkflowDiscarded { workflow }.into(),
                blocked.unwrap_or_else(|| format!("{status} in the earlier system")),
            ),
            other => {
                self.error(
                    &place,
                    format!(
                        "no status of workflows is named `{}`",
                        tool_core::brief::brief_name(other)
                    ),
                );
                return;
            }
        };
        self.draft(ImportTurn::WorkflowEnd, id, &place, time, data)
            .reason = Some(reason);
    }

    fn stages(&mut self, json: &JsonItemFile) -> Vec<WorkflowStage> {
        let count = json
            .value("stages")
            .and_then(|stages| stages.items())
            .map_or(0, |stages| stages.len());
        if count == 0 || count > STAGES_MAX {
            self.error(
                &json.place("stages"),
                format!("expected 1 to {STAGES_MAX} stages, found {count}"),
            );
            return Vec::new();
        }
        (0..count)
            .filter_map(|position| self.stage(json, &format!("stages/{position}")))
            .collect()
    }

    fn stage(&mut self, json: &JsonItemFile, path: &str) -> Option<WorkflowStage> {
        let name = json.required(self, &format!("{path}/name"));
        let kind = json.name(
            self,
            &format!("{path}/type"),
            StageKind::parse,
            StageKind::ALL,
        );
        let gate = self.gate(json, path);
        let role = json.text(self, &format!("{path}/roleId"));
        let known = role
            .as_deref()
            .and_then(roles::find_role)
            .map(|role| role.name.to_owned());
        if let Some(role) = role.filter(|_| known.is_none()) {
            let message = format!(
                "the role `{}` is not known and not imported",
                tool_core::brief::brief_name(&role)
            );
            self.note(&json.place(&format!("{path}/roleId")), message);
        }
        if json.value(&format!("{path}/hooks")).is_some() {
            self.note(
                &json.place(&format!("{path}/hooks")),
                "hooks are not imported",
            );
        }
        Some(WorkflowStage {
            name: name?,
            kind: kind?,
            role: known,
            prompt: json.text(self, &format!("{path}/initPrompt")),
            gate: gate?,
        })
    }

    fn gate(&mut self, json: &JsonItemFile, path: &str) -> Option<StageGate> {
        let kind = json.name(
            self,
            &format!("{path}/gate/type"),
            GateKind::parse,
            GateKind::ALL,
        )?;
        let chain = json.text(self, &format!("{path}/gate/chainId"));
        let chain = chain.or_else(|| json.text(self, &format!("{path}/chainId")));
        let options_path = format!("{path}/gate/options");
        let count = json
            .value(&options_path)
            .and_then(|options| options.items())
            .map_or(0, |options| options.len());
        let mut options = Vec::new();
        for position in 0..count {
            let label = json.required(self, &format!("{options_path}/{position}/label"))?;
            let action = json.name(
                self,
                &format!("{options_path}/{position}/action"),
                GateAction::parse,
                GateAction::ALL,
            )?;
            options.push(GateOption { label, action });
        }
        Some(StageGate {
            kind,
            prompt: json.text(self, &format!("{path}/gate/prompt")),
            agent_triggered: json
                .flag(self, &format!("{path}/gate/agentTriggered"))
                .unwrap_or(false),
            options,
            chain: chain.filter(|_| kind == GateKind::ChainComplete),
            commands: json.texts(self, &format!("{path}/gate/commands")),
        })
    }
}
