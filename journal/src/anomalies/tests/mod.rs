//! For each kind a journal that has it and one like it that has not; and that nothing depends on the order of records.

mod cases;

use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use registry::model::AnomalyLimits;
use tool_core::{Object, Value};

use super::*;
use crate::artifacts::{ArtifactHandle, ArtifactHash, ArtifactKind as Stored};
use crate::{RunHolder, RunState};

/// A journal as it is written.
#[derive(Debug, Clone, Default)]
struct Journal {
    records: Vec<AuditRecord>,
    runs: Vec<RunRecord>,
}

/// A call in it.
#[derive(Clone, Copy)]
struct Made {
    run: &'static str,
    step: &'static str,
    item: Option<usize>,
    wave: usize,
    attempt: u64,
    tool: &'static str,
    role: &'static str,
    ms: f64,
    code: Option<&'static str>,
    cached: bool,
}

const CALL: Made = Made {
    run: "aaaa",
    step: "s",
    item: None,
    wave: 0,
    attempt: 1,
    tool: "fit",
    role: "operator",
    ms: 20.0,
    code: None,
    cached: false,
};

impl Journal {
    fn add(&mut self, session: &str, record: Object) {
        let sequence = self.records.len() as u64 + 1;
        self.records.push(AuditRecord {
            session: session.to_owned(),
            sequence,
            hash: String::new(),
            record: Value::Object(record.into()),
            folder: None,
        });
    }

    fn call(&mut self, made: Made) -> &mut Self {
        let number = self.records.len();
        let mut record = Object::new();
        record.insert("kind", "call");
        record.insert("call_id", format!("{}-c{number}", made.run));
        record.insert("time_ms", number);
        if made.step.is_empty() {
            record.insert("chain_id", Value::Null);
        } else {
            record.insert("chain_id", made.run);
            record.insert("step", made.step);
            record.insert("wave", made.wave);
        }
        if let Some(item) = made.item {
            record.insert("item", item);
        }
        if made.attempt > 1 {
            record.insert("attempt", made.attempt);
        }
        record.insert("role", made.role);
        record.insert("tool", made.tool);
        record.insert("elapsed_ms", made.ms);
        if made.cached {
            record.insert("cached", true);
        }
        match made.code {
            None => record.insert("status", "success"),
            Some(code) => {
                record.insert("status", "error");
                record.insert("error_code", code);
            }
        }
        self.add(made.run, record);
        self
    }

    fn calls(&mut self, count: usize, made: Made) -> &mut Self {
        for item in 0..count {
            self.call(Made {
                item: Some(item),
                ..made
            });
        }
        self
    }

    fn plan(&mut self, run: &str, barrier: bool, waves: &[f64], fallback: Option<&str>) {
        let mut record = Object::new();
        record.insert("kind", "chain");
        record.insert("chain_id", run);
        record.insert("status", "success");
        record.insert("mode_requested", "dep");
        record.insert("barrier", barrier);
        record.insert("fallback_to_seq", fallback.is_some());
        record.insert("fallback_reason", fallback.map(str::to_owned));
        let waves = waves
            .iter()
            .map(|ms| Value::object([("elapsed_ms", *ms)]))
            .collect();
        record.insert("wave_timeline", Value::array(waves));
        record.insert("recorded_ms", self.records.len());
        self.add(run, record);
    }

    fn run(&mut self, id: &str, state: RunState, holder: Option<RunHolder>) {
        let handle = ArtifactHandle {
            hash: ArtifactHash([0; 32]),
            kind: Stored::Small,
        };
        self.runs.push(RunRecord {
            parent: None,
            id: id.to_owned(),
            plan_id: "study".to_owned(),
            plan_digest: String::new(),
            plan: handle.clone(),
            inputs: handle,
            role: "operator".to_owned(),
            who: Value::Null,
            seed: 0,
            build: String::new(),
            profile: String::new(),
            state,
            created_ms: 0,
            changed_ms: 0,
            pinned: false,
            collected: false,
            cancel_asked: false,
            holder,
        });
    }

    fn found(&self) -> Vec<Anomaly> {
        self.found_in(None)
    }

    fn found_in(&self, of: Option<&str>) -> Vec<Anomaly> {
        let evidence = AnomalyEvidence {
            records: &self.records,
            runs: &self.runs,
            of,
        };
        find_anomalies(evidence, &AnomalyLimits::default())
    }

    /// The one finding; there is no other.
    #[track_caller]
    fn only(&self, kind: Kind) -> Anomaly {
        let found = self.found();
        assert_eq!(
            found.iter().map(|one| one.kind).collect::<Vec<_>>(),
            [kind],
            "{found:#?}"
        );
        found[0].clone()
    }

    #[track_caller]
    fn nothing(&self) {
        assert_eq!(self.found(), []);
    }
}

