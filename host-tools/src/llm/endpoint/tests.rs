//! Requests and answers in the shapes of llama.cpp server, Ollama, vLLM and OpenAI, written by hand.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tool_core::capability::{
    HttpMethod, HttpRequest, HttpResponse, HttpTransport, LanguageModel, MessageImage,
    MessageSpeaker, ModelMessage,
};
use tool_core::{ErrorCode, StopFlag, ToolError};

use super::answer::{self, AnswerError};
use super::{EndpointKey, LlmEndpoint, LlmEndpoints, request};

fn endpoint(model: Option<&str>) -> LlmEndpoint {
    LlmEndpoint {
        url: "http://127.0.0.1:8080/v1/embeddings".to_owned(),
        model: model.map(str::to_owned),
        api_key: EndpointKey::Known("secret-key".to_owned()),
        timeout: Duration::from_secs(30),
    }
}

fn body(request: &HttpRequest) -> &str {
    std::str::from_utf8(&request.body).unwrap()
}

fn message(text: &str) -> ModelMessage {
    ModelMessage {
        speaker: MessageSpeaker::User,
        text: text.to_owned(),
        images: Vec::new(),
    }
}

#[test]
fn requests_have_the_documented_shape() {
    let asked = request::embeddings_request(
        &endpoint(Some("nomic-embed-text")),
        &["one", "two \"quoted\""],
    );
    assert_eq!(asked.method, HttpMethod::Post);
    assert_eq!(asked.url, "http://127.0.0.1:8080/v1/embeddings");
    assert_eq!(asked.timeout, Duration::from_secs(30));
    assert!(
        asked
            .headers
            .contains(&("Authorization".to_owned(), "Bearer secret-key".to_owned()))
    );
    assert!(
        asked
            .headers
            .contains(&("Content-Type".to_owned(), "application/json".to_owned()))
    );
    assert_eq!(
        body(&asked),
        r#"{"model":"nomic-embed-text","input":["one","two \"quoted\""],"encoding_format":"float"}"#
    );
    let bare = LlmEndpoint {
        model: None,
        api_key: EndpointKey::None,
        ..endpoint(None)
    };
    let asked = request::embeddings_request(&bare, &["x"]);
    assert_eq!(body(&asked), r#"{"input":["x"],"encoding_format":"float"}"#);
    assert!(
        asked
            .headers
            .iter()
            .all(|(name, _)| name != "Authorization")
    );

    let system = ModelMessage {
        speaker: MessageSpeaker::System,
        ..message("be brief")
    };
    let seen = ModelMessage {
        images: vec![MessageImage {
            media_type: "image/png".to_owned(),
            base64: "AAAA".to_owned(),
        }],
        ..message("read it")
    };
    assert_eq!(
        body(&request::chat_request(
            &endpoint(Some("m")),
            &[system, seen]
        )),
        concat!(
            r#"{"model":"m","messages":[{"role":"system","content":"be brief"},{"role":"user","content":["#,
            r#"{"type":"text","text":"read it"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}],"#,
            r#""temperature":0,"max_tokens":4096,"stream":false}"#
        )
    );
}

#[test]
fn a_key_is_never_printed() {
    let printed = format!("{:?}", endpoint(Some("m")));
    assert!(
        printed.contains("127.0.0.1") && !printed.contains("secret-key"),
        "{printed}"
    );
}

#[test]
fn vectors_are_read_in_the_order_of_the_texts() {
    for (answer, model, backend) in [
        // OpenAI and vLLM; here out of order.
        (
            r#"{"object":"list","data":[{"object":"embedding","index":1,"embedding":[3,4e0]},{"object":"embedding","index":0,"embedding":[0.5,-2]}],
               "model":"text-embedding-3-small","usage":{"prompt_tokens":8,"total_tokens":8}}"#,
            None,
            "endpoint:text-embedding-3-small",
        ),
        // llama.cpp.
        (
            r#"{"model":"gpt-3.5-turbo","object":"list","usage":{"prompt_tokens":5,"total_tokens":5},
               "data":[{"embedding":[0.5,-2.0],"index":0,"object":"embedding"},{"embedding":[3.0,4.0],"index":1,"object":"embedding"}]}"#,
            Some("bge-small"),
            "endpoint:bge-small",
        ),
        // A server that numbers and names nothing.
        (
            r#"{"data":[{"embedding":[0.5,-2]},{"embedding":[3,4]}]}"#,
            None,
            "endpoint:unnamed",
        ),
    ] {
        let read = answer::parse_embeddings(answer.as_bytes(), 2, model).unwrap();
        assert_eq!(read.backend, backend);
        assert_eq!(read.vectors, [[0.5, -2.0], [3.0, 4.0]]);
    }
}

