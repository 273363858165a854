//! Manifests of plugins, with settings behind a line of `====`: any text is a plugin whose tools are sound, or a list of errors.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use mathchain::registry::Catalogue;
use mathchain::registry::plugins::{PluginBundle, PluginHost, PluginManifest, PluginRunner, PluginSettings, load_plugins};
use mathchain::{Ctx, ToolError, Value};

/// Stands between the manifest and its settings.
const LINE: &str = "\n====\n";

/// A machine with Python, where nothing runs.
struct Idle;

impl PluginHost for Idle {
    fn has_program(&self, name: &str) -> bool {
        name == "python3"
    }

    fn runner(&self, _: &PluginBundle, _: &PluginManifest, _: &[String], _: &Value) -> Arc<dyn PluginRunner> {
        Arc::new(Idle)
    }
}

impl PluginRunner for Idle {
    fn call(&self, _: &str, args: &Value, _: &Ctx) -> Result<Value, ToolError> {
        Ok(args.clone())
    }
}

fuzz_target!(|text: &str| {
    let (manifest, settings) = match text.split_once(LINE) {
        Some((manifest, settings)) => (manifest, Some(settings)),
        None => (text, None),
    };
    let bundle = PluginBundle {
        manifest_name: "plugins/p/manifest.json".to_owned(),
        manifest: manifest.to_owned(),
        settings: settings.map(|text| ("plugin-settings/p.json".to_owned(), text.to_owned())),
        files: vec!["manifest.json".to_owned(), "plugin.py".to_owned()],
        digest: "0".to_owned(),
        server: None,
    };
    let (loaded, broken) = load_plugins(std::slice::from_ref(&bundle), &Idle, &[]);
    assert!(loaded.len() + broken.len() <= 1);
    assert!(broken.iter().all(|one| !one.errors.list().is_empty()));
    for plugin in &loaded {
        let name = &plugin.manifest.name;
        let read = PluginSettings::of_text(name, &plugin.settings.to_text());
        assert_eq!(read.as_ref().ok(), Some(&plugin.settings), "{read:?}");
        // What loads is refused for its names only.
        let _ = Catalogue::with_plugins(&[], plugin.erased());
        for tool in plugin.erased() {
            let own = tool.spec().id.strip_prefix(name.as_str());
            assert!(own.is_some_and(|rest| rest.starts_with(':')));
            assert_eq!(tool.spec().fault(), None);
            let _ = (tool.description(), tool.output_schema());
            for args in samples(&tool.input_schema()) {
                if let Ok(call) = tool.decode(&args) {
                    let _ = (call.resources(), call.reach());
                    // Arguments that were completed are complete.
                    let again = tool.decode(call.args()).map(|again| again.args().clone());
                    assert_eq!(again.ok().as_ref(), Some(call.args()));
                }
            }
        }
    }
});

/// Arguments for a schema: none, and for each parameter a few of every kind.
fn samples(schema: &mathchain::tool_core::schema::Schema) -> Vec<Value> {
    let empty = || Value::object::<&str, Value>([]);
    let names: Vec<&str> = (schema.get("properties"))
        .and_then(|properties| properties.as_object())
        .map(|properties| properties.keys().map(String::as_str).collect())
        .unwrap_or_default();
    let values = [
        Value::Null,
        Value::Bool(true),
        Value::Int(3),
        Value::from(0.5),
        Value::from("a/b"),
        Value::array(vec![Value::Int(1), Value::from("x")]),
        Value::object([("k", Value::Int(1))]),
    ];
    let mut all = vec![empty(), Value::Null];
    for value in &values {
        all.push(Value::object(
            names.iter().map(|name| (*name, value.clone())),
        ));
    }
    all
}
