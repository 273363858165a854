//! Ten thousand random configurations against a second evaluator: sets of names, one question after the other.

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

use super::random::*;
use super::samples::*;
use super::*;

const WEB: &[&str] = &["web_fetch", "web_search"];
const WRITING: &[&str] = &["write_file", "edit_file", "run_shell", "raw_exec"];
const FILES: &[&str] = &[
    "list_dir",
    "read_file",
    "search_files",
    "write_file",
    "edit_file",
];

impl Random {
    fn is_delegate(&self) -> bool {
        self.delegation.is_some()
    }

    /// The layers that hold for the caller.
    fn held(&self) -> Vec<&RandomLayer> {
        let holds = |layer: &&RandomLayer| match (layer.level, layer.name) {
            (Level::Global | Level::User, _) => true,
            (Level::Role, name) => name == "worker",
            (Level::Agent, name) => self.agent && name == "codex",
            (Level::Phase, name) => self.phase.is_some() && name == "p",
            (Level::Task, name) => self.task == Some(name),
            (Level::Delegation, _) => self.is_delegate(),
        };
        self.layers
            .iter()
            .filter(holds)
            .chain(&self.delegation)
            .collect()
    }

    /// What the caller starts from, and how far it may go.
    fn start(&self) -> (BTreeSet<&'static str>, Option<Confinement>) {
        let explicit = self.toolset.clone().map(|tools| RandomSelection {
            tools: Some(tools),
            permission: None,
            inherit: true,
        });
        let role = RandomSelection {
            tools: Some(self.role.clone()),
            permission: None,
            inherit: true,
        };
        let mut levels: Vec<RandomSelection> = Vec::new();
        if let Some((_, Some(own))) = &self.phase
            && self.agent
        {
            levels.push(own.clone());
        }
        levels.extend(explicit);
        levels.extend(self.phase.as_ref().map(|(phase, _)| phase.clone()));
        levels.push(role);
        let (mut tools, mut permission) = (None, None);
        for level in levels {
            tools = tools.or(level.tools);
            permission = permission.or(level.permission);
            if !level.inherit {
                break;
            }
        }
        if self.phase.is_some() {
            permission = permission.or(Some(Confinement::ReadOnly));
        }
        let mut tools = meant(&tools.unwrap_or_default());
        tools.extend(&self.enable);
        tools.retain(|tool| !self.disable.contains(tool));
        (tools, permission)
    }

    fn visible_by_hand(&self) -> BTreeSet<&'static str> {
        let (mut tools, permission) = self.start();
        let role = meant(&self.role);
        tools.retain(|tool| role.contains(tool));
        let mut gone: Vec<&str> = meant(&self.role_deny).into_iter().collect();
        for layer in self.held() {
            let shown = layer.shown();
            tools.retain(|tool| shown.contains(tool));
        }
        if permission == Some(Confinement::ReadOnly) || self.read_only {
            gone.extend(WRITING);
        }
        let offline = matches!(
            permission,
            Some(Confinement::ReadOnly | Confinement::WorkspaceWrite)
        );
        if offline || self.no_web || self.task == Some("math") {
            gone.extend(WEB);
        }
        if !self.ready {
            gone.extend(FILES);
        }
        tools.retain(|tool| !gone.contains(tool));
        tools
    }

    fn verdict_by_hand(&self, sample: &Sample) -> Verdict {
        if !self.visible_by_hand().contains(sample.tool) {
            return Verdict::Deny;
        }
        let mut said = Vec::new();
        let mut named = false;
        for layer in self.held() {
            let about: Vec<&RandomRule> = layer
                .rules
                .iter()
                .filter(|rule| rule.is_about(sample))
                .collect();
            let highest = about.iter().map(|rule| rule.priority).max();
            let counting = about.iter().filter(|rule| Some(rule.priority) == highest);
            said.extend(counting.map(|rule| rule.decision).max());
            let outer = matches!(layer.level, Level::Global | Level::User);
            let names = |rule: &&RandomRule| {
                rule.decision == Verdict::Allow && rule.tools.contains(&sample.tool)
            };
            named |= outer && about.iter().any(names);
        }
        let granted: &[&str] = match self.start().1 {
            Some(Confinement::FullAccess) => WRITING,
            Some(Confinement::WorkspaceWrite) => &["write_file", "edit_file"],
            Some(Confinement::ReadOnly) | None => &[],
        };
        let default = match granted.contains(&sample.tool) {
            true => Verdict::Allow,
            false => sample.default,
        };
        let verdict = said.into_iter().max().unwrap_or(default);
        match verdict {
            Verdict::Allow if sample.destroys && !named => Verdict::Ask,
            other => other,
        }
    }
}

impl RandomRule {
    fn is_about(&self, sample: &Sample) -> bool {
        let below = |path: &str, root: &str| path == root || path.starts_with(&format!("{root}/"));
        let fits = match self.condition {
            Condition::Nothing => true,
            Condition::Path(root) => sample.path.is_some_and(|path| {
                let around = sample.tree && self.decision != Verdict::Allow && below(root, path);
                below(path, root) || around
            }),
            Condition::Words(word) => sample.words.first() == Some(&word),
            Condition::AtLeast(min) => sample.x.is_some_and(|x| x >= min),
        };
        fits && meant(&self.tools).contains(sample.tool)
            && self.role.is_none_or(|role| role == "worker")
    }
}

#[test]
fn ten_thousand_random_chains_are_decided_as_by_hand() {
    let config = ProptestConfig {
        cases: 10_000,
        rng_seed: RngSeed::Fixed(20_261_122),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let seen = std::cell::RefCell::new([0_u32; 3]);
    let result = TestRunner::new(config).run(&random(), |random| {
        let (visible, decisions) = random.decide();
        let by_hand: BTreeSet<String> = random
            .visible_by_hand()
            .into_iter()
            .map(str::to_owned)
            .collect();
        prop_assert_eq!(visible, by_hand);
        for (sample, decision) in SAMPLES.iter().zip(decisions) {
            let expected = random.verdict_by_hand(sample);
            prop_assert_eq!(
                decision.verdict,
                expected,
                "{}: {:?}",
                sample.tool,
                decision
            );
            seen.borrow_mut()[expected as usize] += 1;
        }
        Ok(())
    });
    result.unwrap_or_else(|fault| panic!("{fault}"));
    let seen = seen.into_inner();
    assert!(
        seen.iter().all(|count| *count > 5_000),
        "the cases are one-sided: {seen:?}"
    );
}
