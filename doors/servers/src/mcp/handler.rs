//! The handler of requests: each method in a few lines, for both eras of the protocol.

use std::sync::{Arc, Mutex, PoisonError};

use registry::offer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams,
    GetPromptResponse, GetTaskParams, GetTaskResult, Implementation, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig, SetLevelRequestMethod, SubscribeRequestMethod,
    SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestMethod, UnsubscribeRequestParams,
    UpdateTaskParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use tool_core::ToolError;

use super::door::McpServerState;
use super::extras::{self, ResourceWatches};
use super::{apps, call, changes, client, completion, pages, prompts, requests, resources, tasks};

/// How long a client may keep a list: a change is told, and a role never changes within a connection.
const LIST_TTL_MS: u64 = 60_000;

/// One connection.
pub(super) struct McpHandler {
    door: Arc<McpServerState>,
    /// Clients of the older protocol that are told of changes.
    told: Mutex<Vec<Peer<RoleServer>>>,
    /// Severity from which a client of the older protocol wants log messages.
    logs_from: Mutex<Option<usize>>,
    watched: Mutex<ResourceWatches>,
}

impl McpHandler {
    pub(super) fn new(door: Arc<McpServerState>) -> Self {
        Self {
            door,
            told: Mutex::default(),
            logs_from: Mutex::default(),
            watched: Mutex::default(),
        }
    }

    /// Runs work that reads the state or computes on a thread, so that no other request waits for it.
    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&McpServerState) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let door = Arc::clone(&self.door);
        let done = tokio::task::spawn_blocking(move || work(&door)).await;
        done.map_err(|err| ErrorData::internal_error(err.to_string(), None))?
            .map_err(|error| invalid_params_error(&error))
    }
}

/// An error of a request that is no call of a tool.
fn invalid_params_error(error: &ToolError) -> ErrorData {
    let hint = error
        .hint_str()
        .map(|hint| format!("; {hint}"))
        .unwrap_or_default();
    ErrorData::invalid_params(format!("{}{hint}", error.message()), None)
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_tasks()
            .build();
        let extra = &self.door.settings.extra;
        if let Some(resources) = &mut capabilities.resources {
            resources.subscribe = extra.is_some().then_some(true);
        }
        if extra.as_ref().is_some_and(|extra| extra.logs()) {
            capabilities.logging = Some(JsonObject::new());
        }
        let server =
            Implementation::new("mathchain", env!("CARGO_PKG_VERSION")).with_title("mathchain");
        let limit = format!(
            "\nA message has at most {} bytes; pass large arrays as {{\"$file\": ..}}.",
            self.door.settings.line_bytes_max
        );
        ServerConfig::new(capabilities)
            .with_server_info(server)
            .with_instructions(offer::catalog_instructions(self.door.settings.catalog) + &limit)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = match apps::shows_apps(context.client_capabilities().as_ref()) {
            true => self.aside(McpServerState::linked_tools).await?,
            false => self.aside(McpServerState::tools).await?,
        };
        let (tools, next) = pages::paginate_list(&tools, request.as_ref())?;
        let mut listed = ListToolsResult::with_all_items(tools).with_ttl_ms(LIST_TTL_MS);
        listed.next_cursor = next;
        Ok(listed)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let logs_from = *self
            .logs_from
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        call::answer_tool_call(&self.door, params, context, logs_from).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut all = prompts::list_prompts();
        if let Some(extra) = &self.door.settings.extra {
            all.extend(
                extras::read_documents(&extra.prompts())
                    .map_err(|error| invalid_params_error(&error))?,
            );
        }
        let (prompts, next) = pages::paginate_list(&all, request.as_ref())?;
        let mut listed = ListPromptsResult::with_all_items(prompts).with_ttl_ms(LIST_TTL_MS);
        listed.next_cursor = next;
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        extras::answer_prompt(Arc::clone(&self.door), params, &context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut all = self.aside(resources::list_resources).await?;
        if apps::shows_apps(context.client_capabilities().as_ref()) {
            all.splice(0..0, apps::list_apps());
        }
        let (resources, next) = pages::paginate_list(&all, request.as_ref())?;
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
        let mut all = resources::resource_templates();
        if let Some(extra) = &self.door.settings.extra {
            all.extend(
                extras::read_documents(&extra.templates())
                    .map_err(|error| invalid_params_error(&error))?,
            );
        }
        let (templates, next) = pages::paginate_list(&all, request.as_ref())?;
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
            .aside(move |door| resources::read_resource(door, &params.uri))
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
        self.aside(move |door| completion::complete_argument(door, &params))
            .await
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = changes::subscribe_changes(&self.door).await;
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
        let (peer, door) = (context.peer, Arc::clone(&self.door));
        tokio::spawn(async move {
            let mut changes = changes::subscribe_changes(&door).await;
            while changes.changed().await.is_ok() {
                if peer.notify_tool_list_changed().await.is_err() {
                    return;
                }
            }
        });
    }

    #[expect(deprecated, reason = "a method of the older protocol")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let extra = self.door.settings.extra.as_ref();
        if !extra.is_some_and(|extra| extra.logs()) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        let mut logs_from = self
            .logs_from
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *logs_from = client::level_severity(&request.level);
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.door.settings.extra.is_none() {
            return Err(ErrorData::method_not_found::<SubscribeRequestMethod>());
        }
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.add(&self.door, request.uri, context.peer)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.door.settings.extra.is_none() {
            return Err(ErrorData::method_not_found::<UnsubscribeRequestMethod>());
        }
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.remove(&request.uri);
        Ok(())
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
            false => requests::malformed_request_error(&request.method, request.params.as_ref()),
        };
        let unknown = || ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method.clone(), None);
        Err(misfit.unwrap_or_else(unknown))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let door = Arc::clone(&self.door);
        let shown = tokio::task::spawn_blocking(move || tasks::task_state(&door, &request.task_id));
        let shown = shown.await;
        shown
            .map_err(|err| ErrorData::internal_error(err.to_string(), None))?
            .map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.door.tasks.update_task(
            &self.door.task_id(&request.task_id),
            request.input_responses,
        )
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.door
            .tasks
            .cancel_task(&self.door.task_id(&request.task_id))
    }
}
