//! [`Endpoint`]: the protocol over HTTP, for one caller. Hosts, origins, keys and limits are checked before it.

use std::convert::Infallible;
use std::fmt::Display;
use std::sync::Arc;

use hyper::body::{Body, Bytes};
use hyper::{Request, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;
use tool_core::StopFlag;

use super::door::{Door, Settings};
use super::handler::Handler;
use super::{changes, lines};
use crate::Toolkit;
use crate::queue::Queue;

/// What answers the requests of one caller; a session belongs to the endpoint that began it.
#[derive(Clone)]
pub(crate) struct Endpoint {
    service: StreamableHttpService<Handler, LocalSessionManager>,
    bytes_max: usize,
}

impl Endpoint {
    /// Starts an endpoint; `closing` ends its streams and sessions. Needs a runtime.
    pub(crate) fn new(
        toolkit: Arc<Toolkit>,
        settings: Settings,
        calls: StopFlag,
        queue: Arc<Queue>,
        closing: CancellationToken,
    ) -> Self {
        let bytes_max = settings.line_bytes_max;
        let door = Arc::new(Door::new(toolkit, settings, calls, queue));
        tokio::spawn(changes::look(Arc::clone(&door)));
        let mut config = StreamableHttpServerConfig::default()
            .with_json_response(true)
            .with_cancellation_token(closing)
            .with_max_request_body_bytes(bytes_max);
        // The server checks both, for every path.
        config = config.disable_allowed_hosts().disable_allowed_origins();
        let sessions = Arc::new(LocalSessionManager::default());
        let handler = move || Ok(Handler::new(Arc::clone(&door)));
        Self {
            service: StreamableHttpService::new(handler, sessions, config),
            bytes_max,
        }
    }

    /// Answers one request, whose body has been read as `text`.
    pub(crate) async fn answer<B>(
        &self,
        mut request: Request<B>,
        text: &[u8],
    ) -> Response<impl Body<Data = Bytes, Error = Infallible> + Send + use<B>>
    where
        B: Body + Send + 'static,
        B::Error: Display,
        B::Data: Send,
    {
        if let Some(sent) = lines::sent(text, self.bytes_max) {
            request.extensions_mut().insert(sent);
        }
        self.service.handle(request).await
    }
}
