//! Ctrl-C while a call runs in the main thread.
//!
//! The interpreter's handler of SIGINT only notes the signal, and runs the handler in Python once the main thread is back; a kernel would
//! run to its end first. During a call of the main thread another handler is in place, which cancels the call and then calls the
//! interpreter's; `KeyboardInterrupt` follows when the call has returned.
#![cfg_attr(
    unix,
    expect(
        unsafe_code,
        reason = "a handler of a signal is set with a system call, and calls the one before it"
    )
)]

use std::cell::Cell;

use pyo3::prelude::*;
use tool_core::StopFlag;

/// A flag that Ctrl-C sets while this exists, in the main thread; elsewhere nothing sets it.
pub(crate) struct InterruptWatch {
    stop: StopFlag,
    #[cfg(unix)]
    _handler: Option<unix::SigintHandler>,
}

impl InterruptWatch {
    /// Begins to watch.
    pub(crate) fn begin(py: Python<'_>) -> PyResult<Self> {
        #[cfg(unix)]
        if is_main(py)? {
            let (flag, handler) = unix::SigintHandler::set();
            return Ok(Self {
                stop: flag.child(),
                _handler: handler,
            });
        }
        let _ = py;
        Ok(Self {
            stop: StopFlag::new(),
            #[cfg(unix)]
            _handler: None,
        })
    }

    /// The flag.
    pub(crate) fn stop(&self) -> &StopFlag {
        &self.stop
    }
}

/// Whether this is the thread in which the interpreter handles signals.
fn is_main(py: Python<'_>) -> PyResult<bool> {
    thread_local! {
        static IS_MAIN: Cell<Option<bool>> = const { Cell::new(None) };
    }
    if let Some(known) = IS_MAIN.get() {
        return Ok(known);
    }
    let threading = py.import("threading")?;
    let current = threading.call_method0("get_ident")?;
    let main = threading.call_method0("main_thread")?.getattr("ident")?;
    let found = current.eq(main)?;
    IS_MAIN.set(Some(found));
    Ok(found)
}

#[cfg(unix)]
mod unix {
    use std::mem::MaybeUninit;
    use std::ptr::{null, null_mut};
    use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

    use libc::{
        SA_SIGINFO, SIG_DFL, SIG_ERR, SIG_IGN, SIGINT, c_int, c_void, sigaction, siginfo_t,
    };
    use tool_core::StopFlag;

    /// The flag that the handler sets. Never freed, since a signal can arrive in any thread at any time; one is left behind by each Ctrl-C.
    static FLAG: AtomicPtr<StopFlag> = AtomicPtr::new(null_mut());
    /// The handler before this one, and its flags.
    static BEFORE: AtomicUsize = AtomicUsize::new(0);
    static BEFORE_FLAGS: AtomicUsize = AtomicUsize::new(0);

    /// The handler, in place.
    pub(super) struct SigintHandler {
        before: sigaction,
    }

    impl SigintHandler {
        /// Sets the handler; none where the signal has no handler of the interpreter.
        pub(super) fn set() -> (StopFlag, Option<Self>) {
            let flag = fresh();
            // SAFETY: both structures are valid for the calls, and `on_signal` uses atomics only before it calls the handler
            // that was in place.
            let handler = unsafe {
                let mut before = MaybeUninit::<sigaction>::zeroed();
                if sigaction(SIGINT, null(), before.as_mut_ptr()) != 0 {
                    return (flag, None);
                }
                let before = before.assume_init();
                let own = on_signal as *const () as usize;
                if [SIG_DFL, SIG_IGN, SIG_ERR, own].contains(&before.sa_sigaction) {
                    return (flag, None);
                }
                BEFORE.store(before.sa_sigaction, Ordering::SeqCst);
                BEFORE_FLAGS.store(before.sa_flags as usize, Ordering::SeqCst);
                let mut during = before;
                during.sa_sigaction = own;
                during.sa_flags |= SA_SIGINFO;
                (sigaction(SIGINT, &raw const during, null_mut()) == 0).then_some(Self { before })
            };
            (flag, handler)
        }
    }

    impl Drop for SigintHandler {
        fn drop(&mut self) {
            // SAFETY: the structures are valid for the calls.
            unsafe {
                let mut found = MaybeUninit::<sigaction>::zeroed();
                sigaction(SIGINT, &raw const self.before, found.as_mut_ptr());
                let found = found.assume_init();
                if found.sa_sigaction != on_signal as *const () as usize {
                    // The program set another one during the call.
                    sigaction(SIGINT, &raw const found, null_mut());
                }
            }
        }
    }

    /// The flag in use, or another one if a signal has set it.
    fn fresh() -> StopFlag {
        let current = FLAG.load(Ordering::SeqCst);
        // SAFETY: it is null or was leaked below.
        match unsafe { current.as_ref() } {
            Some(flag) if !flag.is_set() => flag.clone(),
            _ => {
                let flag = StopFlag::new();
                FLAG.store(Box::into_raw(Box::new(flag.clone())), Ordering::SeqCst);
                flag
            }
        }
    }

    extern "C" fn on_signal(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        // SAFETY: the flag is never freed. The handler before was in place, with these flags, when this one was set.
        unsafe {
            if let Some(flag) = FLAG.load(Ordering::SeqCst).as_ref() {
                flag.cancel();
            }
            let before = BEFORE.load(Ordering::SeqCst);
            if BEFORE_FLAGS.load(Ordering::SeqCst) & SA_SIGINFO as usize != 0 {
                type Handler = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);
                std::mem::transmute::<usize, Handler>(before)(signal, info, context);
            } else {
                std::mem::transmute::<usize, extern "C" fn(c_int)>(before)(signal);
            }
        }
    }
}
