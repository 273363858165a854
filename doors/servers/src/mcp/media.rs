//! Pictures, sounds and documents in results, which a client is sent as such and not as text.
//!
//! A member of a result is one of these: a text that is a sixel picture; `{"$media": "image/png", "base64": ..}`, a picture or sound;
//! `{"$resource": URI, "mime_type": .., "text": ..}` or `"base64"` for `"text"`, a document.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{ContentBlock, ResourceContents};
use tool_core::{Object, Value};

use mathchain::picture;

/// Most bytes of a picture, a sound or a document, as it is sent.
const BYTES_MAX: usize = 700_000;

/// Pictures that every client shows.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// A result without what is sent as such, and this.
pub(super) fn split_media(output: &Value) -> (Value, Vec<ContentBlock>) {
    let Some(members) = output.as_object() else {
        return (output.clone(), Vec::new());
    };
    let (mut rest, mut blocks) = (members.clone(), Vec::new());
    for (name, member) in members.iter() {
        if let Some((left, block)) = media_block(member) {
            rest.insert(name, left);
            blocks.push(block);
        }
    }
    (rest.into(), blocks)
}

/// A picture of a text as PNG in base64, where it is one.
pub(super) fn encode_png(text: &str) -> Option<String> {
    picture::png_of_sixel(text).map(|png| STANDARD.encode(png))
}

/// What stays in place of a member, and what it is sent as; `None` for other members, and for those that are too large.
fn media_block(member: &Value) -> Option<(Value, ContentBlock)> {
    if let Some(text) = member.as_str() {
        let image = encode_png(text).filter(|image| image.len() <= BYTES_MAX)?;
        let block = ContentBlock::image(image, "image/png");
        return Some((Value::from("(shown as an image)"), block));
    }
    let members = member.as_object()?;
    if let Some(kind) = member.text("$media") {
        let data = member.text("base64").filter(|data| is_within_limit(data))?;
        let (left, block) = match kind.split_once('/')? {
            ("image", _) if IMAGES.contains(&kind) => {
                ("(shown as an image)", ContentBlock::image(data, kind))
            }
            ("audio", _) => ("(played as audio)", ContentBlock::audio(data, kind)),
            _ => return None,
        };
        return Some((replace_member(members, "base64", left), block));
    }
    // Not one of this server's own, nor a file of the client's machine: a result may come from anywhere.
    let own = |uri: &&str| {
        !["mathchain:", "file:"]
            .iter()
            .any(|scheme| uri.to_ascii_lowercase().starts_with(scheme))
    };
    let uri = member.text("$resource").filter(own)?;
    let kind = member.text("mime_type").unwrap_or("text/plain");
    let (field, contents) = match (member.text("text"), member.text("base64")) {
        (Some(text), None) => ("text", ResourceContents::text(text, uri)),
        (None, Some(data)) => ("base64", ResourceContents::blob(data, uri)),
        _ => return None,
    };
    member.text(field).filter(|data| is_within_limit(data))?;
    let block = ContentBlock::resource(contents.with_mime_type(kind));
    Some((
        replace_member(members, field, "(shown as a document)"),
        block,
    ))
}

fn is_within_limit(data: &str) -> bool {
    data.len() <= BYTES_MAX
}

fn replace_member(members: &Object, field: &str, left: &str) -> Value {
    let mut members = members.clone();
    members.insert(field, left);
    members.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        mathchain::parse_json(text).unwrap()
    }

    #[test]
    fn pictures_sounds_and_documents_are_taken_out() {
        let output = value(
            r#"{"a":{"$media":"image/png","base64":"AA=="},"b":{"$media":"audio/wav","base64":"AQ=="},
            "c":{"$resource":"doc://1","mime_type":"text/csv","text":"x,y"},"d":{"$resource":"doc://2","base64":"Ag=="},"n":1}"#,
        );
        let (rest, blocks) = split_media(&output);
        let blocks = serde_json::to_value(&blocks).unwrap();
        let expected = serde_json::json!([
            {"type":"image","data":"AA==","mimeType":"image/png"},
            {"type":"audio","data":"AQ==","mimeType":"audio/wav"},
            {"type":"resource","resource":{"uri":"doc://1","mimeType":"text/csv","text":"x,y"}},
            {"type":"resource","resource":{"uri":"doc://2","mimeType":"text/plain","blob":"Ag=="}},
        ]);
        assert_eq!(blocks, expected);
        let expected = value(
            r#"{"a":{"$media":"image/png","base64":"(shown as an image)"},"b":{"$media":"audio/wav","base64":"(played as audio)"},
            "c":{"$resource":"doc://1","mime_type":"text/csv","text":"(shown as a document)"},
            "d":{"$resource":"doc://2","base64":"(shown as a document)"},"n":1}"#,
        );
        assert_eq!(rest, expected);
    }

    #[test]
    fn what_clients_do_not_show_stays_in_the_result() {
        let large = "A".repeat(BYTES_MAX + 1);
        for member in [
            r#"{"$media":"image/svg+xml","base64":"AA=="}"#.to_owned(),
            r#"{"$media":"video/mp4","base64":"AA=="}"#.to_owned(),
            r#"{"$media":"image/png"}"#.to_owned(),
            r#"{"$resource":"doc://1"}"#.to_owned(),
            r#"{"$resource":"doc://1","text":"a","base64":"AA=="}"#.to_owned(),
            format!(r#"{{"$media":"image/png","base64":"{large}"}}"#),
        ] {
            let output = value(&format!(r#"{{"a":{member}}}"#));
            assert_eq!(
                split_media(&output),
                (output.clone(), Vec::new()),
                "{member:.80}"
            );
        }
    }
}
