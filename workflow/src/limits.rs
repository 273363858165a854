//! Every limit of this crate.

/// Longest title or name, in bytes.
pub const TITLE_BYTES_MAX: usize = 200;
/// Longest id, in bytes.
pub const ID_BYTES_MAX: usize = 100;
/// Longest slug, in bytes.
pub const SLUG_BYTES_MAX: usize = 48;
/// Longest body of an item: content, objective, notes, summary, answer; in bytes.
pub const TEXT_BYTES_MAX: usize = 64 << 10;
/// Longest reason, in bytes.
pub const REASON_BYTES_MAX: usize = 4 << 10;
/// Most entries of a list: files, criteria, suggestions, options, patterns.
pub const LIST_MAX: usize = 256;
/// Longest entry of a list, in bytes.
pub const ENTRY_BYTES_MAX: usize = 1 << 10;
/// Most tasks of a chain.
pub const TASKS_MAX: usize = 999;
/// Most chains of a project.
pub const CHAINS_MAX: usize = 100_000;
/// Most requests of one kind, and most workflows, with the same date.
pub const PER_DATE_MAX: u32 = 9_999;
/// Most feedback items of a workflow.
pub const FEEDBACK_MAX: usize = 9_999;
/// Most reviews that one item keeps.
pub const REVIEWS_MAX: usize = 100;
/// Most stages of a template.
pub const STAGES_MAX: usize = 64;
/// Longest event, in bytes of JSON.
pub const EVENT_BYTES_MAX: usize = 8 << 20;
/// Deepest nesting of an event.
pub const EVENT_DEPTH_MAX: usize = 32;
/// Deepest nesting of agents, whatever the configuration says: one that no agent started has depth 0.
pub const AGENT_DEPTH_MAX: u32 = 8;
/// Longest part of an agent's answer that its event has, in bytes.
pub const AGENT_ANSWER_BYTES_MAX: usize = 16 << 10;
/// Largest item file, in bytes.
pub const ITEM_BYTES_MAX: usize = 4 << 20;
/// Longest frontmatter of an item file, in bytes.
pub const FRONTMATTER_BYTES_MAX: usize = 64 << 10;
/// Most keys of a frontmatter.
pub const FRONTMATTER_KEYS_MAX: usize = 512;
/// Longest lock, in milliseconds: 30 days.
pub const LOCK_MS_MAX: i64 = 30 * 24 * 3_600_000;
/// How long a lock is held where nothing is said, in milliseconds: 24 hours.
pub const LOCK_MS_DEFAULT: i64 = 24 * 3_600_000;
/// Most patterns of one lock, each alternative of braces counted.
pub const LOCK_PATTERNS_MAX: usize = 128;
/// Most rules of one list of a governance file.
pub const RULES_MAX: usize = 10_000;
