//! Capabilities of the families that this build leaves out.

#[cfg(not(feature = "web"))]
pub(crate) mod web {
    use std::sync::Arc;

    use registry::Config;
    use tool_core::Result;
    use tool_core::capability::{Clock, HttpTransport};

    /// No HTTP client.
    pub(crate) fn http_client(
        _: &Config,
        _: Arc<dyn Clock>,
    ) -> Result<Option<Arc<dyn HttpTransport>>> {
        Ok(None)
    }

    /// No client.
    pub(crate) fn service_client(
        _: &Config,
        base_url: &str,
    ) -> Result<crate::service_client::ServiceClient> {
        Ok(crate::service_client::ServiceClient {
            host: base_url.to_owned(),
            address: base_url.to_owned(),
            http: None,
        })
    }
}

#[cfg(not(feature = "llm"))]
pub(crate) mod models {
    use std::sync::Arc;

    use registry::model::ModelsConfig;
    use tool_core::capability::{HttpTransport, LanguageModel};

    /// No models.
    pub(crate) fn of_config(
        _: &ModelsConfig,
        _: Option<Arc<dyn HttpTransport>>,
    ) -> Option<Arc<dyn LanguageModel>> {
        None
    }
}
