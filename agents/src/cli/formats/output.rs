//! [`AgentOutput`]: what an agent has said so far, as a machine that is given lines: no process, no clock.

use tool_core::{Value, json};

/// Largest answer, in bytes; the rest is left out.
pub const ANSWER_BYTES_MAX: usize = 16 << 20;

/// A format of output: one event of JSON a line.
#[derive(Debug)]
pub struct AgentStreamFormat {
    /// Its name, as tables have it in `stream_format`.
    pub name: &'static str,
    /// Whether it states the cost.
    pub states_cost: bool,
    /// Whether it shows turns while the agent runs.
    pub shows_turns: bool,
    /// Reads one event.
    pub(super) read_event: fn(&mut AgentOutput, &Value),
}

/// What an agent has said so far.
#[derive(Debug, Default)]
pub struct AgentOutput {
    /// `None` for plain text, all of which is the answer.
    format: Option<&'static AgentStreamFormat>,
    /// The answer, for formats that state it at the end or in parts.
    text: String,
    /// The message that was counted last.
    counted: String,
    /// Turns, as the format counts them.
    pub turns: Option<u64>,
    /// Tokens that the model read.
    pub input_tokens: Option<u64>,
    /// Tokens that the model wrote.
    pub output_tokens: Option<u64>,
    /// Cost in US dollars.
    pub cost_usd: Option<f64>,
    /// Whether it has stated its answer, and only has to end.
    pub is_over: bool,
    /// The error that the agent reports.
    pub error: Option<String>,
    /// The last words, for a view.
    pub last: String,
}

impl AgentOutput {
    /// Output in a format; plain text without one.
    pub fn new(format: Option<&'static AgentStreamFormat>) -> Self {
        Self {
            format,
            ..Self::default()
        }
    }

    /// The answer.
    pub fn answer(&self) -> &str {
        self.text.trim()
    }

    /// Takes one line of output.
    pub fn read_line(&mut self, line: &str) {
        let Some(format) = self.format else {
            self.add_answer(line);
            self.add_answer("\n");
            self.show_line(line);
            return;
        };
        match json::parse_json(line, json::JsonLimits::default()) {
            Ok(event) => (format.read_event)(self, &event),
            // Notes of the program between its events.
            Err(_) => self.show_line(line),
        }
    }

    /// Adds a part of the answer.
    pub(super) fn add_answer(&mut self, text: &str) {
        let left = ANSWER_BYTES_MAX.saturating_sub(self.text.len());
        let end = text.floor_char_boundary(left.min(text.len()));
        self.text.push_str(&text[..end]);
    }

    /// Sets the answer, which replaces what was said before.
    pub(super) fn set_answer(&mut self, text: &str) {
        self.text.clear();
        self.add_answer(text);
        self.show_line(text);
    }

    /// Notes the last words, for a view.
    pub(super) fn show_line(&mut self, text: &str) {
        const SHOWN: usize = 200;
        if let Some(line) = text.lines().rev().find(|line| !line.trim().is_empty()) {
            self.last = line.trim().chars().take(SHOWN).collect();
        }
    }

    pub(super) fn count_turn(&mut self) {
        self.turns = Some(self.turns.unwrap_or(0) + 1);
    }

    /// Adds the tokens of a report, whose members for input and output have these names.
    pub(super) fn count_tokens(&mut self, usage: Option<&Value>, names: [&str; 2]) {
        let Some(usage) = usage else { return };
        let more = |known: Option<u64>, name: &str| match (known, read_count(usage, name)) {
            (known, None) => known,
            (known, Some(count)) => Some(known.unwrap_or(0) + count),
        };
        self.input_tokens = more(self.input_tokens, names[0]);
        self.output_tokens = more(self.output_tokens, names[1]);
    }

    /// Whether the message was the last one counted; remembers it.
    pub(super) fn is_counted(&mut self, id: &str) -> bool {
        let same = self.counted == id;
        id.clone_into(&mut self.counted);
        same
    }
}

/// A member that is a number of things.
pub(super) fn read_count(of: &Value, name: &str) -> Option<u64> {
    let found = of.get(name).and_then(Value::as_i64)?;
    u64::try_from(found).ok()
}

/// A member that is a finite amount, not below 0.
pub(super) fn read_amount(of: &Value, name: &str) -> Option<f64> {
    let found = of.get(name).and_then(Value::as_f64)?;
    (found.is_finite() && found >= 0.0).then_some(found)
}
