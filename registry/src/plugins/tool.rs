//! A tool of a plugin, whose manifest is enforced on every call and every result.

use std::sync::Arc;

use tool_core::capability::{FileChange, WriteMode};
use tool_core::input::SourceRef;
use tool_core::schema::Schema;
use tool_core::tool::{ErasedExample, check_references, resources_from_templates};
use tool_core::{
    Access, AnyTool, Capability, Ctx, Determinism, Effect, EffectReach, Object, Permission,
    ResourceKey, ResourceKind, ResourceTemplate, Spec, Syntax, ToolCall, ToolError, Value, object,
    tool_error,
};

use super::manifest::{PluginManifest, SERVER_PREFIX, ToolEntry};
use super::shape::PluginSchema;
use crate::document::{self, DocumentFormat};
use crate::error::{LoadError, LoadErrors};

/// Runs the calls of a plugin's tools.
pub trait PluginRunner: Send + Sync {
    /// Runs one call; the tool is named without the plugin.
    ///
    /// # Errors
    /// The error of the plugin, and failures of its process.
    fn call(&self, tool: &str, args: &Value, ctx: &Ctx) -> Result<Value, ToolError>;

    /// Starts the process and waits for its greeting.
    ///
    /// # Errors
    /// When it cannot be started, or the greeting is invalid.
    fn greet(&self, ctx: &Ctx) -> Result<(), ToolError> {
        let _ = ctx;
        Ok(())
    }

    /// Refuses further calls; running calls finish.
    fn close(&self, reason: &str) {
        let _ = reason;
    }
}

/// Makes the tool; `unmet` is a precondition that never holds, for a tool that cannot be called.
pub(super) fn build_plugin_tool(
    manifest: &PluginManifest,
    entry: &ToolEntry,
    source: &str,
    unmet: Option<&str>,
    runner: Arc<dyn PluginRunner>,
) -> Arc<dyn AnyTool> {
    let modifies = entry.effects().contains(&Effect::ModifiesFiles);
    let writes = path_parameters(&entry.parameters)
        .filter(|(_, access)| modifies && *access == Access::Write);
    let writes: Vec<String> = writes.map(|(name, _)| name.to_owned()).collect();
    let spec = Spec {
        id: leak_text(manifest.id(&entry.name)),
        version: manifest.version.major.clamp(1, u32::MAX.into()) as u32,
        source: leak_text(source),
        ..build_tool_spec(entry, manifest.reads_workspace(), !writes.is_empty(), unmet)
    };
    Arc::new(PluginTool(Arc::new(PluginToolInner {
        spec,
        reads_workspace: manifest.reads_workspace(),
        entry: entry.clone(),
        writes,
        host: None,
        runner,
    })))
}

/// A tool that a program written in another language declares at run time, in the form of a tool in a manifest, and runs itself,
/// outside the sandbox. `source` names the program in audit records.
///
/// # Errors
/// Every problem of the declaration.
pub fn own_tool(
    declaration: &Value,
    source: &str,
    runner: Arc<dyn PluginRunner>,
) -> Result<Arc<dyn AnyTool>, LoadErrors> {
    let entry = read_declaration(declaration, source)?;
    let spec = Spec {
        id: leak_text(entry.name.as_str()),
        source: leak_text(source),
        ..build_tool_spec(&entry, false, false, None)
    };
    Ok(Arc::new(PluginTool(Arc::new(PluginToolInner {
        spec,
        reads_workspace: false,
        entry,
        writes: Vec::new(),
        host: None,
        runner,
    }))))
}

/// An operation of a service as a tool.
pub(super) struct ServiceEntry<'a> {
    pub(super) declaration: &'a Value,
    /// Names the service in audit records.
    pub(super) source: &'a str,
    /// Host of the service with its port.
    pub(super) host: &'a str,
    /// Whether it only reads.
    pub(super) is_read: bool,
    /// A precondition that never holds.
    pub(super) unmet: Option<&'a str>,
}

/// A tool that sends requests to one host.
///
/// # Errors
/// Every problem of the declaration.
pub(super) fn service_tool(
    service: ServiceEntry<'_>,
    runner: Arc<dyn PluginRunner>,
) -> Result<Arc<dyn AnyTool>, LoadErrors> {
    let entry = read_declaration(service.declaration, service.source)?;
    let spec = Spec {
        id: leak_text(entry.name.as_str()),
        source: leak_text(service.source),
        ..build_tool_spec(&entry, false, false, service.unmet)
    };
    let access = match service.is_read {
        true => Access::Read,
        false => Access::Write,
    };
    Ok(Arc::new(PluginTool(Arc::new(PluginToolInner {
        spec,
        reads_workspace: false,
        entry,
        writes: Vec::new(),
        host: Some((service.host.to_owned(), access)),
        runner,
    }))))
}

