//! Spans sent as calls and runs end.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use opentelemetry::KeyValue;
use opentelemetry::trace::Status;
use opentelemetry_sdk::trace::SpanData;
use registry::{CallWitness, redact};
use tool_core::{Value, json};

use super::send::{SpanSender, dropped_spans_warning};
use super::settings::OtelSettings;
use super::span::SpanConverter;
use crate::environment;

/// Maximum size of arguments and of a result in a span, so that a full queue stays small.
const CONTENT_BYTES_MAX: usize = 16 << 10;

static OF_PROCESS: OnceLock<Option<Arc<SpanTelemetry>>> = OnceLock::new();

/// The sender of this process's spans; `None` if its environment does not enable spans.
pub fn span_witness() -> Option<Arc<dyn CallWitness>> {
    let telemetry = OF_PROCESS.get_or_init(|| {
        let settings = OtelSettings::read(&environment::read_variable)?;
        Some(Arc::new(SpanTelemetry::new(settings)))
    });
    telemetry.clone().map(|telemetry| telemetry as _)
}

/// Sends the remaining spans within a short time; reports dropped ones with the reason.
pub fn finish_spans() -> Option<String> {
    OF_PROCESS.get()?.as_ref()?.finish()
}

struct SpanTelemetry {
    spans: SpanConverter,
    settings: OtelSettings,
    /// Started with the first span, or the error.
    sender: OnceLock<Result<SpanSender, String>>,
    unsent: AtomicU64,
}

impl SpanTelemetry {
    fn new(settings: OtelSettings) -> Self {
        Self {
            spans: SpanConverter {
                parent: settings.parent.clone(),
            },
            settings,
            sender: OnceLock::new(),
            unsent: AtomicU64::new(0),
        }
    }

    fn send(&self, span: SpanData) {
        match self
            .sender
            .get_or_init(|| SpanSender::start(&self.settings))
        {
            Ok(sender) => sender.send(span),
            Err(_) => {
                self.unsent.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn finish(&self) -> Option<String> {
        match self.sender.get()? {
            Ok(sender) => sender.finish(),
            Err(why) => {
                let count = self.unsent.load(Ordering::Relaxed);
                Some(dropped_spans_warning(count, count, why))
            }
        }
    }
}

impl CallWitness for SpanTelemetry {
    fn call(&self, record: &Value, args: &Value, result: Option<&Value>) {
        let Some(mut span) = self.spans.of_record(record) else {
            return;
        };
        if self.settings.content {
            let given = [
                ("gen_ai.tool.call.arguments", Some(args)),
                ("gen_ai.tool.call.result", result),
            ];
            let attribute = |(name, value): (_, Option<&Value>)| {
                Some(KeyValue::new(name, redacted_json(value?)))
            };
            span.attributes
                .extend(given.into_iter().filter_map(attribute));
            // The message of an error may quote an argument.
            let words = record.get("error").and_then(Value::as_str);
            if let (Status::Error { description }, Some(words)) = (&mut span.status, words) {
                *description = words.to_owned().into();
            }
        }
        self.send(span);
    }

    fn chain(&self, record: &Value) {
        if let Some(span) = self.spans.of_record(record) {
            self.send(span);
        }
    }
}

/// A value as JSON with secrets redacted; for a large one its size.
fn redacted_json(value: &Value) -> String {
    let left_out = |bytes: u64| format!("left out: {bytes} bytes");
    let bytes = value.memory_bytes();
    if bytes > CONTENT_BYTES_MAX as u64 {
        return left_out(bytes);
    }
    let text = json::to_text(&redact::redact_value(value).0);
    match text.len() {
        0..=CONTENT_BYTES_MAX => text,
        more => left_out(more as u64),
    }
}
