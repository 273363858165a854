//! Sending spans: a bounded queue, a thread that empties it, and a count of dropped spans.
//!
//! Queue and thread are those of the SDK (`OTEL_BSP_*` set their sizes), the encoding is that of the OTLP exporter. The HTTP
//! client is our own: no proxy, no redirect, a short answer, one deadline.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{RetryPolicy, SpanExporter as Otlp, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{BatchSpanProcessor, SpanData, SpanExporter, SpanProcessor};
use registry::redact;
use ureq::Agent;

use super::settings::{self, OtelSettings};

/// Maximum wait for the last spans at the end of the process.
const LAST_WAIT: Duration = Duration::from_secs(2);
/// Maximum size of a collector's answer.
const ANSWER_BYTES_MAX: u64 = 64 << 10;

/// Queues spans without blocking.
pub(super) struct SpanSender {
    processor: BatchSpanProcessor,
    counts: Arc<SpanCounts>,
}

#[derive(Debug, Default)]
struct SpanCounts {
    given: AtomicU64,
    arrived: AtomicU64,
    /// The last error.
    fault: Mutex<Option<String>>,
}

impl SpanCounts {
    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fault(&self, words: &str) {
        *self.lock() = Some(redact::redact_text(words).0.into_owned());
    }

    fn fault_or(&self, words: impl FnOnce() -> String) {
        self.lock().get_or_insert_with(words);
    }
}

impl SpanSender {
    /// Starts the thread.
    ///
    /// # Errors
    /// The reason why the environment's settings are unusable.
    pub(super) fn start(settings: &OtelSettings) -> Result<Self, String> {
        let protocol = settings.protocol.clone()?;
        let counts = Arc::<SpanCounts>::default();
        let client = OtlpClient {
            agent: http_agent(settings.timeout),
            counts: Arc::clone(&counts),
        };
        let exporter = Otlp::builder()
            .with_http()
            .with_protocol(protocol)
            .with_timeout(settings.timeout)
            .with_http_client(client)
            // A collector that is down stays down longer than a command should wait.
            .with_retry_policy(RetryPolicy::recommended().with_max_retries(1))
            .build()
            .map_err(|err| redact::redact_text(&err.to_string()).0.into_owned())?;
        let counted = CountingExporter {
            exporter,
            counts: Arc::clone(&counts),
        };
        let mut processor = BatchSpanProcessor::builder(counted).build();
        processor.set_resource(&settings::service_resource());
        Ok(Self { processor, counts })
    }

    /// Queues a span; a full queue drops it.
    pub(super) fn send(&self, span: SpanData) {
        self.counts.given.fetch_add(1, Ordering::Relaxed);
        self.processor.on_end(span);
    }

    /// Waits briefly for queued spans; reports dropped ones.
    pub(super) fn finish(&self) -> Option<String> {
        let ended = self.processor.shutdown_with_timeout(LAST_WAIT);
        let given = self.counts.given.load(Ordering::Relaxed);
        let lost = given.saturating_sub(self.counts.arrived.load(Ordering::Relaxed));
        if lost == 0 {
            return None;
        }
        let why = match (self.counts.lock().take(), ended) {
            (Some(fault), _) => fault,
            (None, Err(_)) => format!("no answer within {} s", LAST_WAIT.as_secs()),
            (None, Ok(())) => "the queue was full".to_owned(),
        };
        Some(dropped_spans_warning(lost, given, &why))
    }
}

/// The warning about dropped spans.
pub(super) fn dropped_spans_warning(lost: u64, given: u64, why: &str) -> String {
    format!("warning: {lost} of {given} spans were dropped: {why}\n")
}

fn http_agent(timeout: Duration) -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(timeout))
        .proxy(None)
        .max_redirects(0)
        .build();
    config.into()
}

/// The exporter's client.
#[derive(Debug)]
struct OtlpClient {
    agent: Agent,
    counts: Arc<SpanCounts>,
}

impl OtlpClient {
    fn exchange(&self, request: Request<Bytes>) -> Result<Response<Bytes>, ureq::Error> {
        let (head, body) = request.into_parts();
        let request = Request::from_parts(head, body.to_vec());
        let (head, mut body) = self.agent.run(request)?.into_parts();
        let reader = body.with_config().limit(ANSWER_BYTES_MAX);
        Ok(Response::from_parts(head, reader.read_to_vec()?.into()))
    }
}

#[async_trait]
impl HttpClient for OtlpClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let answer = self.exchange(request);
        match &answer {
            Ok(answer) if answer.status().is_success() => {}
            Ok(answer) => self
                .counts
                .fault(&format!("the collector answered {}", answer.status())),
            Err(err) => self.counts.fault(&err.to_string()),
        }
        Ok(answer?)
    }
}

/// Counts delivered spans.
#[derive(Debug)]
struct CountingExporter {
    exporter: Otlp,
    counts: Arc<SpanCounts>,
}

impl SpanExporter for CountingExporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len() as u64;
        let sent = self.exporter.export(batch).await;
        match &sent {
            Ok(()) => {
                self.counts.arrived.fetch_add(spans, Ordering::Relaxed);
            }
            // Unless the client has reported a more precise error.
            Err(err) => self.counts.fault_or(|| err.to_string()),
        }
        sent
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}
