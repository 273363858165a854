//! [`TokenBucket`]: how many requests a key may make a second, and how many at a time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tool_core::{Result, tool_error};

/// The requests of one key. It fills at the rate, and holds those of one second.
pub(super) struct TokenBucket {
    rate: f64,
    most: u64,
    at_once: AtomicU64,
    level: Mutex<(f64, Instant)>,
}

/// A request on its way.
pub(super) struct OnItsWay(Arc<TokenBucket>);

impl TokenBucket {
    pub(super) fn new(per_second: u64, at_once: u64) -> Self {
        let rate = per_second as f64;
        Self {
            rate,
            most: at_once,
            at_once: AtomicU64::new(0),
            level: Mutex::new((rate, Instant::now())),
        }
    }

    /// Takes one request from the bucket.
    ///
    /// # Errors
    /// `limit_exceeded` with reason `rate` or `requests_at_once`.
    pub(super) fn take(self: &Arc<Self>, now: Instant) -> Result<OnItsWay> {
        let before = self.at_once.fetch_add(1, Ordering::Relaxed);
        let on_its_way = OnItsWay(Arc::clone(self));
        if before >= self.most {
            let most = self.most;
            return Err(
                tool_error!(LimitExceeded, "requests_at_once"; "the key has {most} requests on their way, the most allowed";
                "wait for answers, or raise `server.requests_at_once`"),
            );
        }
        let mut level = self.level.lock().unwrap_or_else(PoisonError::into_inner);
        let (was, since) = *level;
        let filled = was + now.saturating_duration_since(since).as_secs_f64() * self.rate;
        let filled = filled.min(self.rate);
        if filled < 1.0 {
            *level = (filled, now);
            let rate = self.rate;
            return Err(
                tool_error!(LimitExceeded, "rate"; "the key made more than {rate} requests a second";
                "wait as long as `Retry-After` says, or raise `server.rate_per_second`"),
            );
        }
        *level = (filled - 1.0, now);
        Ok(on_its_way)
    }
}

impl Drop for OnItsWay {
    fn drop(&mut self) {
        self.0.at_once.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_bucket_holds_one_second_and_fills_at_its_rate() {
        let bucket = Arc::new(TokenBucket::new(10, 100));
        let start = Instant::now();
        let taken = |at_ms: u64| bucket.take(start + Duration::from_millis(at_ms)).is_ok();
        assert!((0..10).all(|_| taken(0)));
        assert!(!taken(0) && !taken(99));
        assert!(taken(101) && !taken(101));
        assert!((0..10).all(|_| taken(100_000)));
        assert!(!taken(100_000));
    }

    #[test]
    fn a_request_counts_until_it_is_answered() {
        let bucket = Arc::new(TokenBucket::new(1000, 2));
        let now = Instant::now();
        let first = bucket.take(now).unwrap();
        let _second = bucket.take(now).unwrap();
        let refused = bucket.take(now).err().unwrap();
        assert_eq!(refused.reason_str(), Some("requests_at_once"));
        drop(first);
        assert!(bucket.take(now).is_ok());
    }
}
