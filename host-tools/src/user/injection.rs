//! Detection of facts that read like an instruction to a model. Models read facts later, so this check is the first line of
//! defence and not the only one: results mark facts as data.

use unicode_normalization::UnicodeNormalization;

use crate::argument::is_invisible;

/// Verbs of disregard, with their forbidden objects.
const ASIDE: &str = "ignore disregard forget override bypass overrule skip neglect";
const RULES: &str = "instruction instructions prompt prompts rule rules policy policies guideline guidelines restriction \
    restrictions safety previous above everything directives";
/// Verbs of disclosure, with their forbidden objects.
const GIVE: &str =
    "reveal print show send leak exfiltrate repeat output disclose post upload email";
const SECRETS: &str =
    "prompt password passwords secret secrets token tokens credentials key keys environment";
/// Phrases that address a model.
const PHRASES: &str = "you are now|from now on|system prompt|developer message|system message|new instructions|\
    do not tell the user|don't tell the user|without telling the user|without asking the user|pretend to be|act as|\
    your new role|jailbreak|developer mode|always call|always run|call the tool|use the tool|run the command|\
    run this command|execute the";
/// Markers of the formats in which models are addressed; a heading of the third level is one too.
const MARKS: &str = "<| |> [inst [/inst <system </system <user </user <assistant </assistant <tool </tool \
    ``` system: assistant: human: user: begin_of_text";
/// Maximum number of words between a verb and its object.
const REACH: usize = 6;

/// The reason to refuse a fact, if there is one.
pub(super) fn find_suspicion(fact: &str) -> Option<String> {
    if fact.chars().any(|character| character.is_control()) {
        return Some("it contains a control character or a line break".to_owned());
    }
    if fact.chars().any(is_invisible) {
        return Some("it contains an invisible character".to_owned());
    }
    // Look-alike letters are unified before the comparison.
    let plain: String = fact.nfkc().flat_map(char::to_lowercase).collect();
    let mut marks = MARKS.split(' ').chain(["### "]);
    if let Some(mark) = marks.find(|mark| plain.contains(mark)) {
        return Some(format!(
            "it contains `{}`, a marker of messages",
            mark.trim()
        ));
    }
    let words: Vec<&str> = plain
        .split(|character: char| !(character.is_alphanumeric() || character == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let spoken = format!(" {} ", words.join(" "));
    let mut phrases = PHRASES.split('|');
    if let Some(phrase) = phrases.find(|phrase| spoken.contains(&format!(" {phrase} "))) {
        return Some(format!("it contains `{phrase}`"));
    }
    find_nearby_pair(&words, ASIDE, RULES)
        .or_else(|| find_nearby_pair(&words, GIVE, SECRETS))
        .map(|(verb, object)| format!("it contains `{verb} ... {object}`"))
}

fn find_nearby_pair<'a>(
    words: &[&'a str],
    verbs: &str,
    objects: &str,
) -> Option<(&'a str, &'a str)> {
    let one_of = |list: &str, word: &str| list.split(' ').any(|known| known == word);
    words.iter().enumerate().find_map(|(at, verb)| {
        one_of(verbs, verb).then_some(())?;
        let after = words[at + 1..].iter().take(REACH);
        let object = after.copied().find(|word| one_of(objects, word))?;
        Some((*verb, object))
    })
}
