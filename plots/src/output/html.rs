//! A display list as one page: the picture, zoom, values of points, and files; nothing is loaded from elsewhere.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::digest::policy_hash;
use super::svg::{escape_text, short_number, svg_element, svg_parts};
use crate::scene::PlotScene;

const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

impl PlotScene {
    /// The picture as a page that needs no other file; its policy admits its own script and styles alone, by their digests.
    #[must_use]
    pub fn to_html(&self) -> String {
        let parts = svg_parts(self);
        let mark = "<circle id=\"mark\" r=\"6\" fill=\"none\" stroke=\"#d55e00\" stroke-width=\"2\" visibility=\"hidden\"/>\n</svg>";
        let svg = svg_element(self, &parts).replacen("</svg>", mark, 1);
        let mut styles = policy_hash(STYLE);
        if !parts.style.is_empty() {
            let _ = write!(styles, " {}", policy_hash(&parts.style));
        }
        let script = policy_hash(SCRIPT);
        let number = |value: f64| {
            let mut text = String::new();
            short_number(&mut text, value);
            text.parse::<f64>().unwrap_or(0.0)
        };
        let points: Json = self
            .hover
            .iter()
            .map(|point| json!([number(point.x), number(point.y), point.text]))
            .collect();
        // Inside an element of a script only its end means something.
        let points = points.to_string().replace('<', "\\u003c");
        let (title, description) = (escape_text(&self.title), escape_text(&self.description));
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {script}; style-src {styles}; \
             font-src data:; img-src blob: data:; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
             <body>\n<main>\n<h1>{title}</h1>\n<div role=\"toolbar\" aria-label=\"Picture\">\n\
             <button type=\"button\" data-does=\"larger\">Zoom in</button>\n<button type=\"button\" data-does=\"smaller\">Zoom out</button>\n\
             <button type=\"button\" data-does=\"whole\">Whole</button>\n<button type=\"button\" data-does=\"svg\">Save SVG</button>\n\
             <button type=\"button\" data-does=\"png\">Save PNG</button>\n<span id=\"status\" role=\"status\"></span>\n</div>\n\
             <figure tabindex=\"0\" aria-label=\"Plot: arrows move between points, plus and minus zoom\">\n{svg}\
             <div id=\"tip\" hidden></div>\n<figcaption>{description}</figcaption>\n</figure>\n</main>\n\
             <script type=\"application/json\" id=\"points\">{points}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
        )
    }
}
