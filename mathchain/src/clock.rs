//! The system clock, and the one timer thread that sets stop flags.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tool_core::StopFlag;
use tool_core::capability::{Clock, ClockAlarm};

/// Wall and monotonic time of this machine.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    fn unix_ms(&self) -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_millis() as u64)
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }

    fn alarm(&self, after: Duration, stop: StopFlag) -> Box<dyn ClockAlarm> {
        let cleared = Arc::new(AtomicBool::new(false));
        // A deadline beyond the clock's range never fires.
        if let Some(due) = Instant::now().checked_add(after) {
            let cleared = Arc::clone(&cleared);
            shared_timer().set(due, AlarmTimeout { stop, cleared });
        }
        Box::new(AlarmGuard { cleared })
    }
}

struct AlarmGuard {
    cleared: Arc<AtomicBool>,
}

impl ClockAlarm for AlarmGuard {}

impl Drop for AlarmGuard {
    fn drop(&mut self) {
        self.cleared.store(true, Ordering::Relaxed);
    }
}

struct AlarmTimeout {
    stop: StopFlag,
    cleared: Arc<AtomicBool>,
}

/// The alarms of this process, and who waits for them: a thread of its own from the first one on, or meanwhile a thread that has nothing
/// else to do ([`keep_deadlines`]).
#[derive(Default)]
struct AlarmTimer {
    waiting: Mutex<AlarmQueue>,
    earlier: Condvar,
}

/// Alarms by the time at which they are due and their number.
#[derive(Default)]
struct AlarmQueue {
    alarms: BTreeMap<(Instant, u64), AlarmTimeout>,
    /// Whether a thread waits for them.
    kept: bool,
    /// Set when no thread could be started for them.
    dead: bool,
}

fn shared_timer() -> &'static AlarmTimer {
    static TIMER: OnceLock<AlarmTimer> = OnceLock::new();
    TIMER.get_or_init(AlarmTimer::default)
}

/// Makes this thread wait for the alarms of this process once it calls [`AlarmDuty::until_the_end`], until the [`AlarmDutyEnd`] is dropped by the
/// thread whose work it waits for. Where another thread waits for them already, this one only waits for the end of the work.
pub fn keep_deadlines() -> (AlarmDuty, AlarmDutyEnd) {
    let mut waiting = shared_timer().lock();
    let ended = Arc::new(AtomicBool::new(false));
    let deadlines = AlarmDuty {
        keeps: !std::mem::replace(&mut waiting.kept, true),
        ended: Arc::clone(&ended),
    };
    (deadlines, AlarmDutyEnd(ended))
}

/// The duty of a thread to wait for alarms.
pub struct AlarmDuty {
    keeps: bool,
    ended: Arc<AtomicBool>,
}

/// Ends the duty when it is dropped.
pub struct AlarmDutyEnd(Arc<AtomicBool>);

impl Drop for AlarmDutyEnd {
    fn drop(&mut self) {
        let timer = shared_timer();
        let waiting = timer.lock();
        self.0.store(true, Ordering::Relaxed);
        drop(waiting);
        timer.earlier.notify_all();
    }
}

impl AlarmDuty {
    /// Sets the flags of alarms that are due, until the work ends.
    pub fn until_the_end(&mut self) {
        if self.keeps {
            shared_timer().run(Some(&self.ended));
        }
    }
}

impl Drop for AlarmDuty {
    fn drop(&mut self) {
        if self.keeps {
            let mut waiting = shared_timer().lock();
            waiting.kept = false;
            waiting.alarms.retain(|_, timeout| !timeout.is_cleared());
            if !waiting.alarms.is_empty() {
                shared_timer().start(&mut waiting);
            }
        }
    }
}

impl AlarmTimeout {
    fn is_cleared(&self) -> bool {
        self.cleared.load(Ordering::Relaxed)
    }
}

impl AlarmTimer {
    fn lock(&self) -> MutexGuard<'_, AlarmQueue> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the thread that waits for alarms.
    fn start(&'static self, waiting: &mut AlarmQueue) {
        let spawned = std::thread::Builder::new()
            .name("timer".to_owned())
            .stack_size(128 << 10)
            .spawn(|| self.run(None));
        waiting.kept = spawned.is_ok();
        if spawned.is_err() {
            // Without a timer no deadline could be enforced: every alarm fires at once instead.
            waiting.dead = true;
            let alarms = std::mem::take(&mut waiting.alarms);
            alarms.into_values().for_each(|timeout| {
                if !timeout.is_cleared() {
                    timeout.stop.time_out();
                }
            });
        }
    }

    fn set(&'static self, due: Instant, timeout: AlarmTimeout) {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let mut waiting = self.lock();
        if waiting.dead {
            timeout.stop.time_out();
            return;
        }
        // Alarms cleared early are dropped when they pile up, so that a long-lived process does not collect them.
        let alarms = &mut waiting.alarms;
        if alarms.len() >= 1024 && alarms.len().is_power_of_two() {
            alarms.retain(|_, timeout| !timeout.is_cleared());
        }
        let key = (due, NUMBER.fetch_add(1, Ordering::Relaxed));
        alarms.insert(key, timeout);
        if alarms.keys().next() == Some(&key) {
            self.earlier.notify_one();
        }
        if !waiting.kept {
            self.start(&mut waiting);
        }
    }

    /// Sets the flags of alarms that are due; for ever, or until something has ended.
    fn run(&self, ended: Option<&AtomicBool>) {
        let mut waiting = self.lock();
        while !ended.is_some_and(|ended| ended.load(Ordering::Relaxed)) {
            let earliest = waiting.alarms.first_entry();
            let wait = earliest
                .as_ref()
                .map_or(Duration::from_secs(3600), |first| {
                    first.key().0.saturating_duration_since(Instant::now())
                });
            if let (true, Some(first)) = (wait.is_zero(), earliest) {
                let timeout = first.remove();
                if !timeout.is_cleared() {
                    timeout.stop.time_out();
                }
                continue;
            }
            waiting = self
                .earlier
                .wait_timeout(waiting, wait)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alarms_go_off_in_order_and_can_be_cleared() {
        let clock = SystemClock::default();
        let (early, late, cleared) = (StopFlag::new(), StopFlag::new(), StopFlag::new());
        let _late = clock.alarm(Duration::from_secs(3600), late.clone());
        // Time enough to clear it on a busy machine, and less than the one that is waited for.
        drop(clock.alarm(Duration::from_millis(300), cleared.clone()));
        let _early = clock.alarm(Duration::from_millis(320), early.clone());
        while !early.is_set() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(!late.is_set() && !cleared.is_set());
        let _never = clock.alarm(Duration::MAX, late.clone());
        assert!(!late.is_set());
    }

    #[test]
    fn a_thread_that_waits_for_work_keeps_its_deadlines_and_leaves_the_others() {
        let clock = SystemClock::default();
        let (early, late) = (StopFlag::new(), StopFlag::new());
        let (mut deadlines, end) = keep_deadlines();
        std::thread::scope(|scope| {
            let (seen, later) = (early.clone(), late.clone());
            let work = scope.spawn(move || {
                let _end = end;
                let _early = clock.alarm(Duration::from_millis(5), seen.clone());
                let kept = clock.alarm(Duration::from_millis(100), later);
                while !seen.is_set() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                kept
            });
            deadlines.until_the_end();
            let kept = work.join().expect("no panic");
            drop(deadlines);
            while !late.is_set() {
                std::thread::sleep(Duration::from_millis(1));
            }
            drop(kept);
        });
        assert!(early.is_set());
    }
}