#[test]
fn answers_of_another_shape_are_errors() {
    let read = |body: &str| answer::parse_embeddings(body.as_bytes(), 2, None).unwrap_err();
    let entry = |index: &str, vector: &str| format!(r#"{{"index":{index},"embedding":{vector}}}"#);
    let data = |entries: &[String]| format!(r#"{{"data":[{}]}}"#, entries.join(","));
    let missing = |what: &str| AnswerError::Missing(what.to_owned());
    assert!(matches!(read("<html>"), AnswerError::NotJson(_)));
    assert!(matches!(read(""), AnswerError::NotJson(_)));
    assert!(
        matches!(read(r#"{"data":[],"data":[]}"#), AnswerError::NotJson(_)),
        "a key twice"
    );
    assert_eq!(read("[]"), missing("list `data`"));
    assert_eq!(read(r#"{"data":"x"}"#), missing("list `data`"));
    assert_eq!(
        read(r#"{"data":[]}"#),
        AnswerError::Count {
            found: 0,
            expected: 2
        }
    );
    assert_eq!(
        read(r#"{"data":[1,2]}"#),
        missing("list of numbers `data/0/embedding`")
    );
    let one = entry("0", "[1]");
    for vector in ["[]", "[\"x\"]", "[[1]]", "null", "\"AACAPw==\"", "[1,null]"] {
        let found = read(&data(&[one.clone(), entry("1", vector)]));
        assert_eq!(
            found,
            missing("list of numbers `data/1/embedding`"),
            "{vector}"
        );
    }
    assert_eq!(
        read(&data(&[one.clone(), one.clone()])),
        AnswerError::Index(0)
    );
    for index in ["2", "-1", "0.5", "\"1\""] {
        assert_eq!(
            read(&data(&[one.clone(), entry(index, "[1]")])),
            AnswerError::Index(1),
            "{index}"
        );
    }
    assert!(matches!(
        read(&data(&[one.clone(), entry("1", "[1,2]")])),
        AnswerError::Length {
            index: 1,
            found: 2,
            ..
        }
    ));
    let long = format!("[{}1]", "1,".repeat(16_384));
    assert!(matches!(
        read(&data(&[entry("0", &long), entry("1", &long)])),
        AnswerError::Length { .. }
    ));
}

#[test]
fn replies_are_read() {
    let reply = r#"{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"llama3.2",
        "choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"FINISH"}],
        "usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}"#;
    for (finish, truncated) in [("stop", false), ("length", true)] {
        let read =
            answer::parse_chat_reply(reply.replace("FINISH", finish).as_bytes(), None).unwrap();
        assert_eq!(
            (read.text.as_str(), read.backend.as_str()),
            ("Hello.", "endpoint:llama3.2")
        );
        assert_eq!(read.truncated, truncated);
    }
    for wrong in [
        "{}",
        r#"{"choices":[]}"#,
        r#"{"choices":[{"message":{"content":null,"reasoning_content":"hm"}}]}"#,
        r#"{"choices":[{"message":{"content":"  "}}]}"#,
        r#"{"choices":[{"message":{"content":[{"type":"text","text":"x"}]}}]}"#,
    ] {
        assert!(
            matches!(
                answer::parse_chat_reply(wrong.as_bytes(), None),
                Err(AnswerError::Missing(_))
            ),
            "{wrong}"
        );
    }
}

#[test]
fn refusals_carry_the_words_of_the_server() {
    for (body, said) in [
        (
            r#"{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}"#,
            "Incorrect API key provided",
        ),
        (
            r#"{"error":{"code":500,"message":"input is too large\nto process","type":"server_error"}}"#,
            "input is too large to process",
        ),
        (
            r#"{"error":"model \"x\" not found, try pulling it first"}"#,
            "model \"x\" not found, try pulling it first",
        ),
        (
            r#"{"object":"error","message":"The model does not exist.","code":404}"#,
            "The model does not exist.",
        ),
        (r#"{"detail":"Not Found"}"#, "Not Found"),
    ] {
        let err = answer::server_status_error("models.chat", 500, body.as_bytes());
        assert!(
            err.message().ends_with(&format!("status 500: {said}")),
            "{err:?}"
        );
    }
    let html = answer::server_status_error("models.chat", 404, b"<html>nginx</html>");
    assert!(html.message().ends_with("status 404"), "{html:?}");
    assert!(html.hint_str().unwrap().contains("models.chat.endpoint"));
    assert!(
        answer::server_status_error("models.chat", 401, b"")
            .hint_str()
            .unwrap()
            .contains("api_key")
    );
    let long = format!(r#"{{"error":"{}"}}"#, "x".repeat(5000));
    assert!(
        answer::server_status_error("models.chat", 400, long.as_bytes())
            .message()
            .len()
            < 400
    );
}

/// Answers each request with a vector of the length of each text; the status and the model's name can change on the way.
struct Server {
    sizes: Mutex<Vec<usize>>,
    status: u16,
    models: &'static [&'static str],
}

impl HttpTransport for Server {
    fn service(&self, _: &str) -> Option<tool_core::capability::HttpService> {
        None
    }

    fn send(&self, request: &HttpRequest, stop: &StopFlag) -> Result<HttpResponse, ToolError> {
        stop.check()?;
        let asked =
            tool_core::json::parse_bytes(&request.body, tool_core::json::JsonLimits::default())
                .unwrap();
        let texts = asked
            .get("input")
            .and_then(tool_core::Value::items)
            .unwrap();
        let mut sizes = self.sizes.lock().unwrap();
        let model = self.models[sizes.len() % self.models.len()];
        sizes.push(texts.len());
        let data: Vec<String> = texts
            .iter()
            .enumerate()
            .map(|(index, text)| {
                format!(
                    r#"{{"index":{index},"embedding":[{},1]}}"#,
                    text.as_str().unwrap().len()
                )
            })
            .collect();
        Ok(HttpResponse {
            status: self.status,
            headers: Vec::new(),
            body: format!(r#"{{"model":"{model}","data":[{}]}}"#, data.join(",")).into_bytes(),
            truncated: false,
            url: request.url.clone(),
            elapsed: Duration::ZERO,
        })
    }
}

fn served(status: u16, models: &'static [&'static str]) -> (LlmEndpoints, Arc<Server>) {
    let server = Arc::new(Server {
        sizes: Mutex::default(),
        status,
        models,
    });
    let endpoints = LlmEndpoints {
        embeddings: Some(endpoint(None)),
        chat: None,
        vision: None,
        http: Some(Arc::clone(&server) as Arc<dyn HttpTransport>),
    };
    (endpoints, server)
}

#[test]
fn many_texts_are_sent_in_parts() {
    let texts: Vec<String> = (0..150).map(|count| "x".repeat(count)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (endpoints, server) = served(200, &["m"]);
    let stop = StopFlag::new();
    let read = endpoints.embed(&texts, &stop).unwrap();
    assert_eq!(*server.sizes.lock().unwrap(), [64, 64, 22]);
    assert_eq!(read.vectors.len(), 150);
    assert!(
        read.vectors
            .iter()
            .zip(0_u32..)
            .all(|(vector, length)| vector[0] == f64::from(length))
    );
    assert_eq!(read.backend, "endpoint:m");
    assert_eq!(endpoints.embed(&[], &stop).unwrap().vectors.len(), 0);

    let (changing, _) = served(200, &["m", "n"]);
    let err = changing.embed(&texts, &stop).unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::ToolError, Some("answer"))
    );
    let (failing, _) = served(503, &["m"]);
    let err = failing.embed(&texts, &stop).unwrap_err();
    assert_eq!(err.reason_str(), Some("endpoint"));
    stop.cancel();
    assert_eq!(
        endpoints.embed(&texts, &stop).unwrap_err().code(),
        ErrorCode::Cancelled
    );
}

#[test]
fn what_is_not_configured_is_named() {
    let (endpoints, server) = served(200, &["m"]);
    let stop = StopFlag::new();
    let err = endpoints.chat(&[message("hello")], &stop).unwrap_err();
    assert_eq!(err.code(), ErrorCode::PreconditionFailed);
    assert!(err.message().contains("`models.chat.endpoint`"));
    let image = MessageImage {
        media_type: "image/png".to_owned(),
        base64: String::new(),
    };
    let seen = ModelMessage {
        images: vec![image],
        ..message("read")
    };
    let err = endpoints.chat(&[seen], &stop).unwrap_err();
    assert!(err.message().contains("`models.vision.endpoint`"));
    assert!(server.sizes.lock().unwrap().is_empty(), "nothing was sent");
}
