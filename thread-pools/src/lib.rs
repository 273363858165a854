//! Thread pools of parallel computations: each computation has one to itself for as long as it takes.
//!
//! With one pool for all, a computation sleeps until the pool takes it up, which is never while others keep the pool busy: neither its
//! deadline nor its cancellation reaches it. Here it runs at once: in a pool of all processors, or on one thread where several such pools are
//! busy. Results are the same, since work is split by its shape and not by the number of threads. Read [`run_in_pool`] first.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Pools of all processors at a time; more computations run on one thread each.
const WIDE_MAX: usize = 3;
/// Idle pools of one thread that are kept.
const NARROW_IDLE_MAX: usize = 8;
/// Stack of a thread: expressions and matrices are worked on as deep as on the threads of calls.
const STACK_BYTES: usize = 16 << 20;

/// The pools that no computation has, and how many of all processors there are.
struct IdlePools {
    wide: Vec<ThreadPool>,
    wide_made: usize,
    narrow: Vec<ThreadPool>,
}

static POOLS: Mutex<IdlePools> = Mutex::new(IdlePools {
    wide: Vec::new(),
    wide_made: 0,
    narrow: Vec::new(),
});

fn lock_pools() -> MutexGuard<'static, IdlePools> {
    POOLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs work that rayon shares among threads. It never waits for other work: a thread of a pool runs it in that pool, any other thread in
/// one that is idle.
pub fn run_in_pool<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    if rayon::current_thread_index().is_some() {
        return work();
    }
    match PoolLease::new() {
        Ok(lent) => lent.install(work),
        // No thread can be started: rayon does what it can.
        Err(_) => work(),
    }
}

/// Makes this thread a pool of its own for as long as it lives: what rayon shares runs on it alone. For a thread that must not wait.
pub fn keep_to_this_thread() {
    let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    if let Ok(pool) = alone.build() {
        // The thread stays a part of it.
        std::mem::forget(pool);
    }
}

/// A pool that one computation has; it is idle again when this is dropped.
struct PoolLease {
    pool: Option<ThreadPool>,
    is_wide: bool,
}

impl PoolLease {
    fn new() -> Result<Self, ThreadPoolBuildError> {
        let mut pools = lock_pools();
        if let Some(pool) = pools.wide.pop() {
            return Ok(Self::of(pool, true));
        }
        if pools.wide_made < WIDE_MAX {
            pools.wide_made += 1;
            drop(pools);
            return match build_pool(0) {
                Ok(pool) => Ok(Self::of(pool, true)),
                Err(err) => {
                    self::lock_pools().wide_made -= 1;
                    Err(err)
                }
            };
        }
        let idle = pools.narrow.pop();
        drop(pools);
        let pool = idle.map_or_else(|| build_pool(1), Ok)?;
        Ok(Self::of(pool, false))
    }

    fn of(pool: ThreadPool, is_wide: bool) -> Self {
        Self {
            pool: Some(pool),
            is_wide,
        }
    }

    fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

impl Drop for PoolLease {
    fn drop(&mut self) {
        let Some(pool) = self.pool.take() else { return };
        let mut pools = lock_pools();
        if self.is_wide {
            pools.wide.push(pool);
        } else if pools.narrow.len() < NARROW_IDLE_MAX {
            pools.narrow.push(pool);
        }
    }
}

/// A pool of some threads; 0 for as many as there are processors, or as `RAYON_NUM_THREADS` says.
fn build_pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK_BYTES)
        .thread_name(|index| format!("compute-{index}"))
        .build()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicBool, Ordering};

    use rayon::prelude::*;

    use super::*;

    #[test]
    fn computations_run_although_many_others_keep_every_thread() {
        let (begun, end) = (Barrier::new(17), AtomicBool::new(false));
        let endless = || {
            run_in_pool(|| {
                (0..8).into_par_iter().for_each(|part| {
                    if part == 0 {
                        begun.wait();
                    }
                    while !end.load(Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                });
            });
        };
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(endless);
            }
            begun.wait();
            let sum: u64 = run_in_pool(|| (0..1000_u64).into_par_iter().sum());
            end.store(true, Ordering::Relaxed);
            assert_eq!(sum, 499_500);
        });
        let pools = lock_pools();
        assert!(pools.wide_made <= WIDE_MAX && pools.narrow.len() <= NARROW_IDLE_MAX);
    }

    #[test]
    fn what_runs_within_a_pool_stays_in_it() {
        let (outside, inside) = run_in_pool(|| {
            let thread = || std::thread::current().id();
            (thread(), run_in_pool(thread))
        });
        assert_eq!(outside, inside);
    }

    #[test]
    fn a_thread_that_keeps_to_itself_runs_all_parts() {
        let thread = std::thread::spawn(|| {
            keep_to_this_thread();
            let own = std::thread::current().id();
            let parts = (0..100).into_par_iter();
            let elsewhere = parts.filter(|_| std::thread::current().id() != own);
            let (first, second) = rayon::join(|| 1, || 2);
            (run_in_pool(|| elsewhere.count()), first + second)
        });
        assert_eq!(thread.join().expect("a thread"), (0, 3));
    }

    #[test]
    fn a_pool_is_idle_again_after_a_panic() {
        let panicked = std::panic::catch_unwind(|| run_in_pool(|| panic!("as told")));
        assert!(panicked.is_err());
        assert_eq!(run_in_pool(|| 1), 1);
    }
}
