//! [`ConnectionSlots`]: the connections of the server, and which of them makes room for a new client.
//!
//! Clients that have shown a key have places that no others take. Where no place is free, the connection whose client has sent nothing for
//! longest is closed, or one whose client does not read; those without a key first.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Connections at a time.
const ALL_MAX: usize = 512;
/// Connections at a time that have shown no key.
const WITHOUT_KEY_MAX: usize = 384;
/// Time after which a client that does not read makes room.
const STALLED: Duration = Duration::from_secs(2);

/// The connections that are open, by their number.
#[derive(Default)]
pub(super) struct ConnectionSlots {
    open: Mutex<OpenConnections>,
    /// Tells that a place may be free.
    freed: Notify,
}

#[derive(Default)]
struct OpenConnections {
    next: u64,
    places: BTreeMap<u64, Arc<HttpConnection>>,
}

/// One connection.
pub(super) struct HttpConnection {
    pub(super) address: IpAddr,
    /// Port of its client, once it is accepted.
    pub(super) port: OnceLock<u16>,
    /// Whether its client is a program of another user of this machine, once that was asked.
    pub(super) is_foreign: OnceLock<bool>,
    begun: Instant,
    /// Milliseconds from the beginning to the last request or answer.
    active: AtomicU64,
    /// Milliseconds from the beginning to the first byte that its client does not read; 0 while it reads.
    stalled: AtomicU64,
    /// Requests that are not answered in full.
    requests: AtomicUsize,
    has_key: AtomicBool,
    /// Closes it.
    pub(super) closing: CancellationToken,
}

/// A connection that is open for as long as this lives.
pub(super) struct ConnectionGuard {
    places: Arc<ConnectionSlots>,
    number: u64,
    pub(super) place: Arc<HttpConnection>,
}

/// A request that is not answered in full while this lives.
pub(super) struct BusyGuard(Arc<HttpConnection>);

impl ConnectionSlots {
    /// Takes a place for a client, when there is one.
    pub(super) async fn take(self: &Arc<Self>, address: IpAddr) -> ConnectionGuard {
        loop {
            let freed = self.freed.notified();
            if let Some(taken) = self.take_now(address) {
                return taken;
            }
            tokio::select! {
                () = freed => {}
                // A client may stop to read meanwhile.
                () = tokio::time::sleep(STALLED / 4) => {}
            }
        }
    }

