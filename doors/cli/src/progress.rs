//! The display of work on a terminal: one status line with the elapsed time, redrawn, and a line for each completed step of a run.
//!
//! Nothing is redrawn where stderr is not a terminal, or with `TERM=dumb`. Names and words of tools are made safe before they are
//! drawn: the escape sequences on the screen are those of this module alone.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chain_runtime::run::{StepOutcome, StepStatus};
use chain_runtime::{CheckedStep, StepObserver};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tool_core::ctx::Progress;

use super::output::write_stderr;
use super::{human, output};
use mathchain::environment;

/// A call that takes less time draws nothing.
const SHOW_AFTER: Duration = Duration::from_millis(400);
/// Time between two drawings.
const TICK: Duration = Duration::from_millis(100);

/// Whether something may be drawn on stderr.
pub(super) fn is_drawn() -> bool {
    std::io::stderr().is_terminal() && !environment::is_dumb() && !output::is_quiet()
}

/// A status line that is not drawn yet; the elapsed time counts from now.
fn status_line() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    let style = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed:>3}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

/// The status line on the screen.
static DRAWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

fn lock_drawn_bar() -> MutexGuard<'static, Option<ProgressBar>> {
    DRAWN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn draw_bar(bar: &ProgressBar) {
    *lock_drawn_bar() = Some(bar.clone());
    bar.set_draw_target(ProgressDrawTarget::stderr());
    bar.enable_steady_tick(TICK);
}

/// Erases the status line.
fn erase_bar(bar: &ProgressBar) {
    *lock_drawn_bar() = None;
    bar.finish_and_clear();
}

/// Prints a line on stderr above the status line, where there is one.
pub(super) fn print_above_bar(line: &str) {
    let bar = lock_drawn_bar().clone();
    match bar {
        Some(bar) => bar.suspend(|| write_stderr(line)),
        None => write_stderr(line),
    }
}

/// Erases the status line of a process that ends at once.
pub(super) fn clear_status_line() {
    let bar = lock_drawn_bar().take();
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

/// `name`, the fraction done, and what the tool says, in one line.
fn status_text(name: &str, fraction: Option<f64>, words: &str) -> String {
    let fraction = fraction.map(|fraction| format!(" {:.0}%", fraction.clamp(0.0, 1.0) * 100.0));
    let words = match words {
        "" => Cow::Borrowed(""),
        words => Cow::Owned(format!(": {}", words.replace(['\n', '\t'], " "))),
    };
    let text = format!("{name}{}{words}", fraction.unwrap_or_default());
    human::replace_controls(&text).into_owned()
}

/// Makes a call of the tool `name`; on a terminal, a call that takes longer shows the elapsed time and what it does.
pub(super) fn around_call<T>(name: &str, call: impl FnOnce(Option<Arc<Progress>>) -> T) -> T {
    if !is_drawn() {
        return call(None);
    }
    let bar = status_line().with_message(status_text(name, None, ""));
    let (ended, waiting) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let (shown, told, named) = (bar.clone(), bar.clone(), name.to_owned());
        let told =
            move |fraction, words: &str| told.set_message(status_text(&named, fraction, words));
        scope.spawn(move || {
            if waiting.recv_timeout(SHOW_AFTER) == Err(RecvTimeoutError::Timeout) {
                draw_bar(&shown);
                // The line goes when the call has ended, not before it was drawn.
                let _ = waiting.recv();
                erase_bar(&shown);
            }
        });
        let answer = call(Some(Arc::new(told)));
        drop(ended);
        answer
    })
}

/// Runs a plan; on a terminal its steps are displayed as they run.
pub(super) fn with_display<T>(run: impl FnOnce(Option<Arc<dyn StepObserver>>) -> T) -> T {
    let display = ProgressDisplay::start().map(Arc::new);
    let result = run(display.clone().map(|display| display as _));
    if let Some(display) = display {
        display.clear();
    }
    result
}

/// The display of one run.
struct ProgressDisplay {
    bar: ProgressBar,
    running: Mutex<RunningSteps>,
}

#[derive(Default)]
struct RunningSteps {
    /// Running steps by position: id, fraction done, and what the tool says.
    steps: BTreeMap<usize, (String, Option<f64>, String)>,
    ended: usize,
}

impl ProgressDisplay {
    /// The display of a run that begins; `None` if stderr is not a terminal, or with `--quiet`.
    fn start() -> Option<Self> {
        let is_shown = std::io::stderr().is_terminal() && !output::is_quiet();
        is_shown.then(|| {
            let bar = status_line();
            if is_drawn() {
                draw_bar(&bar);
            }
            let running = Mutex::default();
            Self { bar, running }
        })
    }

    /// Erases the status line.
    fn clear(&self) {
        erase_bar(&self.bar);
    }

    fn change(&self, change: impl FnOnce(&mut RunningSteps)) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut running);
        let words = running.steps.len() == 1;
        let name = |(id, fraction, said): &(String, Option<f64>, String)| {
            status_text(id, *fraction, if words { said } else { "" })
        };
        let names: Vec<String> = running.steps.values().map(name).collect();
        let (ended, names) = (running.ended, names.join(", "));
        self.bar
            .set_message(format!("{ended} done, running: {names}"));
    }
}

impl StepObserver for ProgressDisplay {
    fn started(&self, step: &CheckedStep, position: usize, _wave: usize) {
        let shown = (step.id.to_string(), None, String::new());
        self.change(|running| drop(running.steps.insert(position, shown)));
    }

    fn progress(&self, position: usize, fraction: Option<f64>, words: &str) {
        self.change(|running| {
            if let Some((_, shown, said)) = running.steps.get_mut(&position) {
                *shown = fraction.or(*shown);
                words.clone_into(said);
            }
        });
    }

    fn finished(&self, step: &CheckedStep, position: usize, end: &StepOutcome) {
        let (mark, colour) = match end.status {
            StepStatus::Done => ("ok", "\u{1b}[32m"),
            StepStatus::Failed | StepStatus::Denied => ("failed", "\u{1b}[31m"),
            _ => ("-", "\u{1b}[33m"),
        };
        let (on, off) = match environment::colour_wanted() {
            true => (colour, "\u{1b}[0m"),
            false => ("", ""),
        };
        let elapsed = end.ended.saturating_sub(end.began).as_secs_f64() * 1e3;
        let (id, tool) = (
            human::replace_controls(&step.id),
            human::replace_controls(step.tool),
        );
        let rest = format!("{id:24} {tool:24} {elapsed:8.1} ms");
        match is_drawn() {
            true => self.bar.println(format!("  {on}{mark:6}{off} {rest}")),
            false => write_stderr(&format!("  {mark:6} {rest}\n")),
        }
        self.change(|running| {
            running.steps.remove(&position);
            running.ended += 1;
        });
    }
}
