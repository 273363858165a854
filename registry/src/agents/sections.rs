//! The prompts: what stands under the headings of the first level.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use tool_core::nearest::nearest_name;

use super::{AgentFile, SECTIONS_MAX};
use crate::error::{LoadError, TextPlace};

const SYSTEM: &str = "System Prompt";
const USER_TEMPLATE: &str = "User Prompt Template";
const USER: &str = "User Prompt";

/// A heading of the first level and what stands under it.
struct PromptSection<'a> {
    title: String,
    place: TextPlace,
    text: &'a str,
}

/// Finds the prompts of an agent.
pub(super) fn read_prompt_sections(
    agent: &mut AgentFile,
    body: &str,
    first_line: u32,
    errors: &mut Vec<LoadError>,
) {
    let sections = top_level_sections(&agent.place, body, first_line);
    if sections.len() > SECTIONS_MAX {
        let message = format!("more than {SECTIONS_MAX} headings of the first level");
        errors.push(LoadError::new(Some(&agent.place), message));
        return;
    }
    let mut seen: Vec<&PromptSection<'_>> = Vec::new();
    for section in &sections {
        let error = |message: String| LoadError::new(Some(&section.place), message);
        let known = [SYSTEM, USER_TEMPLATE, USER]
            .into_iter()
            .find(|known| is_same_title(known, &section.title));
        if let Some(known) = known {
            if let Some(first) = seen.iter().find(|other| is_same_title(known, &other.title)) {
                let line = first.place.line;
                errors.push(error(format!(
                    "the section `{known}` is there twice, first in line {line}"
                )));
            }
            seen.push(section);
            continue;
        }
        let title: String = section.title.chars().take(80).collect();
        match nearest_name(&title, [SYSTEM, USER_TEMPLATE, USER]) {
            Some(near) => errors.push(
                error(format!("no section is called `{title}`"))
                    .hint(format_args!("did you mean `{near}`?")),
            ),
            None => {
                let message = format!("the section `{title}` is part of no prompt");
                agent.notes.push(error(message));
            }
        }
    }
    let text_of = |name: &str| {
        let found = seen
            .iter()
            .find(|section| is_same_title(name, &section.title));
        found.map(|section| section.text.trim().to_owned())
    };
    agent.system_prompt = text_of(SYSTEM).unwrap_or_default();
    agent.user_prompt = text_of(USER_TEMPLATE)
        .or_else(|| text_of(USER))
        .unwrap_or_default();
    if agent.system_prompt.is_empty() {
        let message = format!("there is no section `# {SYSTEM}`, or it is empty");
        agent
            .notes
            .push(LoadError::new(Some(&agent.place), message));
    }
}

/// Case does not count, nor how many spaces there are.
fn is_same_title(known: &str, title: &str) -> bool {
    known
        .split_whitespace()
        .map(str::to_lowercase)
        .eq(title.split_whitespace().map(str::to_lowercase))
}

/// The headings that stand at the top of the document: not in code, quotes or lists.
fn top_level_sections<'a>(
    start: &TextPlace,
    body: &'a str,
    first_line: u32,
) -> Vec<PromptSection<'a>> {
    let mut found: Vec<(String, usize, usize)> = Vec::new();
    let mut depth = 0_usize;
    let mut title: Option<String> = None;
    for (event, range) in Parser::new_ext(body, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0
                    && matches!(&tag, Tag::Heading { level, .. } if *level == HeadingLevel::H1)
                {
                    title = Some(String::new());
                }
                depth += 1;
            }
            Event::End(tag) => {
                depth = depth.saturating_sub(1);
                if depth == 0
                    && tag == TagEnd::Heading(HeadingLevel::H1)
                    && let Some(title) = title.take()
                {
                    if found.len() > SECTIONS_MAX {
                        break; // one more than allowed says enough
                    }
                    found.push((title, range.start, range.end));
                }
            }
            Event::Text(text) | Event::Code(text) => {
                title.iter_mut().for_each(|title| *title += &text)
            }
            Event::SoftBreak | Event::HardBreak => {
                title.iter_mut().for_each(|title| title.push(' '))
            }
            _ => {}
        }
    }
    let starts = found.iter().skip(1).map(|(_, start, _)| *start);
    let ends: Vec<usize> = starts.chain([body.len()]).collect();
    let (mut counted, mut line) = (0, first_line);
    let section = |((title, from, text_from), end): ((String, usize, usize), usize)| {
        let lines = body[counted..from].matches('\n').count();
        line = line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        counted = from;
        let start = start.clone();
        PromptSection {
            title: title.trim().to_owned(),
            place: TextPlace { line, ..start },
            text: &body[text_from..end],
        }
    };
    found.into_iter().zip(ends).map(section).collect()
}
