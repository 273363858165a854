//! What the configuration says of models, for the capability that asks them.

use std::sync::Arc;
use std::time::Duration;

use host_tools::llm::endpoint::{Endpoint, Endpoints, Key};
use registry::config::{ModelEndpoint, Models};
use tool_core::capability::{Http, Model};

use crate::environment;

/// Longest wait where the configuration sets none: a model on a processor takes its time.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The models of a configuration, where it names any.
pub(crate) fn of_config(models: &Models, http: Option<Arc<dyn Http>>) -> Option<Arc<dyn Model>> {
    if *models == Models::default() {
        return None;
    }
    let endpoint = |model: &Option<ModelEndpoint>| model.as_ref().map(endpoint);
    Some(Arc::new(Endpoints {
        embeddings: endpoint(&models.embeddings),
        chat: endpoint(&models.chat),
        vision: endpoint(&models.vision),
        http,
    }))
}

fn endpoint(model: &ModelEndpoint) -> Endpoint {
    let key = |variable: &String| match environment::secret(variable) {
        Some(secret) => Key::Known(secret),
        None => Key::NotSet(variable.clone()),
    };
    Endpoint {
        url: model.endpoint.clone(),
        model: model.model.clone(),
        api_key: model.api_key_variable.as_ref().map_or(Key::None, key),
        timeout: model.timeout_ms.map_or(TIMEOUT, Duration::from_millis),
    }
}

#[cfg(test)]
mod tests {
    use registry::Config;
    use tool_core::{ErrorCode, StopFlag};

    use super::*;

    #[test]
    fn what_is_missing_is_named_and_nothing_is_sent() {
        let config = |text: &str| {
            let text = format!("version = 1\n{text}");
            Config::parse("mathchain.toml", &text).expect("a configuration")
        };
        assert!(of_config(&config("").models, None).is_none());
        let models = config(
            "[models.embeddings]\nendpoint = \"http://127.0.0.1:9/v1/embeddings\"\napi_key = \"env:MATHCHAIN_TEST_NO_SUCH_KEY\"\n\
             [models.chat]\nendpoint = \"http://127.0.0.1:9/v1/chat/completions\"\n",
        )
        .models;
        let model = of_config(&models, None).expect("two endpoints");
        let stop = StopFlag::new();
        let err = model.embed(&["a"], &stop).expect_err("no key");
        assert_eq!(err.code(), ErrorCode::PreconditionFailed);
        assert!(
            err.message().contains("MATHCHAIN_TEST_NO_SUCH_KEY"),
            "{err:?}"
        );
        let err = model.chat(&[], &stop).expect_err("no transport");
        assert_eq!(err.reason_str(), Some("no_transport"));
    }
}
