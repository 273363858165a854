//! [`ServerExtension`]: what a program around this library offers MCP clients beside its own tools.

use std::sync::Arc;

use tool_core::capability::CallClient;
use tool_core::{Result, Value};

use mathchain::Toolkit;

/// Resources and prompts of a program around this library, as the Model Context Protocol writes them. Tools are added to the toolkit, like any
/// others.
pub trait ServerExtension: Send + Sync {
    /// Called once the toolkit of the server is open.
    ///
    /// # Errors
    /// As adding tools; the server does not start then.
    fn opened(&self, toolkit: &Arc<Toolkit>) -> Result<()> {
        let _ = toolkit;
        Ok(())
    }

    /// Resources: `{"uri", "name", ..}`.
    fn resources(&self) -> Vec<Value> {
        Vec::new()
    }

    /// Templates of resources: `{"uriTemplate", "name", ..}`.
    fn templates(&self) -> Vec<Value> {
        Vec::new()
    }

    /// Contents of a resource: `{"uri", "text" or "blob", ..}`; `None` for any other URI.
    fn read(&self, uri: &str) -> Option<Value> {
        let _ = uri;
        None
    }

    /// Version of a resource that a client of the older protocol may subscribe to; it is told when this changes.
    fn version(&self, uri: &str) -> Option<u64> {
        let _ = uri;
        None
    }

    /// Prompts: `{"name", ..}`.
    fn prompts(&self) -> Vec<Value> {
        Vec::new()
    }

    /// A prompt with its arguments: `{"messages": ..}`; `None` for any other name.
    ///
    /// # Errors
    /// Arguments that do not fit; as [`CallClient::ask`] for a prompt that asks.
    fn prompt(
        &self,
        name: &str,
        arguments: &Value,
        client: &dyn CallClient,
    ) -> Option<Result<Value>> {
        let _ = (name, arguments, client);
        None
    }

    /// Whether tools write to the log of a client of the older protocol.
    fn logs(&self) -> bool {
        false
    }
}