fn read_declaration(declaration: &Value, source: &str) -> Result<ToolEntry, LoadErrors> {
    let text = tool_core::json::to_text(declaration);
    let document = document::parse_document(source, &text, DocumentFormat::Json)?;
    let mut errors = Vec::new();
    let entry = ToolEntry::of_declaration(&document, &mut errors);
    LoadErrors::check(errors)?;
    Ok(entry.ok_or_else(|| LoadError::new(None, "the declaration is no tool"))?)
}

struct PluginTool(Arc<PluginToolInner>);

struct PluginToolInner {
    spec: Spec,
    entry: ToolEntry,
    reads_workspace: bool,
    /// Parameters that name files for the content in results.
    writes: Vec<String>,
    /// The host that it sends requests to, with its port.
    host: Option<(String, Access)>,
    runner: Arc<dyn PluginRunner>,
}

/// The top-level parameters that name paths, with their access.
fn path_parameters(shape: &PluginSchema) -> impl Iterator<Item = (&str, Access)> {
    shape.properties().filter_map(|(name, property)| {
        let access = match property.text("access") {
            Some("write") => Access::Write,
            _ => Access::Read,
        };
        (property.text("format") == Some("path")).then_some((name, access))
    })
}

/// The texts of a spec are static. Those of a plugin are leaked, once for each loaded content: a plugin that did not change keeps its
/// tools over a reload, so that memory grows with edits and not with time.
fn leak_text(text: impl Into<String>) -> &'static str {
    String::leak(text.into())
}

fn keep_all<T>(list: Vec<T>) -> &'static [T] {
    Vec::leak(list)
}

