//! The HTTP client of one service.

use std::sync::Arc;

use tool_core::capability::HttpTransport;

/// A client for one service.
pub(crate) struct ServiceClient {
    /// Name or address of its host.
    pub(crate) host: String,
    /// The host with its port.
    pub(crate) address: String,
    /// `None` in a build without the web.
    pub(crate) http: Option<Arc<dyn HttpTransport>>,
}
