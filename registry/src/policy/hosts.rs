//! The rules of a call on hosts, for those it meets on its way: redirects, and pages that a tool chooses itself.

use std::sync::Arc;

use tool_core::capability::{HostJudge, HttpRequest, HttpResponse, HttpService, HttpTransport};
use tool_core::{StopFlag, ToolError, tool_error};

use super::condition::RuleCondition;
use super::facts::{CallFacts, host_fits};
use super::{CallerPolicy, PolicyLabel};
use crate::catalogue::Catalogue;
use crate::model::Verdict;

/// What the rules with `url.host` say of one call, apart from its hosts; nobody is asked while a call runs, so `ask`
/// refuses too.
#[derive(Debug, Clone)]
pub struct HostRules {
    tool: &'static str,
    /// The hosts the call itself names: they were decided with it.
    decided: Vec<String>,
    rules: Vec<HostRule>,
}

#[derive(Debug, Clone)]
struct HostRule {
    hosts: Vec<String>,
    decision: Verdict,
    /// Layer and rule.
    title: String,
    reason: Option<PolicyLabel>,
}

impl CallerPolicy<'_> {
    /// The rules that hosts on the way of a call are held against.
    pub fn host_rules(
        &self,
        catalogue: &Catalogue,
        tool: usize,
        call: &CallFacts<'_>,
    ) -> HostRules {
        let mut rules = Vec::new();
        for layer in self.layers() {
            for rule in &layer.rules {
                let hosts = rule.conditions.iter().find_map(|one| match one {
                    RuleCondition::Hosts(hosts) => Some(hosts),
                    _ => None,
                });
                let Some(hosts) = hosts else { continue };
                let others = |one: &RuleCondition| !matches!(one, RuleCondition::Hosts(_));
                if rule.decision > Verdict::Allow
                    && rule.is_about(tool, self.role())
                    && rule.fit_where(call, others).counts(rule.decision)
                {
                    rules.push(HostRule {
                        hosts: hosts.clone(),
                        decision: rule.decision,
                        title: format!("layer {}, {}", layer.title, rule.label),
                        reason: rule.reason.clone(),
                    });
                }
            }
        }
        rules.sort_by_key(|rule| std::cmp::Reverse(rule.decision));
        let named = call.hosts.iter().flatten();
        HostRules {
            tool: catalogue.tool(tool).spec().id,
            decided: named.map(|host| host.name.clone()).collect(),
            rules,
        }
    }
}

impl HostRules {
    /// Whether the call may come to a host.
    ///
    /// # Errors
    /// `policy_denied` that names the rule and the next step.
    pub fn judge(&self, host: &str) -> Result<(), ToolError> {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        if self.decided.contains(&host) {
            return Ok(());
        }
        let fits = |rule: &&HostRule| rule.hosts.iter().any(|pattern| host_fits(pattern, &host));
        let Some(rule) = self.rules.iter().find(fits) else {
            return Ok(());
        };
        let (tool, title) = (self.tool, &rule.title);
        let reason = rule.reason.as_ref();
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        let (what, hint) = match rule.decision {
            Verdict::Ask => (
                "needs a person's approval",
                "call `fetch_docs` or `http_get` with a URL of that host, so that a person is asked".to_owned(),
            ),
            _ => (
                "is denied",
                format!("use another source; `mathchain policy explain ROLE {tool}` shows every rule"),
            ),
        };
        let error = tool_error!(
            PolicyDenied,
            "`{host}` {what} for `{tool}` by {title}{reason}"
        );
        Err(error.reason("host").hint(hint))
    }

    /// Holds every request of the call against them.
    pub fn guard(self, http: Arc<dyn HttpTransport>) -> Arc<dyn HttpTransport> {
        if self.rules.is_empty() {
            return http;
        }
        Arc::new(GuardedHttp {
            http,
            hosts: HostJudge::new(move |host| self.judge(host)),
        })
    }
}

/// HTTP for one call.
struct GuardedHttp {
    http: Arc<dyn HttpTransport>,
    hosts: HostJudge,
}

impl HttpTransport for GuardedHttp {
    fn send(&self, request: &HttpRequest, stop: &StopFlag) -> Result<HttpResponse, ToolError> {
        let request = HttpRequest {
            hosts: self.hosts.clone(),
            ..request.clone()
        };
        self.http.send(&request, stop)
    }

    fn service(&self, role: &str) -> Option<HttpService> {
        self.http.service(role)
    }
}
