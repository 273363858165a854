//! The grammar of calls: a small matcher of GBNF holds it against the examples of every tool.

use std::collections::HashMap;

use registry::offer::{self, OfferDetail, ToolOffer};
use tool_core::AnyTool;

/// An expression of a grammar.
#[derive(Debug)]
enum Part {
    Literal(Vec<char>),
    /// Characters and ranges; whether they are the ones left out.
    Class(Vec<(char, char)>, bool),
    Rule(String),
    Either(Vec<Vec<Part>>),
    Repeat(Box<Part>, usize, usize),
}

struct Reader<'a> {
    chars: std::iter::Peekable<std::str::Chars<'a>>,
}

impl Reader<'_> {
    fn space(&mut self) {
        while self.chars.next_if(|one| *one == ' ').is_some() {}
    }

    fn either(&mut self) -> Part {
        let mut branches = vec![Vec::new()];
        loop {
            self.space();
            match self.chars.peek().copied() {
                None | Some(')') => return Part::Either(branches),
                Some('|') => {
                    self.chars.next();
                    branches.push(Vec::new());
                }
                Some(_) => {
                    let part = self.repeated();
                    branches.last_mut().expect("a branch").push(part);
                }
            }
        }
    }

    fn repeated(&mut self) -> Part {
        let part = self.one();
        let (least, most) = match self.chars.peek().copied() {
            Some('?') => (0, 1),
            Some('*') => (0, usize::MAX),
            Some('+') => (1, usize::MAX),
            Some('{') => {
                let bounds: String = self
                    .chars
                    .by_ref()
                    .skip(1)
                    .take_while(|one| *one != '}')
                    .collect();
                let (least, most) = bounds.split_once(',').unwrap_or((&bounds, &bounds));
                let bounds = (
                    least.parse().expect("a count"),
                    most.parse().expect("a count"),
                );
                return Part::Repeat(Box::new(part), bounds.0, bounds.1);
            }
            _ => return part,
        };
        self.chars.next();
        Part::Repeat(Box::new(part), least, most)
    }

    fn one(&mut self) -> Part {
        match self.chars.next().expect("a part") {
            '(' => {
                let inner = self.either();
                assert_eq!(self.chars.next(), Some(')'));
                inner
            }
            '"' => {
                let mut text = Vec::new();
                loop {
                    match self.chars.next().expect("the end of a literal") {
                        '"' => return Part::Literal(text),
                        '\\' => text.push(self.chars.next().expect("an escaped character")),
                        other => text.push(other),
                    }
                }
            }
            '[' => self.class(),
            first => {
                let mut name = String::from(first);
                while let Some(next) = self
                    .chars
                    .next_if(|one| one.is_ascii_alphanumeric() || *one == '-')
                {
                    name.push(next);
                }
                Part::Rule(name)
            }
        }
    }

    fn class(&mut self) -> Part {
        let is_out = self.chars.next_if_eq(&'^').is_some();
        let mut ranges = Vec::new();
        let escaped =
            |first: char, chars: &mut std::iter::Peekable<std::str::Chars<'_>>| match first {
                '\\' => match chars.next().expect("an escaped character") {
                    'x' => {
                        let digits: String = chars.by_ref().take(2).collect();
                        char::from(u8::from_str_radix(&digits, 16).expect("hexadecimal"))
                    }
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                },
                other => other,
            };
        loop {
            let first = self.chars.next().expect("the end of a class");
            if first == ']' {
                return Part::Class(ranges, is_out);
            }
            let low = escaped(first, &mut self.chars);
            let mut ahead = self.chars.clone();
            let is_range =
                ahead.next() == Some('-') && ahead.next().is_some_and(|next| next != ']');
            let high = match is_range {
                true => {
                    self.chars.next();
                    let next = self.chars.next().expect("the end of a range");
                    escaped(next, &mut self.chars)
                }
                false => low,
            };
            ranges.push((low, high));
        }
    }
}

struct Grammar(HashMap<String, Part>);

impl Grammar {
    fn read(text: &str) -> Self {
        let rule = |line: &str| {
            let (name, body) = line.split_once(" ::= ").expect("a rule a line");
            (
                name.to_owned(),
                Reader {
                    chars: body.chars().peekable(),
                }
                .either(),
            )
        };
        Self(text.lines().map(rule).collect())
    }

