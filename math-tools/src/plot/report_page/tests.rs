//! Pages: what is shown of a result, and what is refused.

use tool_core::Value;

use super::Args;
use crate::testing::{assert_refused, run};

fn html_of(call: &str) -> String {
    let output = run::<Args>(call).unwrap();
    let html = output.page.get("text").and_then(Value::as_str).unwrap();
    assert_eq!(output.bytes, html.len());
    html.to_owned()
}

#[test]
fn a_result_is_its_sentence_its_tables_and_its_details() {
    let html = html_of(
        r#"{"title": "T", "sections": [{"heading": "H", "text": "one\ntwo\n\nthree", "result":
            {"summary": "The means differ.", "apa": "t(3) = 2", "n": 12, "p": 0.0001234567,
             "groups": [{"group": "a", "mean": 1.23456789, "interval": [1, 2]}, {"group": "b", "mean": 2, "note": "<b>"}],
             "fit": {"method": "ml", "steps": [{"at": 1}]}, "drawing": "a\nb"}}]}"#,
    );
    for part in [
        "<p>one two</p>\n<p>three</p>",
        "<p class=\"finding\">The means differ.</p>",
        "<p class=\"quoted\">t(3) = 2</p>",
        "<caption>groups</caption>",
        "<td>a</td><td class=\"number\">1.235</td><td>1, 2</td><td></td>",
        "<td>b</td><td class=\"number\">2</td><td></td><td>&lt;b&gt;</td>",
        "<td>n</td><td class=\"number\">12</td>",
        "<td>method</td><td>ml</td>",
        "<caption>steps</caption>",
    ] {
        assert!(html.contains(part), "{part} is missing in\n{html}");
    }
    assert!(!html.contains("drawing"), "{html}");
}

#[test]
fn pictures_are_inside_the_page() {
    let html = html_of(
        r#"{"title": "T", "sections": [{"heading": "H", "caption": "C", "picture":
            {"description": "A \"line\".", "picture": {"$media": "image/png", "base64": "iVBORw0KGgo="}}},
            {"heading": "S", "picture": {"$resource": "plot:picture.svg", "mime_type": "image/svg+xml", "text": "<svg/>"}}]}"#,
    );
    assert!(html.contains("<img src=\"data:image/png;base64,iVBORw0KGgo=\" alt=\"A &quot;line&quot;.\">\n<figcaption>C</figcaption>"));
    assert!(html.contains("<img src=\"data:image/svg+xml;base64,PHN2Zy8+\" alt=\"S\">"));
}

#[test]
fn long_tables_are_cut_and_say_so() {
    let rows: Vec<String> = (0..61).map(|n| format!(r#"{{"n": {n}}}"#)).collect();
    let html = html_of(&format!(
        r#"{{"title": "T", "sections": [{{"heading": "H", "result": {{"rows": [{}]}}}}]}}"#,
        rows.join(",")
    ));
    assert!(html.contains("rows (the first 60 of 61)"));
    assert_eq!(html.matches("<tr>").count(), 61);
}

#[test]
fn what_is_no_result_or_picture_is_refused_at_its_place() {
    assert_refused::<Args>(&[
        (r#"{"title": "T", "sections": []}"#, "/sections", "1 to 200"),
        (
            r#"{"title": "T", "sections": [{"heading": "H", "result": 3}]}"#,
            "/sections/0/result",
            "the result of a tool",
        ),
        (
            r#"{"title": "T", "sections": [{"heading": "H", "result": {"groups": 1}, "show": ["group"]}]}"#,
            "/sections/0/show/0",
            "no member `group`",
        ),
        (
            r#"{"title": "T", "sections": [{"heading": "H", "show": ["a"]}]}"#,
            "/sections/0/show",
            "found none",
        ),
        (
            r#"{"title": "T", "sections": [{"heading": "H", "picture": {"$media": "image/png", "base64": "\" onload=x"}}]}"#,
            "/sections/0/picture",
            "png or svg",
        ),
        (
            r#"{"title": "T", "sections": [{"heading": "H", "rows": [1, 2]}]}"#,
            "/sections/0/rows",
            "list of records",
        ),
    ]);
}