/// A journal with everything in it, by chance.
fn random(seed: u64) -> Journal {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut journal = Journal::default();
    let runs = ["aaaa", "bbbb", "cccc", "dddd", "eeee", "ffff"];
    for _ in 0..rng.random_range(0..120) {
        let pick = |rng: &mut SmallRng, names: &[&'static str]| {
            // The first of a list far more often than the others.
            names[rng.random_range(0..names.len() * 3) / 3 * rng.random_range(0..2)]
        };
        let code = match rng.random_range(0..4) {
            0 => Some(pick(&mut rng, &["numeric", "policy_denied", "timeout"])),
            _ => None,
        };
        let made = Made {
            run: runs[rng.random_range(0..runs.len())],
            step: pick(&mut rng, &["s", "t", ""]),
            wave: rng.random_range(0..2),
            attempt: rng.random_range(1..5),
            tool: pick(&mut rng, &["fit", "plot", "chain_run"]),
            role: ["operator", "worker_math"][usize::from(rng.random_bool(0.05))],
            ms: [1.0, 20.0, 30.0, 3000.0][rng.random_range(0..4)],
            code,
            cached: rng.random_bool(0.1),
            item: None,
        };
        journal.call(made);
    }
    for run in runs {
        let waves = [rng.random_range(0.0..50_000.0), 5.0];
        journal.plan(
            run,
            rng.random(),
            &waves,
            rng.random_bool(0.3).then_some("why"),
        );
        if rng.random_bool(0.3) {
            journal.run(run, RunState::Running, None);
        }
    }
    journal
}

proptest! {
    #[test]
    fn the_order_of_records_does_not_matter(seed: u64) {
        let journal = random(seed);
        let mut shuffled = journal.clone();
        shuffled.records.shuffle(&mut SmallRng::seed_from_u64(!seed));
        shuffled.runs.reverse();
        prop_assert_eq!(journal.found(), shuffled.found());
    }

    /// What is found in a run, beside how long it took, is a matter of that run alone.
    #[test]
    fn other_runs_do_not_matter(seed: u64) {
        let journal = random(seed);
        for run in ["aaaa", "bbbb"] {
            let mut alone = journal.clone();
            alone.records.retain(|record| record.session == run);
            alone.runs.retain(|one| one.id == run);
            let untimed = |journal: &Journal| {
                let mut found = journal.found_in(Some(run));
                found.retain(|one| !matches!(one.kind, Kind::StalledStep | Kind::StalledWave));
                found
            };
            prop_assert_eq!(untimed(&alone), untimed(&journal));
            for one in journal.found_in(Some(run)) {
                let named = one.location.run.as_deref();
                let whole = matches!(one.kind, Kind::ToolShare | Kind::RoleShare);
                prop_assert!(named == Some(run) || whole, "{:?}", one);
            }
        }
    }

    /// Every finding is above its threshold, or at it where it is the least that counts.
    #[test]
    fn a_finding_is_what_its_numbers_say(seed: u64) {
        for one in random(seed).found() {
            let holds = match one.kind {
                Kind::StalledRun => one.measured < one.threshold,
                Kind::RepeatedFailures | Kind::InstantFailures => one.measured >= one.threshold,
                _ => one.measured > one.threshold,
            };
            prop_assert!(holds, "{:?}", one);
            prop_assert!(!one.message.is_empty() && !one.next.is_empty());
            let data = one.to_value();
            let kind = data.get("kind").and_then(Value::as_str);
            prop_assert_eq!(kind, Some(one.kind.as_str()));
        }
    }
}

#[test]
fn the_journals_by_chance_have_every_kind() {
    let mut kinds: Vec<Kind> = (0..200)
        .flat_map(|seed| random(seed).found())
        .map(|one| one.kind)
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, Kind::ALL);
}

/// Each limit of `[chain.anomalies]`, set to 1 or to a great number, gives other findings of some journal.
#[test]
fn each_limit_of_anomalies_acts() {
    let journals: Vec<Journal> = (0..200).map(random).collect();
    let found = |limits: &AnomalyLimits| -> Vec<Vec<Anomaly>> {
        let of = |journal: &Journal| {
            let evidence = AnomalyEvidence {
                records: &journal.records,
                runs: &journal.runs,
                of: None,
            };
            find_anomalies(evidence, limits)
        };
        journals.iter().map(of).collect()
    };
    let usual = found(&AnomalyLimits::default());
    for key in [
        "calls_least",
        "stall_times",
        "stall_ms",
        "failures_least",
        "failure_percent",
        "instant_ms",
        "instant_least",
        "attempts_per_call",
        "attempts_least",
        "fallback_percent",
        "chains_least",
        "tool_percent",
        "role_percent",
        "share_calls_least",
    ] {
        // Other shares and least numbers are those of the default.
        let differs = |value: u64| {
            let text = format!("version = 1\n[chain.anomalies]\n{key} = {value}\n");
            let config = registry::Config::parse("mathchain.toml", &text).unwrap();
            found(&config.chain.anomalies) != usual
        };
        assert!([1, 60, 100].into_iter().any(differs), "{key}");
    }
}
