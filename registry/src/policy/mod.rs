//! Who may see and call what: layers that only narrow, rules on parsed values, and a reason for every decision.
//!
//! [`Policy`] is compiled once against a catalogue; [`Policy::caller`] joins what holds for one caller, and
//! [`Caller::decide`] answers for one call. Both are pure. The verdicts form a lattice, `allow < ask < deny`, and the
//! strictest explicit rule holds.

mod compile;
mod decide;
mod explain;
mod facts;
mod layer;
mod legacy;
mod roles;
mod selector;
mod set;
mod shell;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use tool_core::capability::Files;
use tool_core::{AnyTool, Call, ErrorCode, ToolError};

pub use compile::{CompiledLayer, CompiledRule};
pub use decide::effective;
pub use explain::{Explanation, LayerStep, RuleStep};
pub use facts::{CallFacts, PathFact, components};
pub use layer::{Layer, Level, Match, Obligation, Obligations, Range, Rule, Selector, Verdict};
pub use legacy::RolePermissions;
pub use roles::{Role, RoleTools, Toolset, context_of_task};
pub use selector::Group;
pub use set::ToolSet;

pub(crate) use compile::layer as compile_layer;
pub(crate) use roles::{merged as merged_roles, toolset as resolve_toolset};
pub(crate) use selector::resolve as resolve_selector;

use crate::catalogue::Catalogue;
use crate::config::Config;
use crate::error::{LoadError, LoadErrors, Place};

/// The tool whose permission `{"$file": path}` needs.
pub const FILE_READER: &str = "read_file";

/// What holds where no rule is about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permissions {
    /// Every use of the network asks, listed hosts too.
    pub network_asks: bool,
    /// Hosts that do not ask; `*.example.org` is any below it.
    pub allowed_hosts: Vec<String>,
    /// Private and loopback addresses that may be reached at all; looked at when the connection is made.
    pub allow_private: Vec<String>,
    /// Changes of files ask.
    pub filesystem_asks: bool,
    /// Paths that do not ask when they are read.
    pub allowed_paths: Vec<String>,
    /// Programs ask.
    pub shell_asks: bool,
    /// Pure work asks too.
    pub compute_asks: bool,
}

impl Default for Permissions {
    fn default() -> Self {
        Self {
            network_asks: false,
            allowed_hosts: Vec::new(),
            allow_private: Vec::new(),
            filesystem_asks: true,
            allowed_paths: vec![".".to_owned()],
            shell_asks: true,
            compute_asks: false,
        }
    }
}

/// What was decided, by whom and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// The deciding layer: `global`, ``role `worker_math` ``, `defaults`.
    pub layer: String,
    /// The deciding rule: where it was written, or which of its layer it is.
    pub rule: Option<String>,
    /// Why, in words.
    pub reason: String,
    /// What the call must also keep to.
    pub obligations: Obligations,
    /// Whether checked arguments could not change the verdict.
    pub certain: bool,
}

impl Decision {
    /// A denial that no rule spells.
    pub fn denied(layer: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Deny,
            layer: layer.into(),
            rule: None,
            reason: reason.into(),
            obligations: Obligations::default(),
            certain: true,
        }
    }
}

#[derive(Debug, Clone)]
struct CompiledRole {
    description: String,
    selection: ToolSet,
    place: Option<Place>,
    layers: Vec<CompiledLayer>,
}

/// The policy of one generation: immutable, compiled against one catalogue.
#[derive(Debug, Clone)]
pub struct Policy {
    generation: String,
    default_role: String,
    /// Layers that hold for every role.
    common: Vec<CompiledLayer>,
    roles: BTreeMap<String, CompiledRole>,
    permissions: Permissions,
}

impl Policy {
    /// Compiles the built-in roles, a configuration and further layers against a catalogue.
    ///
    /// # Errors
    /// Every unknown tool, group, role and selector and every rule that can never match, at once.
    pub fn compile(
        catalogue: &Catalogue,
        config: &Config,
        further: &[Layer],
    ) -> Result<Self, LoadErrors> {
        let mut errors = Vec::new();
        let policy = Self::gather(catalogue, config, further, &mut errors);
        LoadErrors::check(errors)?;
        Ok(policy)
    }

