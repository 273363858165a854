//! Capabilities of the families that this build leaves out.

#[cfg(not(feature = "web"))]
pub(crate) mod web {
    use std::sync::Arc;

    use registry::Config;
    use tool_core::Result;
    use tool_core::capability::{Clock, Http};

    /// No HTTP client.
    pub(crate) fn client(_: &Config, _: Arc<dyn Clock>) -> Result<Option<Arc<dyn Http>>> {
        Ok(None)
    }
}

#[cfg(not(feature = "llm"))]
pub(crate) mod models {
    use std::sync::Arc;

    use registry::model::Models;
    use tool_core::capability::{Http, Model};

    /// No models.
    pub(crate) fn of_config(_: &Models, _: Option<Arc<dyn Http>>) -> Option<Arc<dyn Model>> {
        None
    }
}
