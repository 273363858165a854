//! Pages as they come, and as somebody makes them who means no good.

use super::reader::{HEADINGS_MAX, LABEL_BYTES_MAX, LINKS_MAX};
use super::*;

fn page(html: &str) -> HtmlPage {
    let base = Url::parse("https://example.org/docs/a.html").unwrap();
    extract_page(html, Some(&base), &StopFlag::new()).unwrap()
}

#[test]
fn a_page_becomes_its_readable_part() {
    let found = page(concat!(
        "<!doctype html><html><head><title>A &amp; B\n docs</title><style>p{}</style></head><body>",
        "<nav><a href=/x>Menu</a></nav><h1>Intro</h1><p>One  <b>two</b>\nthree.<br>Four</p>",
        "<ul><li>first<li>second</ul><pre>  keep\n  this</pre><script>var a = '<p>no</p>';</script>",
        "<h2 id=q><a href=\"#q\">Use</a></h2><p>See <a href='../b.html?x=1&amp;y=2'>the\n other</a> and",
        " <a href=\"javascript:alert(1)\">not this</a>.</p><table><tr><td>1<td>2</table></body>",
    ));
    assert_eq!(found.title, "A & B docs");
    assert_eq!(
        found.text,
        "# Intro\nOne two three.\nFour\n- first\n- second\n  keep\n  this\n## Use\nSee the other and not this.\n1 2"
    );
    let heading = |level, text: &str| HtmlHeading {
        level,
        text: text.to_owned(),
    };
    assert_eq!(found.headings, [heading(1, "Intro"), heading(2, "Use")]);
    let url = "https://example.org/b.html?x=1&y=2".to_owned();
    assert_eq!(
        found.links,
        [HtmlLink {
            text: "the other".to_owned(),
            url
        }]
    );
}

#[test]
fn the_main_part_is_preferred_when_there_is_one() {
    let long = "word ".repeat(100);
    let found = page(&format!(
        "<p>before</p><main><p>{long}</p></main><footer>after</footer>"
    ));
    assert_eq!(found.text, long.trim());
    let short = page("<p>before</p><main>x</main>");
    assert_eq!(short.text, "before\nx");
}

#[test]
fn hostile_pages_end_and_stay_in_bounds() {
    let deep = "<div>".repeat(200_000) + "x";
    assert_eq!(page(&deep).text, "x");
    let anchors = "<a href=/x>".repeat(100_000) + "x";
    assert!(page(&anchors).links.len() <= LINKS_MAX);
    let headings = "<h1>t</h1>".repeat(10_000);
    assert_eq!(page(&headings).headings.len(), HEADINGS_MAX);
    let open_headings = "<h1>".repeat(50_000) + &"t".repeat(100_000);
    assert!(page(&open_headings).headings.is_empty());
    let title = format!("<title>{}", "t".repeat(1 << 20));
    assert_eq!(page(&title).title.len(), LABEL_BYTES_MAX);
    let attributes = format!(
        "<p {}>x",
        (0..20_000).map(|n| format!("a{n}=1 ")).collect::<String>()
    );
    assert_eq!(page(&attributes).text, "x");
    for odd in [
        "",
        "<",
        "</",
        "<!--",
        "<a href",
        "<script>never closed",
        "&#x110000;&#0;&bogus;",
        "\0<\0>",
    ] {
        let _ = page(odd);
    }
    let stopped = StopFlag::new();
    stopped.cancel();
    assert!(extract_page("<p>x", None, &stopped).is_err());
}

#[test]
fn fragments_lose_their_tags() {
    for (fragment, expected) in [
        (
            "a <span class=\"searchmatch\">b</span> &quot;c&quot;",
            "a b \"c\"",
        ),
        (
            "<jats:p>One &lt; two.</jats:p>\n<p>Three</p>",
            "One < two. Three",
        ),
        ("plain", "plain"),
    ] {
        assert_eq!(plain_text(fragment), expected);
    }
}

proptest::proptest! {
    #[test]
    fn no_page_crashes(html in "(<[/!]?[a-z1-6]{0,6}( [a-z]{1,4}=?[\"']?[a-z:/#]{0,5}[\"']?)?/?>?|[a-z &;\n\u{e4}]{0,6}|\\PC){0,60}") {
        let found = page(&html);
        proptest::prop_assert!(found.text.len() <= html.len() * 8 && found.links.len() <= LINKS_MAX);
        let _ = plain_text(&html);
    }
}

#[test]
fn a_page_says_its_charset_before_its_body() {
    for (page, expected) in [
        (
            "<!doctype html><html><head><meta charset=Shift_JIS>",
            Some("Shift_JIS"),
        ),
        (
            "<META Http-Equiv='Content-Type' Content='text/html; charset=\"KOI8-R\"'>",
            Some("koi8-r"),
        ),
        (
            "<meta name=a content='charset=x'><meta charset='gbk'>",
            Some("gbk"),
        ),
        (
            "<!-- <meta charset=a> --><title><meta charset=b></title>",
            None,
        ),
        ("<script>'<meta charset=c>'</script>", None),
        ("<body><meta charset=d>", None),
        ("<meta http-equiv=content-type content=text/html>", None),
        ("<meta charset", None),
        ("", None),
    ] {
        assert_eq!(page_charset(page.as_bytes()).as_deref(), expected, "{page}");
    }
}
