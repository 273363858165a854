//! What the output of an agent command line says: its answer, turns, tokens, cost and errors; a parser for each format.
//!
//! Formats are those that the vendors document for scripts. A line that a format does not know is ignored; what is not stated is unknown.

use tool_core::{Value, json};

/// Largest answer, in bytes; the rest is left out.
pub(super) const ANSWER_BYTES_MAX: usize = 16 << 20;

/// What an agent has said so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct AgentStream {
    format: String,
    /// The answer, for formats that state it at the end or in parts.
    text: String,
    /// The message that was counted last.
    counted: String,
    /// Turns, as the format counts them.
    pub turns: Option<u64>,
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub cost_usd: Option<f64>,
    /// Whether it has stated its answer, and only has to end.
    pub is_over: bool,
    /// The error that the agent reports.
    pub error: Option<String>,
    /// The last words, for a view.
    pub last: String,
}

/// Whether the output of a format states the cost.
pub(super) fn states_cost(format: &str) -> bool {
    matches!(format, "claude" | "opencode")
}

/// Whether the output of a format shows turns while the agent runs.
pub(super) fn shows_turns(format: &str) -> bool {
    matches!(format, "claude" | "codex" | "opencode")
}

impl AgentStream {
    pub(super) fn new(format: &str) -> Self {
        Self {
            format: format.to_owned(),
            ..Self::default()
        }
    }

    /// The answer.
    pub(super) fn answer(&self) -> &str {
        self.text.trim()
    }

    /// Takes one line of output.
    pub(super) fn hear(&mut self, line: &str) {
        if self.format.is_empty() {
            self.add(line);
            self.add("\n");
            self.show(line);
            return;
        }
        let Ok(event) = json::parse_json(line, json::JsonLimits::default()) else {
            // Notes of the program between its events.
            return self.show(line);
        };
        match self.format.as_str() {
            "claude" => self.claude(&event),
            "codex" => self.codex(&event),
            "gemini" => self.gemini(&event),
            "copilot" => self.copilot(&event),
            "opencode" => self.opencode(&event),
            _ => {}
        }
    }

    fn add(&mut self, text: &str) {
        let left = ANSWER_BYTES_MAX.saturating_sub(self.text.len());
        let end = text.floor_char_boundary(left.min(text.len()));
        self.text.push_str(&text[..end]);
    }

    fn set(&mut self, text: &str) {
        self.text.clear();
        self.add(text);
        self.show(text);
    }

    fn show(&mut self, text: &str) {
        const SHOWN: usize = 200;
        if let Some(line) = text.lines().rev().find(|line| !line.trim().is_empty()) {
            self.last = line.trim().chars().take(SHOWN).collect();
        }
    }

    fn turn(&mut self) {
        self.turns = Some(self.turns.unwrap_or(0) + 1);
    }

    fn tokens(&mut self, usage: Option<&Value>, names: [&str; 2]) {
        let Some(usage) = usage else { return };
        let more = |known: Option<u64>, name: &str| match (known, read_count(usage, name)) {
            (known, None) => known,
            (known, Some(count)) => Some(known.unwrap_or(0) + count),
        };
        self.input_tokens = more(self.input_tokens, names[0]);
        self.output_tokens = more(self.output_tokens, names[1]);
    }

    /// `claude -p --output-format stream-json`: messages, and a result with turns and cost.
    fn claude(&mut self, event: &Value) {
        match event.text("type") {
            Some("assistant") => {
                // Blocks of one message arrive as events of their own.
                let id = event.pointer("/message/id");
                let id = id.as_ref().and_then(Value::as_str).unwrap_or_default();
                if id.is_empty() || !self.is_counted(id) {
                    self.turn();
                }
                let blocks = event.pointer("/message/content");
                for block in blocks.iter().flat_map(|one| one.items()).flatten() {
                    if let Some(text) = block.text("text") {
                        self.show(text);
                    }
                }
            }
            Some("result") => {
                self.is_over = true;
                self.turns = read_count(event, "num_turns").or(self.turns);
                self.cost_usd = read_amount(event, "total_cost_usd");
                self.tokens(event.get("usage"), ["input_tokens", "output_tokens"]);
                let text = event.text("result").unwrap_or_default();
                let subtype = event.text("subtype").unwrap_or_default();
                let failed = event.get("is_error").and_then(Value::as_bool) == Some(true);
                if failed || subtype.starts_with("error") {
                    let words = [text, subtype].into_iter().find(|text| !text.is_empty());
                    self.error = Some(words.unwrap_or("an error").to_owned());
                }
                self.set(text);
            }
            _ => {}
        }
    }

    /// Whether the message was the last one counted; remembers it.
    fn is_counted(&mut self, id: &str) -> bool {
        let same = self.counted == id;
        id.clone_into(&mut self.counted);
        same
    }

