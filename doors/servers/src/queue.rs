//! [`CallQueue`]: how many calls run, and how many wait, fairly by owner.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tool_core::{Result, tool_error};

/// Calls that may wait for a thread; a sender of more is told so.
const WAITING_MAX: usize = 4096;
/// Calls of an owner that may wait although others fill the queue.
const WAITING_SHARE: usize = 64;
/// Threads from which on one is left to others where several owners call.
const SHARED_LEAST: usize = 4;

/// The bounded queue of the calls of a server, as one owner sees it: a key, an address, or the one client. Owners take turns.
#[derive(Clone)]
pub struct CallQueue {
    shared: Arc<SharedQueue>,
    owner: Arc<str>,
}

struct SharedQueue {
    workers: usize,
    state: Mutex<QueueState>,
}

#[derive(Default)]
struct QueueState {
    running: usize,
    waiting: usize,
    /// Number of the next call that waits.
    next: u64,
    owners: HashMap<Arc<str>, QueueOwner>,
    /// Owners with calls that wait, in the order of their turns.
    turns: VecDeque<Arc<str>>,
    /// The first owner, until another calls.
    first: Option<Arc<str>>,
    /// Whether more than one owner has called.
    is_shared: bool,
}

#[derive(Default)]
struct QueueOwner {
    running: usize,
    /// Calls that wait, by their number.
    waiting: BTreeMap<u64, oneshot::Sender<()>>,
}

/// A call that runs for as long as this lives.
pub struct QueuePermit(CallQueue);

impl CallQueue {
    /// A queue for as many calls at a time.
    pub fn new(workers: usize) -> Self {
        Self {
            shared: Arc::new(SharedQueue {
                workers,
                state: Mutex::default(),
            }),
            owner: "".into(),
        }
    }

    /// The same queue for another owner.
    pub fn of(&self, owner: &str) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            owner: owner.into(),
        }
    }

    /// Waits until a call may run; it runs as long as the permit lives.
    ///
    /// # Errors
    /// `limit_exceeded` with reason `overloaded` where too many wait.
    pub async fn enter(&self) -> Result<QueuePermit> {
        let (turn, number) = {
            let mut state = self.state();
            state.meet(&self.owner);
            if state.may_run(&self.owner, self.shared.workers) {
                state.run(&self.owner);
                return Ok(QueuePermit(self.clone()));
            }
            let own = state
                .owners
                .get(&self.owner)
                .map_or(0, |owner| owner.waiting.len());
            if state.waiting >= WAITING_MAX && own >= WAITING_SHARE {
                return Err(
                    tool_error!(LimitExceeded, "overloaded"; "{} calls are waiting", state.waiting;
                    "send fewer calls at a time, or repeat this one later"),
                );
            }
            state.wait(&self.owner)
        };
        let mut waiting = QueuedCall {
            queue: self,
            number,
            turn,
            is_over: false,
        };
        // The sender is dropped with the call alone, which waits here.
        let _ = (&mut waiting.turn).await;
        waiting.is_over = true;
        Ok(QueuePermit(self.clone()))
    }

    /// Calls that run.
    pub fn running(&self) -> usize {
        self.state().running
    }

    /// Calls that wait.
    pub fn waiting(&self) -> usize {
        self.state().waiting
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        let state = self.shared.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    /// Learns whether several owners call.
    fn meet(&mut self, owner: &Arc<str>) {
        match &self.first {
            None => self.first = Some(Arc::clone(owner)),
            Some(first) => self.is_shared |= first != owner,
        }
    }

    /// Whether a thread is free for an owner. The last one is for an owner without any.
    fn may_run(&self, owner: &Arc<str>, workers: usize) -> bool {
        let free = workers.saturating_sub(self.running);
        let has_one = self
            .owners
            .get(owner)
            .is_some_and(|owner| owner.running > 0);
        let is_kept = self.is_shared && workers >= SHARED_LEAST && has_one;
        free > usize::from(is_kept)
    }

    fn run(&mut self, owner: &Arc<str>) {
        self.running += 1;
        self.owners.entry(Arc::clone(owner)).or_default().running += 1;
    }

    fn wait(&mut self, owner: &Arc<str>) -> (oneshot::Receiver<()>, u64) {
        let (sender, receiver) = oneshot::channel();
        let number = self.next;
        self.next += 1;
        self.waiting += 1;
        let waiting = &mut self.owners.entry(Arc::clone(owner)).or_default().waiting;
        if waiting.is_empty() {
            self.turns.push_back(Arc::clone(owner));
        }
        waiting.insert(number, sender);
        (receiver, number)
    }

    /// Begins calls that wait, in turns, as long as threads are free.
    fn go_on(&mut self, workers: usize) {
        let mut passed = 0;
        while passed < self.turns.len() {
            let Some(owner) = self.turns.pop_front() else {
                return;
            };
            if !self.may_run(&owner, workers) {
                self.turns.push_back(owner);
                passed += 1;
                continue;
            }
            passed = 0;
            let waiting = self.owners.get_mut(&owner).map(|owner| &mut owner.waiting);
            let Some((_, turn)) = waiting.and_then(BTreeMap::pop_first) else {
                continue;
            };
            self.waiting -= 1;
            self.run(&owner);
            // One whose client left gives its permit back itself.
            let _ = turn.send(());
            let still = self
                .owners
                .get(&owner)
                .map(|owner| !owner.waiting.is_empty());
            if still == Some(true) {
                self.turns.push_back(owner);
            }
        }
    }

    fn end(&mut self, owner: &Arc<str>, workers: usize) {
        self.running -= 1;
        if let Some(of) = self.owners.get_mut(owner) {
            of.running -= 1;
            self.forget(owner);
        }
        self.go_on(workers);
    }

    /// Forgets an owner without calls.
    fn forget(&mut self, owner: &Arc<str>) {
        let is_idle = |owner: &QueueOwner| owner.running == 0 && owner.waiting.is_empty();
        if self.owners.get(owner).is_some_and(is_idle) {
            self.owners.remove(owner);
            self.turns.retain(|waiting| waiting != owner);
        }
    }
}