    /// Takes a place; `None` where a connection first has to close.
    fn take_now(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionGuard> {
        let mut open = self.open();
        let without_key = open
            .places
            .values()
            .filter(|place| !place.has_key())
            .count();
        let is_full = open.places.len() >= ALL_MAX;
        if is_full || without_key >= WITHOUT_KEY_MAX {
            let victim = open.victim(is_full);
            drop(open);
            if let Some(victim) = victim {
                victim.closing.cancel();
            }
            return None;
        }
        let number = open.next;
        open.next += 1;
        let place = Arc::new(HttpConnection::new(address));
        open.places.insert(number, Arc::clone(&place));
        Some(ConnectionGuard {
            places: Arc::clone(self),
            number,
            place,
        })
    }

    fn open(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenConnections {
    /// The connection that makes room: one without a key, unless all places are taken and each has shown one.
    fn victim(&self, is_full: bool) -> Option<Arc<HttpConnection>> {
        let of = |has_key: bool| {
            let all = self.places.values();
            let own =
                all.filter(|place| place.has_key() == has_key && !place.closing.is_cancelled());
            let spare = own.filter(|place| place.is_spare());
            spare.min_by_key(|place| place.last_active())
        };
        of(false)
            .or_else(|| is_full.then(|| of(true)).flatten())
            .cloned()
    }
}

impl HttpConnection {
    pub(super) fn new(address: IpAddr) -> Self {
        Self {
            address,
            port: OnceLock::new(),
            is_foreign: OnceLock::new(),
            begun: Instant::now(),
            active: AtomicU64::new(0),
            stalled: AtomicU64::new(0),
            requests: AtomicUsize::new(0),
            has_key: AtomicBool::new(false),
            closing: CancellationToken::new(),
        }
    }

    /// Notes that its client has shown a key.
    pub(super) fn show_key(&self) {
        self.has_key.store(true, Ordering::Relaxed);
    }

    /// Notes a request, which is answered in full when the result is dropped.
    pub(super) fn busy(self: &Arc<Self>) -> BusyGuard {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.note_activity();
        BusyGuard(Arc::clone(self))
    }

    /// Notes whether its client reads what is written.
    pub(super) fn note_reading(&self, reads: bool) {
        let stalled = if reads { 0 } else { self.now().max(1) };
        let was = self.stalled.load(Ordering::Relaxed);
        if reads || was == 0 {
            self.stalled.store(stalled, Ordering::Relaxed);
        }
    }

    fn note_activity(&self) {
        self.active.store(self.now(), Ordering::Relaxed);
    }

    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn has_key(&self) -> bool {
        self.has_key.load(Ordering::Relaxed)
    }

    fn last_active(&self) -> Instant {
        self.begun + Duration::from_millis(self.active.load(Ordering::Relaxed))
    }

    /// Whether it may be closed for a new client: it has nothing to answer, or its client has not read for a while.
    fn is_spare(&self) -> bool {
        match self.stalled.load(Ordering::Relaxed) {
            0 => self.requests.load(Ordering::Relaxed) == 0,
            since => self.now().saturating_sub(since) >= STALLED.as_millis() as u64,
        }
    }
}

impl Drop for BusyGuard {
    fn drop(&mut self) {
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
        self.0.note_activity();
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.places.open().places.remove(&self.number);
        self.places.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    #[test]
    fn the_connection_that_is_idle_for_longest_makes_room() {
        let places = Arc::new(ConnectionSlots::default());
        let taken: Vec<ConnectionGuard> = (0..WITHOUT_KEY_MAX)
            .filter_map(|_| places.take_now(ADDRESS))
            .collect();
        assert_eq!(taken.len(), WITHOUT_KEY_MAX);
        let active = |index: usize, at: u64| taken[index].place.active.store(at, Ordering::Relaxed);
        (0..taken.len()).for_each(|index| active(index, 100_000));
        let _busy = taken[7].place.busy();
        active(7, 0);
        active(9, 50);
        assert!(places.take_now(ADDRESS).is_none());
        let closing: Vec<usize> = (0..taken.len())
            .filter(|index| taken[*index].place.closing.is_cancelled())
            .collect();
        assert_eq!(closing, [9]);
        drop(taken);
        assert!(places.take_now(ADDRESS).is_some());
    }

    #[test]
    fn clients_with_a_key_keep_their_places_and_have_more() {
        let places = Arc::new(ConnectionSlots::default());
        let take = |has_key: bool| {
            let taken = places.take_now(ADDRESS)?;
            if has_key {
                taken.place.show_key();
            }
            Some(taken)
        };
        let with: Vec<_> = (0..ALL_MAX).filter_map(|_| take(true)).collect();
        assert_eq!(with.len(), ALL_MAX);
        assert!(take(false).is_none());
        let closing = |taken: &[ConnectionGuard]| {
            taken
                .iter()
                .filter(|one| one.place.closing.is_cancelled())
                .count()
        };
        assert_eq!(closing(&with), 1, "all have one: the oldest makes room");
        drop(with);
        let _without: Vec<_> = (0..WITHOUT_KEY_MAX).filter_map(|_| take(false)).collect();
        let busy: Vec<_> = _without.iter().map(|taken| taken.place.busy()).collect();
        assert!(take(true).is_none());
        assert_eq!(closing(&_without), 0);
        _without[3].place.stalled.store(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(2));
        assert!(take(true).is_none());
        let stalled = &_without[3].place;
        assert!(!stalled.closing.is_cancelled(), "for a short time only");
        drop(busy);
    }
}
