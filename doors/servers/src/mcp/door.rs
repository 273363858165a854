//! [`McpServerState`]: what every connection of this server shares.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use journal::StateScope;
use registry::offer::{self, Catalog, Dialect};
use rmcp::model::{RequestStateCodec, Tool};
use rmcp::task_manager::TaskManager;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tool_core::{CallOutcome, Result, StopFlag, tool_error};

use crate::queue::{CallQueue, QueuePermit};
use mathchain::{CallContext, Toolkit};

use super::apps;
use crate::ServerExtension;

/// Tools of which a client lists one: its person sees characters, or pictures.
const DRAWS_CHARACTERS: &str = "plot_braille";
const DRAWS_PICTURES: &str = "plot";

/// Counts a call that ended.
pub(super) type Counted = dyn Fn(&CallOutcome) + Send + Sync;

/// Settings of the server, fixed when it starts: no request changes what a caller is offered.
#[derive(Clone)]
pub struct McpSettings {
    /// The caller.
    pub context: CallContext,
    /// Tools that are listed.
    pub catalog: Catalog,
    /// Longest message in bytes.
    pub line_bytes_max: usize,
    /// Longest result in bytes; more is cut to a summary.
    pub result_bytes_max: u64,
    /// Counts each call that ended.
    pub counted: Option<Arc<Counted>>,
    /// Address of the console of this server, for people who decide about requests; `None` where it has none that a reader could open.
    pub console: Option<String>,
    /// What the program around this library offers beside.
    pub extra: Option<Arc<dyn ServerExtension>>,
}

/// The tools of one generation.
struct ListedTools {
    generation: String,
    plain: Arc<Vec<Tool>>,
    /// With the pages for their results, for clients that show them; made when the first one asks.
    linked: Option<Arc<Vec<Tool>>>,
}

pub(super) struct McpServerState {
    pub(super) toolkit: Arc<Toolkit>,
    pub(super) settings: McpSettings,
    /// Stops every call.
    pub(super) calls: StopFlag,
    pub(super) queue: Arc<CallQueue>,
    pub(super) seal: RequestStateCodec,
    pub(super) tasks: TaskManager,
    /// The lists of one generation.
    listed: Mutex<Option<ListedTools>>,
    /// The list that clients were told of last.
    told: Mutex<Option<Arc<Vec<Tool>>>>,
    /// Set when the key of the caller is no longer valid, or the server ends.
    pub(super) gone: CancellationToken,
    /// Tasks by the ids of the runs that they are, with the ids of the manager.
    task_of_run: Mutex<HashMap<String, String>>,
    /// Counts the changes of the list.
    pub(super) changes: watch::Sender<u64>,
}

impl McpServerState {
    pub(super) fn new(
        toolkit: Arc<Toolkit>,
        settings: McpSettings,
        calls: StopFlag,
        queue: Arc<CallQueue>,
        gone: CancellationToken,
    ) -> Self {
        Self {
            gone,
            task_of_run: Mutex::default(),
            queue,
            toolkit,
            settings,
            calls,
            seal: state_codec(),
            tasks: TaskManager::new(),
            listed: Mutex::new(None),
            told: Mutex::new(None),
            changes: watch::Sender::new(0),
        }
    }

    /// The generation of tools and policy that is in force.
    fn generation(&self) -> String {
        let dispatcher = self.toolkit.dispatcher();
        let (policy, catalogue) = (dispatcher.policy(), dispatcher.catalogue());
        format!("{} {}", policy.generation(), catalogue.generation())
    }

    /// Waits until a call may run.
    ///
    /// # Errors
    /// As [`CallQueue::enter`]; `policy_denied` with reason `server_key` where the key was revoked meanwhile.
    pub(super) async fn enter(&self) -> Result<QueuePermit> {
        let permit = self.queue.enter().await?;
        if self.gone.is_cancelled() {
            return Err(
                tool_error!(PolicyDenied, "server_key"; "the key was revoked, changed or expired"; "connect again with a valid key"),
            );
        }
        Ok(permit)
    }

