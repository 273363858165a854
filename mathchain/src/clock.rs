//! The system clock, and the one timer thread that sets stop flags.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
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
            timer().set(Timeout {
                due,
                stop,
                cleared: Arc::clone(&cleared),
            });
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
    due: Instant,
    stop: StopFlag,
    cleared: Arc<AtomicBool>,
}

impl PartialEq for Timeout {
    fn eq(&self, other: &Self) -> bool {
        self.due == other.due
    }
}

impl Eq for Timeout {}

impl PartialOrd for Timeout {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timeout {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.due.cmp(&other.due)
    }
}

#[derive(Default)]
struct Timer {
    waiting: Mutex<BinaryHeap<Reverse<Timeout>>>,
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
            timer
                .waiting
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clear();
            DEAD.store(true, Ordering::Relaxed);
        }
        timer
    })
}

/// Set when the timer thread could not be started.
static DEAD: AtomicBool = AtomicBool::new(false);

impl Timer {
    fn set(&self, timeout: Timeout) {
        if DEAD.load(Ordering::Relaxed) {
            timeout.stop.time_out();
            return;
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let first = waiting
            .peek()
            .is_none_or(|Reverse(earliest)| timeout.due < earliest.due);
        // Alarms cleared early are dropped when they pile up, so that a long-lived process does not collect them.
        if waiting.len() >= 1024 && waiting.len().is_power_of_two() {
            waiting.retain(|Reverse(timeout)| !timeout.cleared.load(Ordering::Relaxed));
        }
        waiting.push(Reverse(timeout));
        drop(waiting);
        if first {
            self.earlier.notify_one();
        }
    }

    fn run(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let now = Instant::now();
            let wait = match waiting.peek() {
                None => Duration::from_secs(3600),
                Some(Reverse(earliest)) => earliest.due.saturating_duration_since(now),
            };
            if wait.is_zero() {
                if let Some(Reverse(timeout)) = waiting.pop()
                    && !timeout.cleared.load(Ordering::Relaxed)
                {
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
