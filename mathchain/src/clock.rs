//! The system clock, and the one timer thread that sets stop flags.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tool_core::StopFlag;
use tool_core::capability::{Alarm, Clock};

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

    fn alarm(&self, after: Duration, stop: StopFlag) -> Box<dyn Alarm> {
        let cleared = Arc::new(AtomicBool::new(false));
        // A deadline beyond the clock's range never fires.
        if let Some(due) = Instant::now().checked_add(after) {
            let cleared = Arc::clone(&cleared);
            timer().set(due, Timeout { stop, cleared });
        }
        Box::new(Set { cleared })
    }
}

struct Set {
    cleared: Arc<AtomicBool>,
}

impl Alarm for Set {}

impl Drop for Set {
    fn drop(&mut self) {
        self.cleared.store(true, Ordering::Relaxed);
    }
}

struct Timeout {
    stop: StopFlag,
    cleared: Arc<AtomicBool>,
}

/// Alarms by the time at which they are due and their number.
#[derive(Default)]
struct Timer {
    waiting: Mutex<BTreeMap<(Instant, u64), Timeout>>,
    earlier: Condvar,
}

fn timer() -> &'static Arc<Timer> {
    static TIMER: OnceLock<Arc<Timer>> = OnceLock::new();
    TIMER.get_or_init(|| {
        let timer = Arc::new(Timer::default());
        let thread = Arc::clone(&timer);
        let spawned = std::thread::Builder::new()
            .name("timer".to_owned())
            .stack_size(128 << 10)
            .spawn(move || thread.run());
        if spawned.is_err() {
            // Without a timer no deadline could be enforced: every alarm fires at once instead.
            timer.lock().clear();
            DEAD.store(true, Ordering::Relaxed);
        }
        timer
    })
}

/// Set when the timer thread could not be started.
static DEAD: AtomicBool = AtomicBool::new(false);

impl Timer {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<(Instant, u64), Timeout>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, due: Instant, timeout: Timeout) {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        if DEAD.load(Ordering::Relaxed) {
            timeout.stop.time_out();
            return;
        }
        let mut waiting = self.lock();
        // Alarms cleared early are dropped when they pile up, so that a long-lived process does not collect them.
        if waiting.len() >= 1024 && waiting.len().is_power_of_two() {
            waiting.retain(|_, timeout| !timeout.cleared.load(Ordering::Relaxed));
        }
        let key = (due, NUMBER.fetch_add(1, Ordering::Relaxed));
        waiting.insert(key, timeout);
        if waiting.keys().next() == Some(&key) {
            self.earlier.notify_one();
        }
    }

    fn run(&self) {
        let mut waiting = self.lock();
        loop {
            let earliest = waiting.first_entry();
            let wait = earliest
                .as_ref()
                .map_or(Duration::from_secs(3600), |first| {
                    first.key().0.saturating_duration_since(Instant::now())
                });
            if let (true, Some(first)) = (wait.is_zero(), earliest) {
                let timeout = first.remove();
                if !timeout.cleared.load(Ordering::Relaxed) {
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
        drop(clock.alarm(Duration::from_millis(1), cleared.clone()));
        let _early = clock.alarm(Duration::from_millis(20), early.clone());
        while !early.is_set() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(!late.is_set() && !cleared.is_set());
        let _never = clock.alarm(Duration::MAX, late.clone());
        assert!(!late.is_set());
    }
}