    /// `codex exec --json`: items, and usage at the end of each turn; no cost.
    fn codex(&mut self, event: &Value) {
        match event.text("type") {
            Some("turn.completed") => {
                self.turn();
                self.tokens(event.get("usage"), ["input_tokens", "output_tokens"]);
            }
            Some("item.completed") => {
                let item = event.get("item");
                let text = item.and_then(|item| item.text("text")).unwrap_or_default();
                let kind = item.and_then(|item| item.text("type").or(item.text("item_type")));
                match kind {
                    Some("agent_message" | "assistant_message") => self.set(text),
                    _ => self.show(text),
                }
            }
            Some("turn.failed") => {
                let message = event.pointer("/error/message");
                let message = message.as_ref().and_then(Value::as_str);
                self.error = Some(message.unwrap_or("the turn failed").to_owned());
            }
            Some("error") => {
                let message = event.text("message").unwrap_or("an error");
                self.error = Some(message.to_owned());
            }
            _ => {}
        }
    }

    /// `gemini --output-format stream-json`: parts of messages, and statistics at the end; no cost.
    fn gemini(&mut self, event: &Value) {
        match event.text("type") {
            Some("message") if event.text("role") == Some("assistant") => {
                let text = event.text("content").unwrap_or_default();
                self.add(text);
                self.show(text);
            }
            Some("result") => {
                self.tokens(event.get("stats"), ["input_tokens", "output_tokens"]);
                if event.text("status") == Some("error") {
                    let message = event.pointer("/error/message");
                    let message = message.as_ref().and_then(Value::as_str);
                    self.error = Some(message.unwrap_or("an error").to_owned());
                }
            }
            // `--output-format json`: one object.
            None => {
                if let Some(text) = event.text("response") {
                    self.set(text);
                }
                let message = event.pointer("/error/message");
                if let Some(message) = message.as_ref().and_then(Value::as_str) {
                    self.error = Some(message.to_owned());
                }
            }
            _ => {}
        }
    }

    /// `copilot --output-format json`: messages; neither tokens nor cost.
    fn copilot(&mut self, event: &Value) {
        let data = event.get("data").unwrap_or(event);
        match event.text("type") {
            Some("assistant.message") => self.set(data.text("content").unwrap_or_default()),
            Some("session.error" | "error") => {
                let message = data.text("message").unwrap_or("an error");
                self.error = Some(message.to_owned());
            }
            _ => {}
        }
    }

    /// `opencode run --format json`: texts, and tokens and cost at the end of each step.
    fn opencode(&mut self, event: &Value) {
        match event.text("type") {
            Some("text") => {
                let text = event.pointer("/part/text");
                let text = text.as_ref().and_then(Value::as_str).unwrap_or_default();
                self.set(text);
            }
            Some("step_finish") => {
                self.turn();
                let part = event.get("part");
                self.tokens(
                    part.and_then(|part| part.get("tokens")),
                    ["input", "output"],
                );
                if let Some(cost) = part.and_then(|part| read_amount(part, "cost")) {
                    self.cost_usd = Some(self.cost_usd.unwrap_or(0.0) + cost);
                }
            }
            Some("error") => {
                let message = event.pointer("/error/data/message");
                let message = message.as_ref().and_then(Value::as_str);
                let name = event.pointer("/error/name");
                let name = name.as_ref().and_then(Value::as_str);
                self.error = Some(message.or(name).unwrap_or("an error").to_owned());
            }
            _ => {}
        }
    }
}

fn read_count(of: &Value, name: &str) -> Option<u64> {
    let found = of.get(name).and_then(Value::as_i64)?;
    u64::try_from(found).ok()
}

fn read_amount(of: &Value, name: &str) -> Option<f64> {
    let found = of.get(name).and_then(Value::as_f64)?;
    (found.is_finite() && found >= 0.0).then_some(found)
}

