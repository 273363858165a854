//! Apps: pages that a client shows beside the result of a tool (the extension `io.modelcontextprotocol/ui`, version 2026-01-26).
//!
//! A page is one document without a request of its own. It is put together here from its file and the parts that all share, so that the
//! bridge to the client exists once. Only clients that say they show such pages are told of them; what a page shows is in the result too.

mod run;

use rmcp::model::{ClientCapabilities, MetaObject, Resource, ResourceContents, Tool};
use serde_json::{Value as Json, json};

pub(super) use run::run_facts;

/// The extension, as clients declare it.
const EXTENSION: &str = "io.modelcontextprotocol/ui";
/// The one type of pages.
const MIME_TYPE: &str = "text/html;profile=mcp-app";
const SCHEME: &str = "ui://mathchain/";
/// Longest page that a client need take, in bytes.
#[cfg(test)]
const BYTES_MAX: usize = 400_000;

const BRIDGE: &str = include_str!("../../../assets/apps/bridge.js");
const PARTS: &str = include_str!("../../../assets/apps/parts.js");
const REQUEST: &str = include_str!("../../../assets/apps/request.js");
const STYLE: &str = include_str!("../../../assets/apps/apps.css");

/// Tools whose result is a picture.
const DRAWING_TOOLS: [&str; 3] = ["plot", "plot_function", "plot_sixel"];

/// A page.
struct App {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    body: &'static str,
    script: &'static str,
}

static APPS: [App; 3] = [
    App {
        name: "plot",
        title: "Plot",
        description: "The picture of a plot, with zoom and the values of its points",
        body: include_str!("../../../assets/apps/plot.html"),
        script: include_str!("../../../assets/apps/plot.js"),
    },
    App {
        name: "run",
        title: "Run",
        description: "The graph and the steps of a plan that ran",
        body: include_str!("../../../assets/apps/run.html"),
        script: include_str!("../../../assets/apps/run.js"),
    },
    App {
        name: "approval",
        title: "Approval",
        description: "A call that waits for the operator, with all that it would do; it decides nothing",
        body: include_str!("../../../assets/apps/approval.html"),
        script: include_str!("../../../assets/apps/approval.js"),
    },
];

impl App {
    fn uri(&self) -> String {
        format!("{SCHEME}{}", self.name)
    }

    /// The page for the results of a tool.
    fn of_tool(tool: &Tool) -> Option<&'static Self> {
        let hints = tool.annotations.as_ref();
        let is_harmless = hints.is_some_and(|hints| {
            hints.read_only_hint == Some(true) && hints.open_world_hint == Some(false)
        });
        let name = match &*tool.name {
            "chain_run" => "run",
            name if DRAWING_TOOLS.contains(&name) => "plot",
            // What it calls is seldom what asks, and a page beside every search is a burden.
            "call_tool" => return None,
            _ if is_harmless => return None,
            _ => "approval",
        };
        APPS.iter().find(|app| app.name == name)
    }

    /// The document.
    fn page(&self) -> String {
        let (title, body, script) = (self.title, self.body, self.script);
        // The client's policy holds too; this one forbids every request even where a client has none.
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; \
             style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n{body}<script>\n{BRIDGE}{PARTS}{REQUEST}{script}</script>\n</body>\n</html>\n"
        )
    }
}

/// What a client must know to show a page: which origins it reaches (none), and that it wants a frame.
fn page_metadata() -> MetaObject {
    let none: [&str; 0] = [];
    let csp = json!({ "connectDomains": none, "resourceDomains": none, "frameDomains": none, "baseUriDomains": none });
    let mut meta = MetaObject::new();
    meta.insert(
        "ui".to_owned(),
        json!({ "csp": csp, "prefersBorder": true }),
    );
    meta
}

/// Whether a client shows pages.
pub(super) fn shows_apps(capabilities: Option<&ClientCapabilities>) -> bool {
    let extensions = capabilities.and_then(|known| known.extensions.as_ref());
    let types = extensions.and_then(|all| all.get(EXTENSION)?.get("mimeTypes")?.as_array());
    types.is_some_and(|types| types.iter().any(|one| one == MIME_TYPE))
}

/// The tools with the pages for their results, under the key of the specification and the flat one that older clients read.
pub(super) fn link_tools(tools: &[Tool]) -> Vec<Tool> {
    let linked = |tool: &Tool| {
        let mut tool = tool.clone();
        if let Some(app) = App::of_tool(&tool) {
            let meta = tool.meta.get_or_insert_default();
            meta.insert("ui".to_owned(), json!({ "resourceUri": app.uri() }));
            meta.insert("ui/resourceUri".to_owned(), Json::String(app.uri()));
        }
        tool
    };
    tools.iter().map(linked).collect()
}

/// The pages as resources.
pub(super) fn list_apps() -> Vec<Resource> {
    let resource = |app: &App| {
        let mut resource = Resource::new(app.uri(), app.name)
            .with_title(app.title)
            .with_description(app.description)
            .with_mime_type(MIME_TYPE)
            .with_size(app.page().len() as u64);
        resource.meta = Some(page_metadata());
        resource
    };
    APPS.iter().map(resource).collect()
}

/// A page by its URI.
pub(super) fn read_app(uri: &str) -> Option<ResourceContents> {
    let name = uri.strip_prefix(SCHEME)?;
    let app = APPS.iter().find(|app| app.name == name)?;
    let contents = ResourceContents::text(app.page(), uri).with_mime_type(MIME_TYPE);
    Some(contents.with_meta(page_metadata()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_small_and_name_no_other_place() {
        for app in &APPS {
            let page = app.page();
            assert!(
                page.len() < BYTES_MAX / 8,
                "{}: {} bytes",
                app.name,
                page.len()
            );
            for outside in [
                "http:",
                "https:",
                "//cdn",
                "@import",
                "url(",
                "innerHTML",
                "eval(",
            ] {
                assert!(!page.contains(outside), "{}: {outside}", app.name);
            }
            // The end of an element in a script would end the script.
            assert_eq!(page.matches("</script>").count(), 1, "{}", app.name);
            assert_eq!(page.matches("ui/initialize").count(), 1, "one bridge");
        }
    }

    #[test]
    fn a_client_shows_pages_where_it_says_so_for_their_type() {
        let capabilities = |text: &str| serde_json::from_str::<ClientCapabilities>(text).unwrap();
        let of = |types: &str| {
            capabilities(&format!(
                "{{\"extensions\":{{\"{EXTENSION}\":{{\"mimeTypes\":{types}}}}}}}"
            ))
        };
        assert!(shows_apps(Some(&of(&format!("[\"{MIME_TYPE}\"]")))));
        assert!(!shows_apps(Some(&of("[\"text/html\"]"))));
        assert!(!shows_apps(Some(&of("\"text/html\""))));
        assert!(!shows_apps(Some(&capabilities("{}"))));
        assert!(!shows_apps(None));
    }
}