    /// As [`Policy::compile`], with the errors added to a list.
    pub(crate) fn gather(
        catalogue: &Catalogue,
        config: &Config,
        further: &[Layer],
        errors: &mut Vec<LoadError>,
    ) -> Self {
        let roles = roles::merged(config);
        let names: Vec<&str> = roles.iter().map(|role| role.name.as_str()).collect();
        let mut compiled: BTreeMap<String, CompiledRole> = roles
            .iter()
            .map(|role| {
                (
                    role.name.clone(),
                    roles::compile(catalogue, role, config, &names, errors),
                )
            })
            .collect();
        roles::check_toolsets(catalogue, config, &roles, errors);
        let mut common = Vec::new();
        for layer in config.layers.iter().chain(further) {
            let built = compile::layer(catalogue, layer, &names, errors);
            if layer.level != Level::Role {
                common.push(built);
            } else if let Some(role) = compiled.get_mut(&layer.name) {
                role.layers.push(built);
            } else {
                let error = LoadError::new(
                    layer.place.as_ref(),
                    format!("no role named `{}`", layer.name),
                );
                errors.push(error.nearest(&layer.name, names.iter().copied()));
            }
        }
        if !compiled.contains_key(&config.default_role) {
            let error = LoadError::new(
                config.default_role_place.as_ref(),
                format!("no role named `{}`", config.default_role),
            );
            errors.push(
                error
                    .at("/default_role")
                    .nearest(&config.default_role, names.iter().copied()),
            );
        }
        let written = format!(
            "{:?}{:?}{:?}{further:?}",
            config.permissions, roles, config.layers
        );
        Self {
            generation: crate::digest::of_texts([catalogue.generation(), &written]),
            default_role: config.default_role.clone(),
            common,
            roles: compiled,
            permissions: config.permissions.clone(),
        }
    }

    /// Digest of the catalogue and of every layer: decisions of one generation are the same.
    pub fn generation(&self) -> &str {
        &self.generation
    }

    /// The role of a call that names none at the command line.
    pub fn default_role(&self) -> &str {
        &self.default_role
    }

    /// The roles, with what they are for.
    pub fn roles(&self) -> impl Iterator<Item = (&str, &str)> {
        self.roles
            .iter()
            .map(|(name, role)| (name.as_str(), role.description.as_str()))
    }

    /// What holds where no rule is about a call.
    pub fn permissions(&self) -> &Permissions {
        &self.permissions
    }

    /// Joins what holds for one caller: its role, and further layers of this call, which only narrow.
    ///
    /// # Errors
    /// `not_visible` for an unknown role; `policy_denied` when a layer of the call is not sound or tries to allow.
    pub fn caller<'a>(
        &'a self,
        catalogue: &Catalogue,
        role: &str,
        further: &[Layer],
        facts: &Facts,
    ) -> Result<Caller<'a>, ToolError> {
        let Some((name, found)) = self.roles.get_key_value(role) else {
            let near = tool_core::nearest::nearest(role, self.roles.keys().map(String::as_str));
            let shown: String = role.chars().take(80).collect();
            let error = ToolError::new(
                ErrorCode::NotVisible,
                format_args!("no role named `{shown}`"),
            )
            .reason("role");
            return Err(match near {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error.hint("an unknown role may call nothing"),
            });
        };
        let mut layers: Vec<Cow<'a, CompiledLayer>> = self
            .common
            .iter()
            .chain(&found.layers)
            .map(Cow::Borrowed)
            .collect();
        for layer in further {
            layers.push(Cow::Owned(self.layer_of_call(catalogue, layer)?));
        }
        let unmet = ToolSet::of(catalogue.len(), |tool| {
            !facts.meet(catalogue.tool(tool).spec().preconditions)
        });
        Ok(Caller {
            visible: effective(&found.selection, &layers, &unmet),
            role: name,
            definition: found,
            layers,
            unmet,
            permissions: &self.permissions,
        })
    }

    fn layer_of_call(
        &self,
        catalogue: &Catalogue,
        layer: &Layer,
    ) -> Result<CompiledLayer, ToolError> {
        let names: Vec<&str> = self.roles.keys().map(String::as_str).collect();
        let mut errors = Vec::new();
        let built = compile::layer(catalogue, layer, &names, &mut errors);
        if layer
            .rules
            .iter()
            .any(|rule| rule.decision == Verdict::Allow)
        {
            errors.push(LoadError::new(
                layer.place.as_ref(),
                "a layer of a call narrows: its rules say `ask` or `deny`",
            ));
        }
        let title = layer.title();
        LoadErrors::check(errors).map(|()| built).map_err(|errors| {
            ToolError::new(
                ErrorCode::PolicyDenied,
                format_args!("the layer {title} of this call is not sound: {errors}"),
            )
            .reason("layer")
        })
    }
}

