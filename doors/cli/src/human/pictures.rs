//! Pictures in results, for readers: named, not written out.

use tool_core::{Object, Value};

/// Endings of files, with the media type of their pictures.
pub(crate) const PICTURE_ENDINGS: [(&str, &str); 4] = [
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("pdf", "application/pdf"),
    ("html", "text/html"),
];

/// What a reader sees in place of the content of a picture.
pub(crate) fn without_pictures(value: &Value) -> Value {
    let Some(members) = value.as_object() else {
        return value.clone();
    };
    let media = value.text("$media").or_else(|| {
        value
            .text("mime_type")
            .filter(|_| members.get("$resource").is_some())
    });
    if let Some(media) = media {
        let data = value
            .text("base64")
            .or_else(|| value.text("text"))
            .unwrap_or_default();
        if data.len() < 200 {
            return value.clone();
        }
        let ending = PICTURE_ENDINGS
            .iter()
            .find(|(_, known)| *known == media)
            .map(|(ending, _)| *ending);
        let size = data.len()
            * if members.get("base64").is_some() {
                3
            } else {
                4
            }
            / 4;
        let save = ending
            .map(|ending| format!("; --save FILE.{ending} writes it"))
            .unwrap_or_default();
        return Value::from(format!("({media}, about {} kB{save})", size.div_ceil(1000)));
    }
    let mut rest = Object::new();
    for (name, member) in members.iter() {
        rest.insert(name, without_pictures(member));
    }
    rest.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_core::json::{JsonLimits, parse_json};

    fn value(text: &str) -> Value {
        parse_json(text, JsonLimits::default()).unwrap()
    }

    #[test]
    fn readers_see_no_content_of_pictures() {
        let long = "A".repeat(4000);
        let answer = value(&format!(
            r#"{{"a":1,"picture":{{"$media":"image/png","base64":"{long}"}}}}"#
        ));
        assert_eq!(
            without_pictures(&answer),
            value(r#"{"a":1,"picture":"(image/png, about 3 kB; --save FILE.png writes it)"}"#)
        );
    }
}
