//! Progress of a call, at least every five seconds, to a client that asked for it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tool_core::ctx::Progress;

/// Longest silence.
const TICK: Duration = Duration::from_secs(4);
/// Shortest time between two messages.
const LEAST: Duration = Duration::from_millis(200);

/// What a tool reported last.
#[derive(Default)]
struct ProgressReport {
    fraction: Option<f64>,
    words: String,
    is_new: bool,
}

/// The receiver that a tool reports to; keeps the last report.
#[derive(Clone, Default)]
pub(super) struct ProgressReceiver(Arc<Mutex<ProgressReport>>);

impl ProgressReceiver {
    /// The receiver, for a call.
    pub(super) fn receiver(&self) -> Arc<Progress> {
        let reports = self.clone();
        Arc::new(move |fraction, words| {
            let mut report = reports.0.lock().unwrap_or_else(PoisonError::into_inner);
            *report = ProgressReport {
                fraction,
                words: words.to_owned(),
                is_new: true,
            };
        })
    }

    /// The last words of the tool, if it reported any.
    pub(super) fn words(&self) -> Option<String> {
        let report = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (!report.words.is_empty()).then(|| report.words.clone())
    }

    /// Sends progress until the future is dropped. The value always grows, as the protocol demands: the fraction where the tool
    /// began with one, else seconds.
    pub(super) async fn send(self, peer: Peer<RoleServer>, token: ProgressToken) {
        let begun = Instant::now();
        let (mut sent, mut last, mut in_fractions) = (Instant::now(), 0.0, None);
        loop {
            tokio::time::sleep(LEAST).await;
            let (fraction, words) = {
                let mut report = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                if !std::mem::take(&mut report.is_new) && sent.elapsed() < TICK {
                    continue;
                }
                (report.fraction, report.words.clone())
            };
            let seconds = begun.elapsed().as_secs_f64();
            let in_fractions = *in_fractions.get_or_insert(fraction.is_some());
            let value: f64 = match (in_fractions, fraction) {
                (true, Some(fraction)) => fraction,
                (true, None) => last,
                (false, _) => seconds,
            };
            last = if value > last { value } else { last.next_up() };
            let words = match words.is_empty() {
                true => format!("running for {seconds:.0} s"),
                false => words,
            };
            let message = ProgressNotificationParam::new(token.clone(), last).with_message(words);
            let message = if in_fractions {
                message.with_total(1.0)
            } else {
                message
            };
            if peer.notify_progress(message).await.is_err() {
                return;
            }
            sent = Instant::now();
        }
    }
}
