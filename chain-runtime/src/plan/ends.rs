//! What goes into a plan and what comes out: the declarations of its inputs, and its outputs.

use std::sync::Arc;

use tool_core::{Object, Value};

use super::read::{INPUT_FIELDS, Reader};
use super::{Input, InputType};
use crate::problem::Fault;
use crate::template::Node;

impl Reader {
    pub(super) fn inputs(&mut self, inputs: &Object) -> Vec<Input> {
        if !self.few(inputs, "inputs") {
            return Vec::new();
        }
        inputs
            .iter()
            .filter_map(|(name, value)| self.under(name, |reader| reader.input(name, value)))
            .collect()
    }

    fn input(&mut self, name: &str, value: &Value) -> Option<Input> {
        let name = self.id(name.into(), &[]);
        let Some(object) = value.as_object() else {
            self.hinted(
                Fault::Form,
                format!(
                    "expected the declaration of an input, found {}",
                    value.kind()
                ),
                "write `name: {type: number, default: 1}`",
            );
            return None;
        };
        self.closed(object, &INPUT_FIELDS, "an input");
        let kinds = InputType::ALL.map(InputType::as_str).join(", ");
        let input = Input {
            name,
            kind: self
                .field(object, "type", &format!("one of {kinds}"), |value| {
                    InputType::parse(value.as_str()?)
                })
                .unwrap_or(InputType::Any),
            default: object.get("default").cloned(),
            minimum: self.field(object, "minimum", "a number", Value::as_f64),
            maximum: self.field(object, "maximum", "a number", Value::as_f64),
            choices: self.field(object, "enum", "a list", Value::items),
            description: self.field(object, "description", "a text", |value| {
                value.as_str().map(Arc::from)
            }),
        };
        self.consistent(&input);
        if let Some(fault) = input
            .default
            .as_ref()
            .and_then(|default| input.fault(default))
        {
            self.under("default", |reader| reader.report(Fault::Input, fault));
        }
        Some(input)
    }

    /// Refuses limits that no value keeps, or that mean nothing for the type.
    fn consistent(&mut self, input: &Input) {
        let numeric = matches!(
            input.kind,
            InputType::Number | InputType::Integer | InputType::Any
        );
        for (key, bound) in [("minimum", input.minimum), ("maximum", input.maximum)] {
            if bound.is_some() && !numeric {
                let message = format!("`{key}` is for numbers, the input is a {}", input.kind);
                self.under(key, |reader| {
                    reader.hinted(Fault::Form, message, "leave it out, or use `enum`");
                });
            }
        }
        if let (Some(least), Some(most)) = (input.minimum, input.maximum)
            && least > most
        {
            let message = format!("`minimum` {least} is more than `maximum` {most}");
            self.hinted(Fault::Form, message, "exchange them");
        }
        if input.choices.as_ref().is_some_and(Vec::is_empty) {
            self.under("enum", |reader| {
                let message = "`enum` allows no value".to_owned();
                reader.hinted(Fault::Form, message, "list values, or leave it out");
            });
        }
    }

    pub(super) fn outputs(&mut self, outputs: &Object) -> Vec<(Arc<str>, Node)> {
        if !self.few(outputs, "outputs") {
            return Vec::new();
        }
        if outputs.len() == 1
            && ["$ref", "$lit", "$fmt"]
                .iter()
                .any(|key| outputs.get(key).is_some())
        {
            self.hinted(
                Fault::Form,
                "expected outputs by name, found a single value".to_owned(),
                "write `outputs: {result: {$ref: ..}}`",
            );
            return Vec::new();
        }
        outputs
            .iter()
            .map(|(name, value)| {
                let node = self.under(name, |reader| {
                    reader.opens_nothing(value);
                    Node::compile(value, &mut reader.pointer, &mut reader.problems)
                });
                (Arc::from(name), node)
            })
            .collect()
    }

    /// Outputs are data: what would open a file as an argument would stand in the answer as it is written.
    fn opens_nothing(&mut self, value: &Value) {
        if let Some(object) = value.as_object() {
            if object.get("$lit").is_some() {
                return;
            }
            let opens = |key: &&&str| object.len() == 1 && object.get(key).is_some();
            if let Some(key) = ["$file", "$artifact"].iter().find(opens) {
                self.hinted(
                    Fault::Form,
                    format!("`{key}` opens nothing in an output"),
                    "read it with a step, or wrap it as it is: {$lit: ..}",
                );
                return;
            }
            for (key, member) in object.iter() {
                self.under(key, |reader| reader.opens_nothing(member));
            }
        } else if let Value::Array(items) = value {
            for (index, item) in items.iter().enumerate() {
                self.item(index, |reader| reader.opens_nothing(item));
            }
        }
    }
}