    /// Names a task by the run that it is.
    pub(super) fn name_task(&self, run: &str, task: &str) {
        let mut named = self
            .task_of_run
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // Tasks that the manager has forgotten are found by their records.
        named.retain(|_, task| self.tasks.get_task(task).is_ok());
        named.insert(run.to_owned(), task.to_owned());
    }

    /// The id of the manager for a task.
    pub(super) fn task_id(&self, id: &str) -> String {
        let named = self
            .task_of_run
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        named.get(id).map_or_else(|| id.to_owned(), Clone::clone)
    }

    /// What the caller sees: the objects of its role in the workspace.
    pub(super) fn scope(&self) -> StateScope {
        self.toolkit.scope(&self.role())
    }

    /// The role of the caller.
    pub(super) fn role(&self) -> String {
        self.toolkit.caller(&self.settings.context).who.role
    }

    /// The tools of this connection, made once for each generation.
    ///
    /// # Errors
    /// `not_visible` for an unknown role.
    pub(super) fn tools(&self) -> Result<Arc<Vec<Tool>>> {
        self.listed(|listed| Ok(Arc::clone(&listed.plain)))
    }

    /// The tools for a client that shows pages: each with its page, and in the catalogue `core` the tool whose picture has one in place of
    /// the one that draws in characters.
    ///
    /// # Errors
    /// As [`Self::tools`].
    pub(super) fn linked_tools(&self) -> Result<Arc<Vec<Tool>>> {
        self.listed(|listed| {
            if let Some(linked) = &listed.linked {
                return Ok(Arc::clone(linked));
            }
            let mut tools = listed.plain.to_vec();
            let place = |name: &str| tools.iter().position(|tool| tool.name == name);
            if self.settings.catalog == Catalog::Core
                && let Some(place) = place(DRAWS_CHARACTERS)
            {
                let all = self.offered(Catalog::Full)?;
                let pictures = all.into_iter().find(|tool| tool.name == DRAWS_PICTURES);
                tools[place] = pictures.unwrap_or_else(|| tools[place].clone());
            }
            let linked = Arc::new(apps::link_tools(&tools));
            listed.linked = Some(Arc::clone(&linked));
            Ok(linked)
        })
    }

    /// Something of the lists of the generation that is in force.
    fn listed<T>(&self, take: impl FnOnce(&mut ListedTools) -> Result<T>) -> Result<T> {
        let generation = self.generation();
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *listed {
            Some(known) if known.generation == generation => take(known),
            _ => {
                let plain = Arc::new(self.offered(self.settings.catalog)?);
                take(listed.insert(ListedTools {
                    generation,
                    plain,
                    linked: None,
                }))
            }
        }
    }

    /// The tools of a catalogue as the protocol declares them.
    fn offered(&self, catalog: Catalog) -> Result<Vec<Tool>> {
        let caller = self.toolkit.caller(&self.settings.context);
        let offered = offer::visible_tools(&self.toolkit.dispatcher(), &caller, catalog)?;
        let tool = |tool| {
            serde_json::from_value(Dialect::Mcp.tool(tool)).map_err(|err| {
                tool_error!(Internal, "the declaration of a tool does not fit: {err}")
            })
        };
        offered.iter().map(tool).collect()
    }

    /// Counts a change where the list differs from the one that was told last.
    pub(super) fn look_for_changes(&self) {
        let Ok(now) = self.tools() else { return };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let is_other = |told: &Arc<Vec<Tool>>| !Arc::ptr_eq(told, &now) && **told != *now;
        if told.as_ref().is_some_and(is_other) {
            self.changes.send_modify(|count| *count += 1);
        }
        *told = Some(now);
    }
}

/// Seals the state of questions with a key of this process.
fn state_codec() -> RequestStateCodec {
    let random = |_| RandomState::new().hash_one(0_u8).to_string();
    let parts: Vec<String> = (0..8).map(random).collect();
    let key = registry::digest::of_texts(parts.iter().map(String::as_str));
    RequestStateCodec::try_new(key.into_bytes()).expect("a digest is long enough for a key")
}