fn build_tool_spec(
    entry: &ToolEntry,
    reads_workspace: bool,
    writes: bool,
    unmet: Option<&str>,
) -> Spec {
    let pointer = |name: &str| {
        let mut pointer = String::new();
        tool_core::path::push_key(&mut pointer, name);
        leak_text(pointer)
    };
    let found: Vec<(&'static str, Access)> = path_parameters(&entry.parameters)
        .map(|(name, access)| (pointer(name), access))
        .collect();
    let mut capabilities = Vec::new();
    let mut permissions = Vec::new();
    let mut preconditions = Vec::new();
    if reads_workspace {
        capabilities.push(Capability::FilesRead);
    }
    if writes {
        capabilities.push(Capability::FilesWrite);
    }
    if !capabilities.is_empty() {
        permissions.push(Permission::Filesystem);
        preconditions.push("workspace=ready");
    }
    if entry.effects().contains(&Effect::NetworkAccess) {
        permissions.push(Permission::Network);
    }
    if entry.effects().contains(&Effect::LocalExec) {
        permissions.push(Permission::Shell);
    }
    if permissions.is_empty() {
        permissions.push(Permission::Compute);
    }
    preconditions.extend(unmet.map(leak_text));
    let template = |&(pointer, access): &(&'static str, Access)| ResourceTemplate {
        kind: ResourceKind::Path,
        pointer,
        access,
    };
    Spec {
        title: leak_text(entry.title.as_str()),
        category: entry.category,
        tags: keep_all(
            entry
                .tags
                .iter()
                .map(|tag| leak_text(tag.as_str()))
                .collect(),
        ),
        effects: keep_all(entry.effects()),
        permissions: keep_all(permissions),
        capabilities: keep_all(capabilities),
        destructive: entry.destructive(),
        idempotent: entry.idempotent,
        determinism: Determinism::External,
        callers: keep_all(entry.callers()),
        resources: keep_all(found.iter().map(template).collect()),
        preconditions: keep_all(preconditions),
        syntax: keep_all(
            found
                .iter()
                .map(|(pointer, _)| (*pointer, Syntax::Path))
                .collect(),
        ),
        timeout_ms: entry.timeout_ms(),
        ..Spec::pure()
    }
}

impl AnyTool for PluginTool {
    fn spec(&self) -> &Spec {
        &self.0.spec
    }

    fn description(&self) -> String {
        self.0.entry.description.clone()
    }

    fn input_schema(&self) -> Schema {
        self.0.entry.parameters.with_sources()
    }

    fn output_schema(&self) -> Schema {
        let returns = self.0.entry.returns.as_ref();
        returns.map_or(Schema::Bool(true), |shape| shape.schema().clone())
    }

    fn examples(&self) -> Vec<ErasedExample> {
        Vec::new()
    }

    fn decode(&self, args: &Value) -> Result<Box<dyn ToolCall>, ToolError> {
        let (args, sources) = self.0.entry.parameters.decode_open(args)?;
        check_references(&self.0.spec, &args, &sources)?;
        Ok(Box::new(PluginCall {
            tool: Arc::clone(&self.0),
            args,
            sources,
        }))
    }
}

struct PluginCall {
    tool: Arc<PluginToolInner>,
    args: Value,
    /// The arguments that are files or artifacts.
    sources: Vec<SourceRef>,
}

impl ToolCall for PluginCall {
    fn args(&self) -> &Value {
        &self.args
    }

    fn sources(&self) -> &[SourceRef] {
        &self.sources
    }

    /// The paths in its parameters; a process with access to the workspace may read all of it.
    fn resources(&self) -> Result<Vec<ResourceKey>, ToolError> {
        let mut keys = resources_from_templates(&self.tool.spec, &self.args)?;
        if let Some((host, access)) = &self.tool.host {
            keys.push(ResourceKey::new(ResourceKind::Host, host.as_str(), *access));
        }
        if self.tool.reads_workspace {
            keys.push(ResourceKey::read_path("."));
        }
        Ok(keys)
    }

    fn reach(&self) -> EffectReach {
        EffectReach::of(&self.tool.spec)
    }

    fn run(self: Box<Self>, ctx: &Ctx) -> Result<Value, ToolError> {
        let (tool, entry) = (&self.tool, &self.tool.entry);
        let args = entry.parameters.loaded(&self.args, &self.sources, ctx)?;
        let output = tool.runner.call(&entry.name, &args, ctx)?;
        let returns = entry.returns.as_ref();
        let problems = returns.map(|returns| returns.problems(&output));
        if let Some(first) = problems.unwrap_or_default().first() {
            let place = match first.path.as_str() {
                "" => String::new(),
                path => format!("`{path}`: "),
            };
            let (id, wrong) = (tool.spec.id, first.message.replace("argument", "member"));
            let declared = match id.starts_with(SERVER_PREFIX) {
                true => "its output schema",
                false => "its manifest",
            };
            return Err(tool_error!(ToolError, "plugin_result";
                "the result of `{id}` does not match {declared}: {place}{wrong}")
            .may_have_happened());
        }
        self.write_files(output, ctx)
    }
}

/// A file in a result.
struct ResultFile {
    path: String,
    content: Vec<u8>,
}

impl PluginCall {
    /// The sandbox lets no plugin write. The `files` of a result are written here, when the tool declares that it modifies files and the
    /// path is that of a parameter with `access` `write`: those were decided on and audited.
    fn write_files(&self, output: Value, ctx: &Ctx) -> Result<Value, ToolError> {
        if self.tool.writes.is_empty() {
            return Ok(output);
        }
        let (Some(members), Some(files)) = (output.as_object(), output.get("files")) else {
            return Ok(output);
        };
        let files = self.files_of(files)?;
        let content_bytes = files.iter().map(|file| file.content.len() as u64).sum();
        ctx.reserve(content_bytes)?;
        let said = |file: &ResultFile| object! { "path" => file.path.as_str(), "bytes" => file.content.len() };
        let told = Value::array(files.iter().map(said).collect());
        ctx.check()?;
        if self.tool.spec.destructive {
            for file in &files {
                let (path, content) = (&file.path, &file.content);
                ctx.files()?.write(path, content, WriteMode::Overwrite)?;
            }
        } else {
            let create = |file: ResultFile| FileChange::Create {
                path: file.path,
                content: file.content,
                mode: None,
            };
            let changes: Vec<FileChange> = files.into_iter().map(create).collect();
            ctx.files()?.change(&changes)?;
        }
        let mut members: Object = members.clone();
        members.insert("files", told);
        Ok(Value::Object(Arc::new(members)))
    }

    fn files_of(&self, files: &Value) -> Result<Vec<ResultFile>, ToolError> {
        let refuse = |message: String| {
            let id = self.tool.spec.id;
            let error = tool_error!(ToolError, "the result of `{id}` is not written: {message}");
            Err(error.reason("plugin_result"))
        };
        let mut found: Vec<ResultFile> = Vec::new();
        for file in files.items().unwrap_or_default() {
            let (Some(path), Some(content)) = (file.text("path"), file.text("content")) else {
                return refuse("each of `files` needs `path` and `content`, both text".to_owned());
            };
            let mut writes = self.tool.writes.iter();
            if !writes.any(|name| self.args.text(name) == Some(path)) {
                return refuse(format!("no argument names `{path}`"));
            }
            if found.iter().any(|other| other.path == path) {
                return refuse(format!("`{path}` is there twice"));
            }
            found.push(ResultFile {
                path: path.to_owned(),
                content: content.as_bytes().to_vec(),
            });
        }
        Ok(found)
    }
}
