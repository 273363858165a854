//! Flags for approval: which visible tools run, need approval, or are denied.

use super::{CliTranslation, OWN_SERVER, in_file};
use crate::cli::template::{CliToolVerdict, PlaceholderLists};
use registry::model::{CliSpec, Verdict};

impl CliTranslation<'_> {
    /// Adds the flags for tools that run, need approval or are denied.
    pub(super) fn approval(&mut self, known: &[CliToolVerdict], lists: &PlaceholderLists<'_>) {
        let approval = &self.cli.approval;
        self.asking(known, lists);
        if !lists.list("allow").is_empty() {
            self.put(&approval.allow, lists);
        }
        if !lists.list("deny").is_empty() {
            self.put(&approval.deny, lists);
        }
        let asks = |own: &CliToolVerdict| own.of_server.is_none() && own.verdict == Verdict::Ask;
        self.put(
            match known.iter().any(asks) {
                true => &approval.some_ask,
                false => &approval.none_ask,
            },
            lists,
        );
        self.approval_of_servers(known);
    }

    /// Reports tools that need more approvals than they should, and tools that cannot ask for approval.
    fn asking(&mut self, known: &[CliToolVerdict], lists: &PlaceholderLists<'_>) {
        let approval = &self.cli.approval;
        for own in known.iter().filter(|own| own.shown()) {
            let rule = lists.rules.iter().find(|(name, _)| *name == own.rule);
            let verdict = rule.map_or(own.verdict, |(_, verdict)| *verdict);
            if own.verdict == Verdict::Allow && verdict == Verdict::Ask {
                self.args.warnings.push(format!(
                    "`{}` needs approval too: the rule `{}` covers it and a tool that needs approval",
                    own.name, own.rule
                ));
            }
            if verdict != Verdict::Ask {
                continue;
            }
            match &own.of_server {
                // Calls of our own tools come back here, and here they ask.
                Some((server, _)) if server == OWN_SERVER => {}
                Some(_) if approval.servers_never_ask.is_some() => {
                    let why = approval.servers_never_ask.as_deref().unwrap_or_default();
                    self.unenforced(format!("`{}` never asks there: {why}", own.name));
                }
                None if approval.never_asks.contains(&own.name) => {
                    self.unenforced(format!("`{}` never asks there", own.name));
                }
                _ if !can_ask(self.cli) => {
                    self.unenforced(format!("`{}` does not ask there", own.name));
                }
                _ => {}
            }
        }
    }

    /// The flags for each tool of a server.
    fn approval_of_servers(&mut self, known: &[CliToolVerdict]) {
        let approval = &self.cli.approval;
        for own in known {
            let Some((server, tool)) = &own.of_server else {
                continue;
            };
            let template = match own.verdict {
                Verdict::Allow => &approval.mcp_allow,
                Verdict::Ask => &approval.mcp_ask,
                Verdict::Deny => continue,
            };
            self.put_words(template, &[("server", server), ("tool", tool)]);
        }
    }
}

/// Whether a CLI asks for approval of tools that are not allowed.
fn can_ask(cli: &CliSpec) -> bool {
    !cli.approval.allow.is_empty() || !cli.approval.some_ask.is_empty() || in_file(cli, "{verdict}")
}