impl Drop for QueuePermit {
    fn drop(&mut self) {
        let workers = self.0.shared.workers;
        self.0.state().end(&self.0.owner, workers);
    }
}

/// A call that waits; it is counted until it runs, or its client goes away.
struct QueuedCall<'a> {
    queue: &'a CallQueue,
    number: u64,
    turn: oneshot::Receiver<()>,
    /// Whether it runs.
    is_over: bool,
}

impl Drop for QueuedCall<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let mut state = self.queue.state();
        let owner = &self.queue.owner;
        let waiting = state.owners.get_mut(owner).map(|owner| &mut owner.waiting);
        let removed = waiting.and_then(|waiting| waiting.remove(&self.number));
        match removed {
            Some(_) => {
                state.waiting -= 1;
                state.forget(owner);
            }
            // Its turn had come.
            None => state.end(owner, self.queue.shared.workers),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn now<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    fn entered(queue: &CallQueue) -> Option<QueuePermit> {
        now(std::pin::pin!(queue.enter())).map(|permit| permit.unwrap_or_else(|_| panic!("full")))
    }

    #[test]
    fn owners_take_turns_and_one_leaves_a_thread_to_others() {
        let queue = CallQueue::new(4);
        let (busy, other) = (queue.of("busy"), queue.of("other"));
        let mut running: Vec<QueuePermit> = (0..4).filter_map(|_| entered(&busy)).collect();
        assert_eq!((running.len(), queue.running()), (4, 4));
        let (mut third, mut fourth) = (Box::pin(busy.enter()), Box::pin(busy.enter()));
        assert!(now(third.as_mut()).is_none() && now(fourth.as_mut()).is_none());
        let mut late = Box::pin(other.enter());
        assert!(now(late.as_mut()).is_none());
        assert_eq!(queue.waiting(), 3);
        running.pop();
        // Another waits longer, yet this one has no call that runs.
        let permit = now(late.as_mut()).and_then(Result::ok);
        assert!(permit.is_some() && now(third.as_mut()).is_none());
        drop(permit);
        assert!(now(third.as_mut()).is_none(), "the last thread is kept");
        assert!(entered(&other).is_some());
        running.pop();
        assert!(now(third.as_mut()).is_some());
        drop(fourth);
        drop(running);
        assert_eq!((queue.running(), queue.waiting()), (0, 0));
    }

    #[test]
    fn one_owner_alone_has_every_thread_and_a_client_that_leaves_gives_its_place() {
        let queue = CallQueue::new(2);
        let first = entered(&queue);
        let second = entered(&queue);
        let mut waiting = Box::pin(queue.enter());
        assert!(now(waiting.as_mut()).is_none());
        drop(first);
        // Its turn has come, and it leaves before it sees that.
        drop(waiting);
        assert_eq!((queue.running(), queue.waiting()), (1, 0));
        drop(second);
        assert!(queue.state().owners.is_empty());
    }

    #[test]
    fn a_queue_that_one_owner_fills_takes_calls_of_others() {
        let queue = CallQueue::new(1);
        let (busy, other) = (queue.of("busy"), queue.of("other"));
        let _running = entered(&busy);
        let mut waiting: Vec<_> = (0..WAITING_MAX).map(|_| Box::pin(busy.enter())).collect();
        assert!(waiting.iter_mut().all(|call| now(call.as_mut()).is_none()));
        let refused = now(std::pin::pin!(busy.enter()));
        let reason = refused.and_then(Result::err);
        let reason = reason.as_ref().and_then(|error| error.reason_str());
        assert_eq!(reason, Some("overloaded"));
        let mut late = Box::pin(other.enter());
        assert!(now(late.as_mut()).is_none());
        assert_eq!(queue.waiting(), WAITING_MAX + 1);
    }
}