    /// Every place where a part that begins at `at` can end.
    fn ends(&self, part: &Part, text: &[char], at: usize) -> Vec<usize> {
        match part {
            Part::Literal(literal) => {
                let fits = text[at..].starts_with(literal);
                fits.then_some(at + literal.len()).into_iter().collect()
            }
            Part::Class(ranges, is_out) => {
                let fits = |one: &char| {
                    ranges.iter().any(|(low, high)| low <= one && one <= high) != *is_out
                };
                text.get(at)
                    .filter(|one| fits(one))
                    .map(|_| at + 1)
                    .into_iter()
                    .collect()
            }
            Part::Rule(name) => self.ends(
                self.0
                    .get(name)
                    .unwrap_or_else(|| panic!("no rule `{name}`")),
                text,
                at,
            ),
            Part::Either(branches) => {
                let mut ends: Vec<usize> = branches
                    .iter()
                    .flat_map(|parts| self.sequence(parts, text, at))
                    .collect();
                ends.sort_unstable();
                ends.dedup();
                ends
            }
            Part::Repeat(part, least, most) => {
                let (mut found, mut last) = (Vec::new(), vec![at]);
                let mut count = 0;
                while !last.is_empty() {
                    if count >= *least {
                        found.extend(last.iter().copied());
                    }
                    if count == *most {
                        break;
                    }
                    let mut next: Vec<usize> = last
                        .iter()
                        .flat_map(|&at| self.ends(part, text, at))
                        .collect();
                    next.sort_unstable();
                    next.dedup();
                    next.retain(|end| !found.contains(end));
                    (last, count) = (next, count + 1);
                }
                found
            }
        }
    }

    fn sequence(&self, parts: &[Part], text: &[char], at: usize) -> Vec<usize> {
        parts.iter().fold(vec![at], |places, part| {
            let mut ends: Vec<usize> = places
                .iter()
                .flat_map(|&at| self.ends(part, text, at))
                .collect();
            ends.sort_unstable();
            ends.dedup();
            ends
        })
    }

    fn accepts(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        self.ends(&self.0["root"], &text, 0).contains(&text.len())
    }
}

/// A call as the grammar orders it: required arguments first, the others by name, and only those that are offered.
fn call(offered: &ToolOffer, args: &tool_core::Value) -> String {
    let required: Vec<&str> = offered.input["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one.as_str())
        .collect();
    let listed = offered.input["properties"].as_object().expect("properties");
    let given = |name: &str| {
        args.get(name)
            .filter(|value| !value.is_null())
            .map(|value| format!("\"{name}\": {value}"))
    };
    let first = required.iter().filter_map(|name| given(name));
    let others = listed
        .keys()
        .filter(|name| !required.contains(&name.as_str()))
        .filter_map(|name| given(name));
    let members = first.chain(others).collect::<Vec<_>>().join(", ");
    format!(
        "{{\"name\": \"{}\", \"arguments\": {{{members}}}}}",
        offered.name
    )
}

#[test]
fn the_grammar_takes_the_examples_of_every_tool_and_nothing_else() {
    let tools: Vec<&dyn AnyTool> = mathchain::tool_families()
        .flatten()
        .map(|entry| entry.tool())
        .collect();
    let offered: Vec<ToolOffer> = tools
        .iter()
        .map(|tool| ToolOffer::of(*tool, OfferDetail::Brief))
        .collect();
    let text = offer::tool_call_grammar(&offered);
    let grammar = Grammar::read(&text);
    let mut tried = 0;
    for (tool, offered) in tools.iter().zip(&offered) {
        for example in tool.examples() {
            let call = call(offered, &example.args);
            if call.len() < 600 {
                assert!(
                    grammar.accepts(&call),
                    "{call}\n{:?}",
                    grammar.0.get(&offered.name.replace('_', "-"))
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "{tried} examples");
    for wrong in [
        r#"{"name": "calculate", "arguments": {}}"#,
        r#"{"name": "calculat", "arguments": {"expression": "1"}}"#,
        r#"{"name": "calculate", "arguments": {"expression": 1}}"#,
        r#"{"name": "calculate", "arguments": {"expression": "1", "exact": "yes"}}"#,
        r#"{"name": "matrix_solve", "arguments": {"A": [[1]], "b": [1], "method": "magic"}}"#,
        r#"{"arguments": {"expression": "1"}}"#,
    ] {
        assert!(!grammar.accepts(wrong), "{wrong}");
    }
    assert!(
        grammar
            .accepts(r#"{"name": "calculate", "arguments": {"expression": "1", "exact": true}}"#)
    );
}
