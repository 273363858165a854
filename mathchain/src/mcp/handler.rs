//! The handler of requests: each method in a few lines, for both eras of the protocol.

use std::sync::{Arc, Mutex, PoisonError};

use registry::offer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CompletionInfo, CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams,
    GetPromptResponse, GetTaskParams, GetTaskResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    Reference, ServerCapabilities, ServerConfig, SubscriptionFilter, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use tool_core::ToolError;

use super::door::Door;
use super::{call, pages, prompts, requests, resources};

/// How long a client may keep a list: a change is told, and a role never changes within a connection.
const LIST_TTL_MS: u64 = 60_000;

/// One connection.
pub(super) struct Handler {
    door: Arc<Door>,
    /// Clients of the older protocol that are told of changes.
    told: Mutex<Vec<Peer<RoleServer>>>,
}

impl Handler {
    pub(super) fn new(door: Arc<Door>) -> Self {
        Self {
            door,
            told: Mutex::default(),
        }
    }

    /// Runs work that reads the state or computes on a thread, so that no other request waits for it.
    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Door) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let door = Arc::clone(&self.door);
        let done = tokio::task::spawn_blocking(move || work(&door)).await;
        done.map_err(|err| ErrorData::internal_error(err.to_string(), None))?
            .map_err(|error| invalid(&error))
    }
}

/// An error of a request that is no call of a tool.
fn invalid(error: &ToolError) -> ErrorData {
    let hint = error
        .hint_str()
        .map(|hint| format!("; {hint}"))
        .unwrap_or_default();
    ErrorData::invalid_params(format!("{}{hint}", error.message()), None)
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_tasks()
            .build();
        let server =
            Implementation::new("mathchain", env!("CARGO_PKG_VERSION")).with_title("mathchain");
        let limit = format!(
            "\nA message has at most {} bytes; pass large arrays as {{\"$file\": ..}}.",
            self.door.settings.line_bytes_max
        );
        ServerConfig::new(capabilities)
            .with_server_info(server)
            .with_instructions(offer::instructions(self.door.settings.catalog) + &limit)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.aside(Door::tools).await?;
        let (tools, next) = pages::page(&tools, request.as_ref())?;
        let mut listed = ListToolsResult::with_all_items(tools).with_ttl_ms(LIST_TTL_MS);
        listed.next_cursor = next;
        Ok(listed)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        call::call(&self.door, params, context).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let (prompts, next) = pages::page(&prompts::all(), request.as_ref())?;
        let mut listed = ListPromptsResult::with_all_items(prompts).with_ttl_ms(LIST_TTL_MS);
        listed.next_cursor = next;
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&params).map(Into::into)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let all = self.aside(resources::all).await?;
        let (resources, next) = pages::page(&all, request.as_ref())?;
        // Runs and artifacts appear with every call.
        let mut listed = ListResourcesResult::with_all_items(resources).with_ttl_ms(0);
        listed.next_cursor = next;
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let (templates, next) = pages::page(&resources::templates(), request.as_ref())?;
        let mut listed =
            ListResourceTemplatesResult::with_all_items(templates).with_ttl_ms(LIST_TTL_MS);
        listed.next_cursor = next;
        Ok(listed)
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = params.uri.clone();
        let read = self
            .aside(move |door| resources::read(door, &params.uri))
            .await;
        match read {
            Ok(contents) => Ok(ReadResourceResult::new(contents).into()),
            Err(error) => {
                let data = serde_json::json!({ "uri": uri });
                Err(ErrorData::new(
                    ErrorCode::RESOURCE_NOT_FOUND,
                    error.message,
                    Some(data),
                ))
            }
        }
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let argument = params.argument.name.clone();
        let begun = params.argument.value.to_lowercase();
        let is_tool = matches!(&params.r#ref, Reference::Prompt(_)) && argument == "tool";
        let mut values = self
            .aside(move |door| match is_tool {
                true => Ok(door
                    .tools()?
                    .iter()
                    .map(|tool| tool.name.to_string())
                    .collect()),
                false => Ok(resources::complete(door, &argument)),
            })
            .await?;
        values.retain(|value| value.to_lowercase().starts_with(&begun));
        let total = u32::try_from(values.len()).ok();
        values.truncate(CompletionInfo::MAX_VALUES);
        let shown = values.len();
        let mut completion =
            CompletionInfo::new(values).map_err(|err| ErrorData::internal_error(err, None))?;
        completion.has_more = total.map(|total| total as usize > shown);
        completion.total = total;
        Ok(CompleteResult::new(completion))
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.door.changes.subscribe();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed() => {
                    let is_accepted = context.accepted().tools_list_changed == Some(true);
                    if changed.is_err() || (is_accepted && context.sink().notify_tool_list_changed().await.is_err()) {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if !told.is_empty() {
            return;
        }
        told.push(context.peer.clone());
        let (peer, mut changes) = (context.peer, self.door.changes.subscribe());
        tokio::spawn(async move {
            while changes.changed().await.is_ok() {
                if peer.notify_tool_list_changed().await.is_err() {
                    return;
                }
            }
        });
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let version = context.protocol_version();
        let has_handshake =
            version.is_none_or(|version| version.as_str() < ProtocolVersion::V_2026_07_28.as_str());
        let misfit = match request.method == "initialize" && !has_handshake {
            true => None,
            false => requests::misfit(&request.method, request.params.as_ref()),
        };
        let unknown = || ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method.clone(), None);
        Err(misfit.unwrap_or_else(unknown))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.door
            .tasks
            .get_task(&request.task_id)
            .map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.door
            .tasks
            .update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.door.tasks.cancel_task(&request.task_id)
    }
}
