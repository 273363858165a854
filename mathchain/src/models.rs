//! Model endpoints, from the configuration.

use std::sync::Arc;
use std::time::Duration;

use host_tools::llm::endpoint::{EndpointKey, LlmEndpoint, LlmEndpoints};
use registry::model::{KeyVariable, ModelEndpoint, ModelsConfig};
use tool_core::capability::{HttpTransport, LanguageModel};

use crate::environment;

/// Default timeout, long enough for a model that runs on a CPU.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The models of a configuration; `None` if it names none.
pub(crate) fn of_config(
    models: &ModelsConfig,
    http: Option<Arc<dyn HttpTransport>>,
) -> Option<Arc<dyn LanguageModel>> {
    if *models == ModelsConfig::default() {
        return None;
    }
    let endpoint = |model: &Option<ModelEndpoint>| model.as_ref().map(model_endpoint);
    Some(Arc::new(LlmEndpoints {
        embeddings: endpoint(&models.embeddings),
        chat: endpoint(&models.chat),
        vision: endpoint(&models.vision),
        http,
    }))
}

fn model_endpoint(model: &ModelEndpoint) -> LlmEndpoint {
    let key = |variable: &str| match environment::read_secret(variable) {
        Some(secret) => EndpointKey::Known(secret),
        None => EndpointKey::NotSet(variable.to_owned()),
    };
    let variable = model.api_key.as_ref().and_then(KeyVariable::variable);
    LlmEndpoint {
        url: model.endpoint.clone(),
        model: model.model.clone(),
        api_key: variable.map_or(EndpointKey::None, key),
        timeout: model.timeout_ms.map_or(TIMEOUT, Duration::from_millis),
    }
}

#[cfg(test)]
mod tests {
    use registry::Config;
    use std::sync::Mutex;

    use tool_core::capability::{
        HttpRequest, HttpResponse, HttpService, MessageImage, MessageSpeaker, ModelMessage,
    };
    use tool_core::{ErrorCode, StopFlag, ToolError};

    use super::*;

    /// Notes what is sent, and answers nothing.
    #[derive(Default)]
    struct Noted(Mutex<Vec<HttpRequest>>);

    impl HttpTransport for Noted {
        fn send(&self, request: &HttpRequest, _: &StopFlag) -> Result<HttpResponse, ToolError> {
            self.0.lock().expect("no panic").push(request.clone());
            Err(ToolError::new(ErrorCode::ToolError, "away"))
        }
        fn service(&self, _: &str) -> Option<HttpService> {
            None
        }
    }

    #[test]
    fn each_key_of_a_model_is_in_what_is_sent_to_it() {
        let table = |name: &str, ms: u32| {
            format!(
                "[models.{name}]\nendpoint = \"http://{name}.example/v1\"\napi_key = \"env:PATH\"\nmodel = \"m-{name}\"\ntimeout_ms = {ms}\n"
            )
        };
        let tables = [("embeddings", 11), ("chat", 12), ("vision", 13)];
        let text: String = tables.iter().map(|(name, ms)| table(name, *ms)).collect();
        let config = Config::parse("mathchain.toml", &format!("version = 1\n{text}"));
        let http = Arc::new(Noted::default());
        let models = config.expect("a configuration").models;
        let model = of_config(&models, Some(Arc::clone(&http) as _)).expect("three endpoints");
        let stop = StopFlag::new();
        let said = |images: Vec<MessageImage>| ModelMessage {
            speaker: MessageSpeaker::User,
            text: "x".to_owned(),
            images,
        };
        let image = MessageImage {
            media_type: "image/png".to_owned(),
            base64: "AAAA".to_owned(),
        };
        model.embed(&["x"], &stop).expect_err("away");
        model.chat(&[said(Vec::new())], &stop).expect_err("away");
        model.chat(&[said(vec![image])], &stop).expect_err("away");
        let sent = http.0.lock().expect("no panic");
        assert_eq!(sent.len(), 3);
        let path = environment::read_secret("PATH").expect("a search path");
        for ((name, ms), request) in tables.iter().zip(sent.iter()) {
            assert_eq!(request.url, format!("http://{name}.example/v1"));
            assert_eq!(request.timeout, Duration::from_millis(u64::from(*ms)));
            let body = String::from_utf8_lossy(&request.body);
            assert!(body.contains(&format!("\"model\":\"m-{name}\"")), "{body}");
            let key = ("Authorization".to_owned(), format!("Bearer {path}"));
            assert!(request.headers.contains(&key), "{name}");
        }
    }

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