/// Whether an error is about too many requests, and after how many seconds the provider takes requests again, where it says so.
pub(super) fn rate_limit(error: &str) -> Option<Option<u64>> {
    const WORDS: [&str; 7] = [
        "rate limit",
        "rate_limit",
        "ratelimit",
        "too many requests",
        "usage limit",
        "quota exceeded",
        "resource_exhausted",
    ];
    let lower = error.to_lowercase();
    let is_status = lower
        .split(|one: char| !one.is_ascii_alphanumeric())
        .any(|word| word == "429");
    if !is_status && !WORDS.iter().any(|word| lower.contains(word)) {
        return None;
    }
    const BEFORE: [&str; 4] = ["retry after ", "try again in ", "resets in ", "retry in "];
    let stated = BEFORE.iter().find_map(|words| {
        let rest = lower.split_once(words)?.1;
        let end = rest.find(|one: char| !one.is_ascii_digit() && one != '.')?;
        let number: f64 = rest[..end].trim_end_matches('.').parse().ok()?;
        let unit = rest[end..].trim_start();
        let seconds = match unit.chars().next() {
            Some('h') => number * 3600.0,
            Some('m') if !unit.starts_with("ms") => number * 60.0,
            Some('s') => number,
            _ => return None,
        };
        Some(seconds.ceil().min(1e9) as u64)
    });
    Some(stated)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(format: &str, lines: &[&str]) -> AgentStream {
        let mut said = AgentStream::new(format);
        lines.iter().for_each(|line| said.hear(line));
        said
    }

    #[test]
    fn claude_states_answer_turns_and_cost() {
        let said = said(
            "claude",
            &[
                r#"{"type":"system","subtype":"init","session_id":"s","tools":["Read"],"mcp_servers":[]}"#,
                r#"{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"Let me see."}]},"session_id":"s"}"#,
                r#"{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Read","input":{}}]}}"#,
                r#"{"type":"assistant","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"42"}]}}"#,
                r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":5,"num_turns":2,"result":"42","total_cost_usd":0.0125,"usage":{"input_tokens":10,"output_tokens":4}}"#,
            ],
        );
        assert_eq!(
            (said.answer(), said.turns, said.cost_usd),
            ("42", Some(2), Some(0.0125))
        );
        assert_eq!(
            (said.input_tokens, said.output_tokens, said.error.as_ref()),
            (Some(10), Some(4), None)
        );
    }

    #[test]
    fn claude_counts_turns_before_the_result() {
        let line =
            |id: &str| format!(r#"{{"type":"assistant","message":{{"id":"{id}","content":[]}}}}"#);
        let lines = [line("m1"), line("m1"), line("m2"), line("m3")];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let found = said("claude", &lines);
        assert_eq!((found.turns, found.cost_usd), (Some(3), None));
        let failed = said(
            "claude",
            &[r#"{"type":"result","subtype":"error_max_turns","is_error":true,"num_turns":9}"#],
        );
        assert_eq!(failed.error.as_deref(), Some("error_max_turns"));
    }

    #[test]
    fn codex_states_tokens_and_no_cost() {
        let found = said(
            "codex",
            &[
                r#"{"type":"thread.started","thread_id":"t"}"#,
                r#"{"type":"turn.started"}"#,
                r#"{"type":"item.completed","item":{"id":"i0","type":"reasoning","text":"thinking"}}"#,
                r#"{"type":"item.completed","item":{"id":"i1","type":"agent_message","text":"done"}}"#,
                r#"{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":50,"output_tokens":7}}"#,
            ],
        );
        assert_eq!(
            (found.answer(), found.turns, found.cost_usd),
            ("done", Some(1), None)
        );
        assert_eq!(
            (found.input_tokens, found.output_tokens),
            (Some(100), Some(7))
        );
        let failed = said(
            "codex",
            &[r#"{"type":"turn.failed","error":{"message":"429 Too Many Requests"}}"#],
        );
        assert_eq!(failed.error.as_deref(), Some("429 Too Many Requests"));
    }

    #[test]
    fn gemini_copilot_and_opencode_state_what_they_state() {
        let gemini = said(
            "gemini",
            &[
                r#"{"type":"init","session_id":"s","model":"m"}"#,
                r#"{"type":"message","role":"user","content":"hello"}"#,
                r#"{"type":"message","role":"assistant","content":"good ","delta":true}"#,
                r#"{"type":"message","role":"assistant","content":"day","delta":true}"#,
                r#"{"type":"result","status":"success","stats":{"total_tokens":12,"input_tokens":8,"output_tokens":4}}"#,
            ],
        );
        assert_eq!(
            (gemini.answer(), gemini.turns, gemini.cost_usd),
            ("good day", None, None)
        );
        assert_eq!(gemini.output_tokens, Some(4));
        let copilot = said(
            "copilot",
            &[r#"{"type":"assistant.message","data":{"content":"hi"}}"#],
        );
        assert_eq!((copilot.answer(), copilot.cost_usd), ("hi", None));
        let opencode = said(
            "opencode",
            &[
                r#"{"type":"text","part":{"type":"text","text":"hi"}}"#,
                r#"{"type":"step_finish","part":{"cost":0.5,"tokens":{"input":3,"output":2}}}"#,
                r#"{"type":"step_finish","part":{"cost":0.25,"tokens":{"input":1,"output":1}}}"#,
            ],
        );
        assert_eq!(
            (opencode.answer(), opencode.turns, opencode.cost_usd),
            ("hi", Some(2), Some(0.75))
        );
        assert_eq!(
            (opencode.input_tokens, opencode.output_tokens),
            (Some(4), Some(3))
        );
    }

    #[test]
    fn plain_output_is_the_answer_and_states_nothing_else() {
        let found = said("", &["one", "two"]);
        assert_eq!(
            (found.answer(), found.turns, found.cost_usd),
            ("one\ntwo", None, None)
        );
        let broken = said("claude", &["not json", "{", r#"{"type":7}"#, "[]", "null"]);
        assert_eq!((broken.answer(), broken.error.as_ref()), ("", None));
    }

    #[test]
    fn rate_limits_are_recognised_with_their_time() {
        for (text, expected) in [
            ("HTTP 429", Some(None)),
            ("Rate limit reached, try again in 20s", Some(Some(20))),
            ("too many requests; retry after 1.5 m.", Some(Some(90))),
            ("usage limit: resets in 2 hours", Some(Some(7200))),
            ("quota exceeded, retry in 300ms", Some(None)),
            ("error 4290", None),
            ("file not found", None),
        ] {
            assert_eq!(rate_limit(text), expected, "{text}");
        }
    }
}