/// What holds at the moment, such as `workspace=ready`: preconditions of tools are held against it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts(BTreeSet<String>);

impl Facts {
    /// Adds a fact.
    #[must_use]
    pub fn with(mut self, fact: &str) -> Self {
        self.0.insert(fact.to_owned());
        self
    }

    fn meet(&self, preconditions: &[&str]) -> bool {
        self.first_unmet(preconditions).is_none()
    }

    fn first_unmet<'a>(&self, preconditions: &[&'a str]) -> Option<&'a str> {
        preconditions
            .iter()
            .copied()
            .find(|wanted| !self.0.contains(*wanted))
    }
}

/// What holds for one caller.
#[derive(Debug, Clone)]
pub struct Caller<'a> {
    role: &'a str,
    definition: &'a CompiledRole,
    layers: Vec<Cow<'a, CompiledLayer>>,
    visible: ToolSet,
    unmet: ToolSet,
    permissions: &'a Permissions,
}

impl Caller<'_> {
    /// The caller's role.
    pub fn role(&self) -> &str {
        self.role
    }

    /// The tools this caller may see.
    pub fn visible(&self) -> &ToolSet {
        &self.visible
    }

    /// Why a tool is hidden; `None` when it is not.
    pub fn hidden(&self, catalogue: &Catalogue, tool: usize) -> Option<Decision> {
        if self.visible.contains(tool) {
            return None;
        }
        let spec = catalogue.tool(tool).spec();
        let denied = self.layers.iter().find(|layer| layer.deny.contains(tool));
        if let Some(layer) = denied {
            return Some(Decision::denied(
                layer.title.clone(),
                format!("denied by layer {}", layer.title),
            ));
        }
        if !self.definition.selection.contains(tool) {
            let title = format!("role `{}`", self.role);
            return Some(Decision::denied(
                title,
                "the role does not list it".to_owned(),
            ));
        }
        if let Some(layer) = self.layers.iter().find(|layer| !layer.shows(tool)) {
            return Some(Decision::denied(
                layer.title.clone(),
                format!("layer {} does not list it", layer.title),
            ));
        }
        let unmet = spec.preconditions.join("`, `");
        Some(Decision::denied(
            "preconditions".to_owned(),
            format!("it needs `{unmet}`, which does not hold"),
        ))
    }

    /// Whether a call may run now; without a call, the strictest that could come.
    ///
    /// A file that the arguments refer to needs [`FILE_READER`] to be allowed on that path, by the same rules.
    pub fn decide(
        &self,
        catalogue: &Catalogue,
        tool: usize,
        call: Option<&CallFacts<'_>>,
        files: Option<&dyn Files>,
    ) -> Decision {
        if let Some(decision) = self.hidden(catalogue, tool) {
            return decision;
        }
        let spec = catalogue.tool(tool).spec();
        let mut decision = decide::decide(
            (tool, spec),
            self.role,
            &self.layers,
            self.permissions,
            call,
        );
        for file in call.iter().flat_map(|call| &call.files) {
            let reading = self.decide_reading(catalogue, &file.written, files);
            if reading.verdict > decision.verdict {
                decision = Decision {
                    reason: format!(
                        "`{{\"$file\": \"{}\"}}` needs `{FILE_READER}`: {}",
                        file.written, reading.reason
                    ),
                    obligations: decision.obligations,
                    ..reading
                };
            }
        }
        decision
    }

    /// The decision on reading one file.
    fn decide_reading(
        &self,
        catalogue: &Catalogue,
        path: &str,
        files: Option<&dyn Files>,
    ) -> Decision {
        let Some(reader) = catalogue.index(FILE_READER) else {
            return Decision::denied("defaults".to_owned(), "there is no such tool".to_owned());
        };
        let tool = catalogue.tool(reader);
        let arguments = tool_core::Value::object([("path", path)]);
        match tool.decode(&arguments) {
            Ok(call) => self.decide_call(catalogue, reader, tool, call.as_ref(), files),
            Err(err) => Decision::denied("defaults".to_owned(), err.message().to_owned()),
        }
    }

    fn decide_call(
        &self,
        catalogue: &Catalogue,
        index: usize,
        tool: &dyn AnyTool,
        call: &dyn Call,
        files: Option<&dyn Files>,
    ) -> Decision {
        let mut facts = CallFacts::of(tool, call, files);
        facts.files.clear(); // the reader itself takes a path, never a reference
        self.decide(catalogue, index, Some(&facts), files)
    }
}
