//! Names of tools in a CLI: its own, mathchain's, and those of other servers and of its provider.

use tool_core::spec::wire_name;

use super::{CliTranslation, OWN_SERVER, with_words};
use crate::cli::CliTool;
use crate::cli::template::CliToolVerdict;
use registry::ToolAliases;
use registry::agents::ToolName;
use registry::model::Verdict;

impl CliTranslation<'_> {
    /// The tools under their names in the CLI, each once, with the strictest verdict.
    pub(super) fn known(
        &mut self,
        aliases: &ToolAliases,
        tools: &[CliTool],
    ) -> Vec<CliToolVerdict> {
        let mut known: Vec<CliToolVerdict> = Vec::new();
        for tool in tools {
            let Some(found) = self.name(aliases, tool) else {
                continue;
            };
            match known.iter_mut().find(|other| other.name == found.name) {
                Some(other) => other.verdict = other.verdict.max(found.verdict),
                None => known.push(found),
            }
        }
        known
    }

    fn name(
        &mut self,
        aliases: &ToolAliases,
        CliTool {
            tool,
            verdict,
            is_counted,
        }: &CliTool,
    ) -> Option<CliToolVerdict> {
        let (cli, verdict) = (self.cli, *verdict);
        let native = |name: &str| CliToolVerdict {
            name: name.to_owned(),
            rule: cli.kinds.get(name).map_or(name, String::as_str).to_owned(),
            of_server: None,
            verdict,
        };
        let of_server = |server: &str, tool: &str| {
            let put = |template: &str| with_words(template, &[("server", server), ("tool", tool)]);
            CliToolVerdict {
                name: put(&cli.mcp_name),
                rule: put(cli.mcp_rule.as_deref().unwrap_or(&cli.mcp_name)),
                of_server: Some((server.to_owned(), tool.to_owned())),
                verdict,
            }
        };
        match tool {
            ToolName::Tool(id) => {
                let own = cli.native.iter().find(|(_, ours)| *ours == id);
                let own = own
                    .map(|(name, _)| name.as_str())
                    .or_else(|| aliases.native(&cli.family, id))
                    .filter(|name| cli.tools.iter().any(|tool| tool == name) && !is_counted);
                Some(match own {
                    Some(name) => native(name),
                    // Its calls come back here, and here they ask.
                    None => CliToolVerdict {
                        verdict: match verdict {
                            Verdict::Deny => Verdict::Deny,
                            Verdict::Allow | Verdict::Ask => Verdict::Allow,
                        },
                        ..of_server(OWN_SERVER, &wire_name(id))
                    },
                })
            }
            ToolName::External(name) => {
                let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
                Some(of_server(server, tool))
            }
            ToolName::Native(name) => {
                let is_own = aliases.is_own(&cli.family, name) || cli.tools.contains(name);
                if !is_own {
                    let cli = &cli.name;
                    self.args.warnings.push(format!(
                        "`{name}` is a tool of another agent command line: {cli} does not get it"
                    ));
                }
                is_own.then(|| native(name))
            }
            ToolName::Provider(name) => {
                let found = aliases.provider_tool(name);
                let found = found.and_then(|tool| tool.native.get(&cli.family));
                if found.is_none() {
                    let cli = &cli.name;
                    self.args.warnings.push(format!(
                        "{cli} is not of the provider that runs `{name}` and does not get it"
                    ));
                }
                found.map(|name| native(name))
            }
        }
    }
}
