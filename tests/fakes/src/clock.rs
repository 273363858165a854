//! The one clock of the tests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak, mpsc};
use std::time::{Duration, Instant};

use tool_core::StopFlag;
use tool_core::capability::{Clock, ClockAlarm};

/// Alarms further away than this are not set on a running clock: no test waits for them.
const FARTHEST_ALARM: Duration = Duration::from_secs(20);

/// A clock that stands still, advances with every look, or runs.
///
/// The date is the one that the test sets in every case. A clock that stands still rings the alarms that [`TestClock::advance`] passes.
pub struct TestClock {
    unix_ms: AtomicU64,
    elapsed: Mutex<Duration>,
    per_look: Duration,
    started: Option<Instant>,
    alarms: Mutex<Vec<(Duration, Weak<()>, StopFlag)>>,
}

impl TestClock {
    /// A clock that stands still at this date, in milliseconds since 1970.
    #[must_use]
    pub fn at(unix_ms: u64) -> Arc<Self> {
        Arc::new(Self::new(unix_ms, Duration::ZERO, None))
    }

    /// A clock whose monotonic time advances by this much with every look.
    #[must_use]
    pub fn ticking(unix_ms: u64, per_look: Duration) -> Arc<Self> {
        Arc::new(Self::new(unix_ms, per_look, None))
    }

    /// A clock whose monotonic time and alarms are real.
    #[must_use]
    pub fn running(unix_ms: u64) -> Arc<Self> {
        Arc::new(Self::new(unix_ms, Duration::ZERO, Some(Instant::now())))
    }

    fn new(unix_ms: u64, per_look: Duration, started: Option<Instant>) -> Self {
        Self {
            unix_ms: AtomicU64::new(unix_ms),
            elapsed: Mutex::default(),
            per_look,
            started,
            alarms: Mutex::default(),
        }
    }

    /// Sets the date alone.
    pub fn set(&self, unix_ms: u64) {
        self.unix_ms.store(unix_ms, Ordering::Relaxed);
    }

    /// Moves the date and the monotonic time of a clock that stands still.
    pub fn advance(&self, ms: u64) {
        self.unix_ms.fetch_add(ms, Ordering::Relaxed);
        self.pass(Duration::from_millis(ms));
    }

    fn pass(&self, time: Duration) -> Duration {
        let mut elapsed = self.elapsed.lock().unwrap();
        let before = *elapsed;
        *elapsed += time;
        let mut alarms = self.alarms.lock().unwrap();
        alarms.retain(|(due, set, stop)| {
            let is_set = set.strong_count() > 0;
            if is_set && *due <= *elapsed {
                stop.time_out();
            }
            is_set && *due > *elapsed
        });
        before
    }
}

impl Clock for TestClock {
    fn unix_ms(&self) -> u64 {
        self.unix_ms.load(Ordering::Relaxed)
    }

    fn monotonic(&self) -> Duration {
        match self.started {
            Some(started) => started.elapsed(),
            None => self.pass(self.per_look),
        }
    }

    fn alarm(&self, after: Duration, stop: StopFlag) -> Box<dyn ClockAlarm> {
        if self.started.is_some() {
            return Box::new(real_alarm(after, stop));
        }
        let set = Arc::new(());
        let due = *self.elapsed.lock().unwrap() + after;
        self.alarms
            .lock()
            .unwrap()
            .push((due, Arc::downgrade(&set), stop));
        // One that the next look would pass rings at once: a tool may never look.
        if after <= self.per_look {
            self.pass(after);
        }
        Box::new(Set {
            _virtual: Some(set),
            _real: None,
        })
    }
}

/// An alarm until it is dropped.
struct Set {
    _virtual: Option<Arc<()>>,
    _real: Option<mpsc::Sender<()>>,
}

impl ClockAlarm for Set {}

fn real_alarm(after: Duration, stop: StopFlag) -> Set {
    let (sender, receiver) = mpsc::channel();
    if after <= FARTHEST_ALARM {
        std::thread::spawn(move || {
            if receiver.recv_timeout(after) == Err(mpsc::RecvTimeoutError::Timeout) {
                stop.time_out();
            }
        });
    }
    Set {
        _virtual: None,
        _real: Some(sender),
    }
}
