//! The prompts: what stands under the headings of the first level.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use tool_core::nearest::nearest;

use super::{AgentFile, SECTIONS_MAX};
use crate::error::{LoadError, Place};

const SYSTEM: &str = "System Prompt";
const USER_TEMPLATE: &str = "User Prompt Template";
const USER: &str = "User Prompt";

/// A heading of the first level and what stands under it.
struct Section<'a> {
    title: String,
    place: Place,
    text: &'a str,
}

/// Finds the prompts of an agent.
pub(super) fn read(
    agent: &mut AgentFile,
    body: &str,
    first_line: u32,
    errors: &mut Vec<LoadError>,
) {
    let sections = sections(&agent.place, body, first_line);
    if sections.len() > SECTIONS_MAX {
        let message = format!("more than {SECTIONS_MAX} headings of the first level");
        errors.push(LoadError::new(Some(&agent.place), message));
        return;
    }
    let mut seen: Vec<&Section<'_>> = Vec::new();
    for section in &sections {
        let known = [SYSTEM, USER_TEMPLATE, USER]
            .into_iter()
            .find(|known| same(known, &section.title));
        if let Some(known) = known {
            if let Some(first) = seen.iter().find(|other| same(known, &other.title)) {
                let message = format!(
                    "the section `{known}` is there twice, first in line {}",
                    first.place.line
                );
                errors.push(LoadError::new(Some(&section.place), message));
            }
            seen.push(section);
            continue;
        }
        let title: String = section.title.chars().take(80).collect();
        match nearest(&title, [SYSTEM, USER_TEMPLATE, USER]) {
            Some(near) => errors.push(
                LoadError::new(
                    Some(&section.place),
                    format!("no section is called `{title}`"),
                )
                .hint(format!("did you mean `{near}`?")),
            ),
            None => agent.notes.push(LoadError::new(
                Some(&section.place),
                format!("the section `{title}` is part of no prompt"),
            )),
        }
    }
    let text_of = |name: &str| {
        let found = seen.iter().find(|section| same(name, &section.title));
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
fn same(known: &str, title: &str) -> bool {
    known
        .split_whitespace()
        .map(str::to_lowercase)
        .eq(title.split_whitespace().map(str::to_lowercase))
}

/// The headings that stand at the top of the document: not in code, quotes or lists.
fn sections<'a>(start: &Place, body: &'a str, first_line: u32) -> Vec<Section<'a>> {
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
                if let Some(title) = &mut title {
                    title.push_str(&text);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(title) = &mut title {
                    title.push(' ');
                }
            }
            _ => {}
        }
    }
    let ends: Vec<usize> = found
        .iter()
        .skip(1)
        .map(|(_, start, _)| *start)
        .chain([body.len()])
        .collect();
    let mut counted = (0, first_line);
    found
        .into_iter()
        .zip(ends)
        .map(|((title, from, text_from), end)| {
            let lines = body[counted.0..from].bytes().filter(|byte| *byte == b'\n');
            let line = counted
                .1
                .saturating_add(u32::try_from(lines.count()).unwrap_or(u32::MAX));
            counted = (from, line);
            Section {
                title: title.trim().to_owned(),
                place: Place {
                    line,
                    ..start.clone()
                },
                text: &body[text_from..end],
            }
        })
        .collect()
}
