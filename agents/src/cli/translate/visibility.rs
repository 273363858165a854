//! Flags for visibility.

use std::collections::BTreeMap;

use tool_core::Value;

use super::{CliTranslation, OWN_SERVER, in_file};
use crate::cli::template::{CliToolVerdict, PlaceholderLists};
use registry::model::CliSpec;

impl CliTranslation<'_> {
    /// Adds the flags that show the agent's tools and hide all others; others that stay visible are reported.
    pub(super) fn visibility(
        &mut self,
        known: &[CliToolVerdict],
        lists: &PlaceholderLists<'_>,
        registered: bool,
    ) {
        let cli = self.cli;
        self.put(&cli.visibility.args, lists);
        let servers = &lists.servers;
        let is_foreign = |server: &&str| **server != *OWN_SERVER || !registered;
        if !servers.keys().any(is_foreign) {
            self.put(&cli.visibility.without_servers, lists);
        }
        self.limit_servers(known, servers);
        self.hide_own(known, lists);
        if let Some(why) = &cli.visibility.other_tools_of_servers {
            for server in servers.keys().filter(|server| **server != OWN_SERVER) {
                self.unenforced(format!("other tools of the server `{server}`: {why}"));
            }
        }
    }

    /// Limits each server to the listed tools, or to none where all are denied.
    fn limit_servers(&mut self, known: &[CliToolVerdict], servers: &BTreeMap<&str, Vec<&str>>) {
        let cli = self.cli;
        let mut limited = servers.clone();
        for own in known.iter().filter(|own| !own.shown()) {
            if let Some((server, _)) = &own.of_server
                && server != OWN_SERVER
            {
                limited.entry(server).or_default();
            }
        }
        for (server, tools) in &limited {
            let text = tool_core::json::to_text(&Value::from(tools.clone()));
            self.put_words(
                &cli.visibility.server,
                &[("server", server), ("tools", &text)],
            );
        }
    }

    /// Hides own tools that the agent lacks, each by its switch or because the visible ones are listed.
    fn hide_own(&mut self, known: &[CliToolVerdict], lists: &PlaceholderLists<'_>) {
        let cli = self.cli;
        let visible = |tool: &str| known.iter().any(|own| own.shown() && own.name == tool);
        let by_list = names_its_tools(cli);
        for tool in cli.tools.iter().filter(|tool| !visible(tool)) {
            if let Some(off) = cli.visibility.off.get(tool) {
                if !off.args.is_empty() {
                    self.put(&off.args, lists);
                } else if !off.harmless.contains(&self.permission) {
                    let why = off.why.as_deref().unwrap_or("it cannot be hidden");
                    let text = format!("`{tool}` stays visible: {why}");
                    // Only a permission keeps it from working, and who wrote one for this agent chose another.
                    match self.permission_is_own && !off.harmless.is_empty() {
                        true => self.args.warnings.push(format!(
                            "{text}; the permission `{}` was set for this agent",
                            self.permission
                        )),
                        false => self.unenforced(text),
                    }
                }
            } else if !by_list {
                self.unenforced(format!("`{tool}` stays visible: it cannot be hidden"));
            } else if cli.visibility.by_kind {
                let kind = tool_kind(cli, tool);
                let is_same = |own: &&CliToolVerdict| {
                    own.shown() && own.of_server.is_none() && own.rule == kind
                };
                if let Some(CliToolVerdict { name, .. }) = known.iter().find(is_same) {
                    self.unenforced(format!(
                        "`{tool}` stays visible with `{name}`: one setting, `{kind}`, is for both"
                    ));
                }
            }
        }
        if cli.tools.is_empty() && !by_list {
            self.unenforced("its own tools stay visible: its table names none".to_owned());
        }
    }
}

/// The kind of an own tool, about which rules are.
fn tool_kind<'a>(cli: &'a CliSpec, tool: &'a str) -> &'a str {
    cli.kinds.get(tool).map_or(tool, String::as_str)
}

/// Whether a CLI takes a list of visible tools, which hides all others.
fn names_its_tools(cli: &CliSpec) -> bool {
    let in_args = |word: &str| cli.visibility.args.iter().any(|arg| arg.contains(word));
    let words = ["{native}", "{visible}", "{rule}"];
    words.iter().any(|word| in_args(word) || in_file(cli, word))
}
