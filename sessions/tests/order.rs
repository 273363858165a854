//! Waves against the grouping of the earlier system, written down anew.

use std::collections::HashSet;

use sessions::{CallsObserved, Emitted, Event, ObservedCall, PlanCreated};
use tool_core::Value;

use super::{Logged, READY, RUN};

/// How the earlier system saw a call: not to be run beside others, or safe with at most one key.
#[derive(Clone, Copy, Debug)]
enum Hint {
    Unsafe,
    Safe(Option<u8>),
}

/// The groups of the earlier system: one pass in call order.
fn groups(hints: &[Hint]) -> usize {
    let (mut groups, mut open, mut keys) = (0, false, HashSet::new());
    for hint in hints {
        match hint {
            Hint::Unsafe => {
                groups += 1;
                open = false;
                keys.clear();
            }
            Hint::Safe(key) => {
                if key.is_some_and(|key| keys.contains(&key)) {
                    open = false;
                    keys.clear();
                }
                if !open {
                    groups += 1;
                    open = true;
                }
                keys.extend(*key);
            }
        }
    }
    groups
}

/// A call that says what the hint said.
fn call(place: usize, hint: Hint) -> ObservedCall {
    let args = match hint {
        Hint::Safe(Some(key)) => {
            Value::object([("writes", Value::array(vec![Value::from(format!("k{key}"))]))])
        }
        _ => Value::object::<&str, Value>([]),
    };
    ObservedCall {
        call_id: place.to_string(),
        tool: if matches!(hint, Hint::Unsafe) {
            "shell"
        } else {
            "write"
        }
        .to_owned(),
        args,
    }
}

fn plan(logged: &mut Logged, calls: Vec<ObservedCall>) -> PlanCreated {
    let emitted = logged.feed(&Event::from(CallsObserved { calls, turn: None }));
    match emitted.unwrap().swap_remove(0) {
        Emitted::PlanCreated(plan) => plan,
        other => panic!("{}", other.kind()),
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

#[test]
fn waves_are_never_more_than_the_groups_of_the_earlier_system() {
    let mut random = Random(0x2026_1122);
    let (mut better, mut worse) = (0, Vec::new());
    let registry = super::Fake::default();
    let ready = Logged::after(&[READY, RUN]);
    let state = ready.session.state();
    for _ in 0..20_000 {
        let count = 1 + random.below(12);
        let hints: Vec<Hint> = (0..count)
            .map(|_| match random.below(10) {
                0 => Hint::Unsafe,
                1..=7 => Hint::Safe(Some(random.below(5) as u8)),
                _ => Hint::Safe(None),
            })
            .collect();
        let calls = hints
            .iter()
            .enumerate()
            .map(|(place, hint)| call(place, *hint));
        let event = Event::from(CallsObserved {
            calls: calls.collect(),
            turn: None,
        });
        let step = sessions::apply_event(state, &event, &registry).unwrap();
        let Emitted::PlanCreated(plan) = &step.emitted[0] else {
            panic!("no plan");
        };
        check_order(&hints, plan);
        match plan.waves.len().cmp(&groups(&hints)) {
            std::cmp::Ordering::Less => better += 1,
            std::cmp::Ordering::Equal => {}
            std::cmp::Ordering::Greater => worse.push(hints),
        }
    }
    assert!(
        worse.is_empty(),
        "{} are worse, such as {:?}",
        worse.len(),
        worse[0]
    );
    assert!(
        better > 500,
        "only {better} are better: the batches are too tame"
    );
}

/// What conflicts runs in call order, and every call is in one wave.
fn check_order(hints: &[Hint], plan: &PlanCreated) {
    let waves: Vec<usize> = plan.calls.iter().map(|call| call.wave.unwrap()).collect();
    for later in 0..hints.len() {
        for earlier in 0..later {
            let conflict = match (hints[earlier], hints[later]) {
                (Hint::Unsafe, _) | (_, Hint::Unsafe) => true,
                (Hint::Safe(Some(a)), Hint::Safe(Some(b))) => a == b,
                _ => false,
            };
            assert!(!conflict || waves[earlier] < waves[later], "{hints:?}");
        }
    }
    let placed: usize = plan.waves.iter().map(Vec::len).sum();
    assert_eq!(placed, hints.len());
}

#[test]
fn the_worked_examples_have_their_waves() {
    // `r:x` reads x, `w:x` writes it, `s` runs alone, `?` is no tool.
    for (calls, expected) in [
        ("r:a r:b r:c", "0 1 2"),
        ("w:a w:a", "0|1"),
        ("w:a w:b", "0 1"),
        ("w:a r:b w:a r:c", "0 1 3|2"),
        ("w:a r:a", "0|1"),
        ("r:a s r:a", "0|1|2"),
        ("s s", "0|1"),
        ("w:d/f r:d", "0|1"),
        ("? r:a", "1"),
        ("w:a ? w:a", "0|2"),
        ("?", ""),
    ] {
        let mut logged = Logged::after(&[READY, RUN]);
        let words = calls.split(' ').enumerate().map(|(place, word)| {
            let (tool, key) = match word.split_once(':') {
                Some(("r", _)) => ("read", "reads"),
                Some(_) => ("write", "writes"),
                None if word == "s" => ("shell", ""),
                None => ("nope", ""),
            };
            let name = word.split_once(':').map(|(_, name)| Value::from(name));
            let members = name.map(|name| (key, Value::array(vec![name])));
            ObservedCall {
                call_id: place.to_string(),
                tool: tool.to_owned(),
                args: Value::object(members),
            }
        });
        let plan = plan(&mut logged, words.collect());
        let waves: Vec<String> = plan.waves.iter().map(|wave| wave.join(" ")).collect();
        assert_eq!(waves.join("|"), expected, "{calls}");
    }
    assert_eq!(
        groups(&[
            Hint::Safe(Some(1)),
            Hint::Safe(None),
            Hint::Safe(Some(1)),
            Hint::Safe(None)
        ]),
        2
    );
    assert_eq!(
        groups(&[Hint::Safe(None), Hint::Unsafe, Hint::Safe(None)]),
        3
    );
}
