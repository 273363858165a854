//! Whether a fact reads like an instruction to a model. A fact is read again by models later, so what is refused here is a first
//! border and not the only one: answers mark facts as data.

use unicode_normalization::UnicodeNormalization;

/// Verbs that set something aside, and what they must not set aside.
const ASIDE: &[&str] = &[
    "ignore",
    "disregard",
    "forget",
    "override",
    "bypass",
    "overrule",
    "skip",
    "neglect",
];
const RULES: &[&str] = &[
    "instruction",
    "instructions",
    "prompt",
    "prompts",
    "rule",
    "rules",
    "policy",
    "policies",
    "guideline",
    "guidelines",
    "restriction",
    "restrictions",
    "safety",
    "previous",
    "above",
    "everything",
    "directives",
];
/// Verbs that give something away, and what they must not give away.
const GIVE: &[&str] = &[
    "reveal",
    "print",
    "show",
    "send",
    "leak",
    "exfiltrate",
    "repeat",
    "output",
    "disclose",
    "post",
    "upload",
    "email",
];
const SECRETS: &[&str] = &[
    "prompt",
    "password",
    "passwords",
    "secret",
    "secrets",
    "token",
    "tokens",
    "credentials",
    "key",
    "keys",
    "environment",
];
/// Sequences of words that speak to a model.
const PHRASES: &[&str] = &[
    "you are now",
    "from now on",
    "system prompt",
    "developer message",
    "system message",
    "new instructions",
    "do not tell the user",
    "don't tell the user",
    "without telling the user",
    "without asking the user",
    "pretend to be",
    "act as",
    "your new role",
    "jailbreak",
    "developer mode",
    "always call",
    "always run",
    "call the tool",
    "use the tool",
    "run the command",
    "run this command",
    "execute the",
];
/// Marks of the formats in which models are spoken to.
const MARKS: &[&str] = &[
    "<|",
    "|>",
    "[inst",
    "[/inst",
    "<system",
    "</system",
    "<user",
    "</user",
    "<assistant",
    "</assistant",
    "<tool",
    "</tool",
    "```",
    "### ",
    "system:",
    "assistant:",
    "human:",
    "user:",
    "begin_of_text",
];
/// How many words may stand between a verb and what it is about.
const REACH: usize = 6;

/// Why a fact is refused; nothing when it is taken.
pub(super) fn suspicious(fact: &str) -> Option<String> {
    if fact.chars().any(|character| character.is_control()) {
        return Some("it holds a control character or a line break".to_owned());
    }
    if fact.chars().any(crate::archives::is_invisible) {
        return Some("it holds a character that cannot be seen".to_owned());
    }
    // Letters that look alike are made the same before they are compared.
    let plain: String = fact.nfkc().flat_map(char::to_lowercase).collect();
    if let Some(mark) = MARKS.iter().find(|mark| plain.contains(**mark)) {
        return Some(format!("it holds `{}`, a mark of messages", mark.trim()));
    }
    let words: Vec<&str> = plain
        .split(|character: char| !(character.is_alphanumeric() || character == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let spoken = format!(" {} ", words.join(" "));
    if let Some(phrase) = PHRASES
        .iter()
        .find(|phrase| spoken.contains(&format!(" {phrase} ")))
    {
        return Some(format!("it says `{phrase}`"));
    }
    near(&words, ASIDE, RULES)
        .or_else(|| near(&words, GIVE, SECRETS))
        .map(|(verb, object)| format!("it says `{verb} ... {object}`"))
}

fn near<'a>(words: &[&'a str], verbs: &[&str], objects: &[&str]) -> Option<(&'a str, &'a str)> {
    words.iter().enumerate().find_map(|(at, verb)| {
        verbs.contains(verb).then_some(())?;
        let after = words[at + 1..].iter().take(REACH);
        let object = after.copied().find(|word| objects.contains(word))?;
        Some((*verb, object))
    })
}
