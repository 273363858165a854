use std::sync::{Arc, Mutex};

use tool_core::capability::{LanguageModel, ModelMessage, ModelReply, TextEmbeddings};
use tool_core::{
    AnyTool, CallBudget, Capabilities, Ctx, Effect, ErrorCode, StopFlag, Tool, ToolError, Value,
    json, tool_entry,
};

use super::{TOOLS, backend, ocr_extract};

/// A model that counts letters and remembers what it was asked.
#[derive(Default)]
struct Fake {
    asked: Mutex<Vec<String>>,
    wrong_count: bool,
}

impl LanguageModel for Fake {
    fn embed(&self, texts: &[&str], stop: &StopFlag) -> Result<TextEmbeddings, ToolError> {
        stop.check()?;
        let mut asked = self.asked.lock().unwrap();
        asked.extend(texts.iter().map(|&text| text.to_owned()));
        let count = |text: &str, letter| text.matches(letter).count() as f64;
        let vector = |text: &&str| vec![count(text, 'a'), count(text, 'b'), count(text, 'c')];
        let skip = usize::from(self.wrong_count);
        Ok(TextEmbeddings {
            backend: "endpoint:fake".to_owned(),
            vectors: texts.iter().skip(skip).map(vector).collect(),
        })
    }

    fn chat(&self, messages: &[ModelMessage], stop: &StopFlag) -> Result<ModelReply, ToolError> {
        stop.check()?;
        assert_eq!(messages[0].images[0].media_type, "image/png");
        Ok(ModelReply {
            backend: "endpoint:example".to_owned(),
            text: "HELLO".to_owned(),
            truncated: false,
        })
    }
}

fn with_model(model: Fake) -> (Ctx, Arc<Fake>) {
    let model = Arc::new(model);
    let capabilities = Capabilities {
        model: Some(Arc::clone(&model) as Arc<dyn LanguageModel>),
        ..Capabilities::default()
    };
    (Ctx::default().with_capabilities(capabilities), model)
}

fn find(id: &str) -> &'static dyn AnyTool {
    TOOLS
        .iter()
        .map(|entry| entry.tool())
        .find(|tool| tool.spec().id == id)
        .unwrap()
}

fn call_in(ctx: &Ctx, tool: &str, args: &str) -> Result<Value, ToolError> {
    let args = json::parse_json(args, json::JsonLimits::default()).unwrap();
    find(tool).decode(&args)?.run(ctx)
}

fn call(tool: &str, args: &str) -> Result<Value, ToolError> {
    call_in(&Ctx::default(), tool, args)
}

/// Code, reason and place of a failure.
fn failure(result: Result<Value, ToolError>) -> (ErrorCode, String, String) {
    let err = result.unwrap_err();
    (
        err.code(),
        err.reason_str().unwrap_or_default().to_owned(),
        err.path().unwrap_or_default().to_owned(),
    )
}

fn invalid(reason: &str, path: &str) -> (ErrorCode, String, String) {
    (ErrorCode::InvalidArgs, reason.to_owned(), path.to_owned())
}

fn number(output: &Value, pointer: &str) -> f64 {
    output.pointer(pointer).unwrap().as_f64().unwrap()
}

fn text(output: &Value, pointer: &str) -> String {
    output
        .pointer(pointer)
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn a_text_with_nothing_to_compare_is_an_error() {
    for text in ["", " ", "...", "\\u0301", "\\u200d"] {
        for (tool, args, path) in [
            ("embed_text", format!(r#"{{"text":"{text}"}}"#), "/text"),
            (
                "similarity_search",
                format!(r#"{{"query":"{text}","items":["a"]}}"#),
                "/query",
            ),
            (
                "classify_text",
                format!(r#"{{"text":"{text}","categories":["a"]}}"#),
                "/text",
            ),
        ] {
            assert_eq!(
                failure(call(tool, &args)),
                invalid("empty", path),
                "{tool} {args}"
            );
        }
    }
    let found = call(
        "similarity_search",
        r#"{"query":"moon","items":["","!","Moon"],"top_k":2}"#,
    )
    .unwrap();
    assert_eq!(text(&found, "/results/0/item"), "Moon");
    assert_eq!(number(&found, "/results/1/score"), 0.0);
    assert_eq!(
        number(&found, "/results/1/index"),
        0.0,
        "of equal ones the earlier"
    );
    let none = call("similarity_search", r#"{"query":"moon","items":[]}"#).unwrap();
    assert_eq!(none.get("results").and_then(Value::items).unwrap().len(), 0);
}

#[test]
fn limits_are_held() {
    let long = "a".repeat(backend::TEXT_BYTES_MAX + 1);
    let limit =
        |reason: &str, path: &str| (ErrorCode::LimitExceeded, reason.to_owned(), path.to_owned());
    for (tool, args, expected) in [
        (
            "embed_text",
            format!(r#"{{"text":"{long}"}}"#),
            limit("text", "/text"),
        ),
        (
            "similarity_search",
            format!(r#"{{"query":"{long}","items":[]}}"#),
            limit("text", "/query"),
        ),
        (
            "similarity_search",
            format!(r#"{{"query":"a","items":["b","{long}"]}}"#),
            limit("text", "/items/1"),
        ),
        (
            "classify_text",
            format!(r#"{{"text":"{long}","categories":["a"]}}"#),
            limit("text", "/text"),
        ),
    ] {
        assert_eq!(failure(call(tool, &args)), expected, "{tool}");
    }
    let labelled = format!(
        r#"{{"text":"a","categories":["b"],"examples":[{{"text":"{long}","category":"b"}}]}}"#
    );
    assert_eq!(
        failure(call("classify_text", &labelled)),
        limit("text", "/examples/0/text")
    );
    let many = format!(
        r#"{{"query":"a","items":[{}]}}"#,
        vec![r#""b""#; backend::TEXTS_MAX + 1].join(",")
    );
    assert_eq!(
        failure(call("similarity_search", &many)),
        limit("texts", "/items")
    );
    let largest = format!(r#""{}""#, &long[1..]);
    let heavy = format!(
        r#"{{"query":"a","items":[{}]}}"#,
        vec![largest; 65].join(",")
    );
    assert_eq!(
        failure(call("similarity_search", &heavy)),
        limit("texts", "/items")
    );
    let small = CallBudget {
        memory_bytes: 10_000,
        ..CallBudget::default()
    };
    let ctx = Ctx::new(StopFlag::new(), small);
    let args = format!(r#"{{"query":"a","items":["{}"]}}"#, "b ".repeat(500));
    assert_eq!(
        failure(call_in(&ctx, "similarity_search", &args)),
        limit("memory", "")
    );
    for top_k in ["0", "100001", "1.5"] {
        let args = format!(r#"{{"query":"a","items":[],"top_k":{top_k}}}"#);
        assert_eq!(
            failure(call("similarity_search", &args)),
            invalid("", "/top_k")
        );
    }
}

#[test]
fn calls_stop_when_the_flag_is_set() {
    let (ctx, _) = with_model(Fake::default());
    ctx.stop().time_out();
    for backend in ["lexical", "endpoint"] {
        for (tool, args) in [
            ("embed_text", r#""text":"a""#),
            ("similarity_search", r#""query":"a","items":["b"]"#),
            ("classify_text", r#""text":"a","categories":["b"]"#),
        ] {
            let args = format!(r#"{{{args},"backend":"{backend}"}}"#);
            assert_eq!(
                failure(call_in(&ctx, tool, &args)).0,
                ErrorCode::Timeout,
                "{tool} {backend}"
            );
        }
    }
}

#[test]
fn without_an_endpoint_the_error_names_the_key() {
    for (tool, args) in [
        ("embed_text", r#"{"text":"a","backend":"endpoint"}"#),
        (
            "similarity_search",
            r#"{"query":"a","items":["b"],"backend":"endpoint"}"#,
        ),
        (
            "classify_text",
            r#"{"text":"a","categories":["b"],"backend":"endpoint"}"#,
        ),
    ] {
        let err = call(tool, args).unwrap_err();
        assert_eq!(err.code(), ErrorCode::PreconditionFailed);
        assert_eq!(err.reason_str(), Some("no_endpoint"));
        assert!(
            err.message().contains("`models.embeddings.endpoint`"),
            "{err:?}"
        );
        assert!(err.hint_str().is_some());
    }
}

#[test]
fn only_the_endpoint_has_effects() {
    for (tool, args) in [
        ("embed_text", r#""text":"a""#),
        ("similarity_search", r#""query":"a","items":[]"#),
        ("classify_text", r#""text":"a","categories":["b"]"#),
    ] {
        let reach = |rest: &str| {
            let args = json::parse_json(&format!("{{{args}{rest}}}"), json::JsonLimits::default())
                .unwrap();
            find(tool).decode(&args).unwrap().reach().effects
        };
        assert_eq!(reach(""), []);
        assert_eq!(reach(r#","backend":"lexical""#), []);
        assert_eq!(
            reach(r#","backend":"endpoint""#),
            [Effect::CallsLlm, Effect::NetworkAccess]
        );
        assert_eq!(
            find(tool).spec().effects,
            [Effect::CallsLlm, Effect::NetworkAccess]
        );
    }
}

#[test]
fn a_vector_goes_from_one_tool_to_the_other_as_it_is() {
    let moon = call("embed_text", r#"{"text":"the moon"}"#).unwrap();
    let bread = call("embed_text", r#"{"text":"bread"}"#).unwrap();
    let search = |vectors: &[&Value]| {
        let vectors: Vec<String> = vectors.iter().map(|vector| vector.to_string()).collect();
        let args = format!(
            r#"{{"query":"moons","items":["the moon","bread"],"vectors":[{}]}}"#,
            vectors.join(",")
        );
        call("similarity_search", &args)
    };
    assert_eq!(search(&[&moon, &bread]).unwrap(), search(&[]).unwrap());
    assert_eq!(failure(search(&[&moon])), invalid("", "/vectors"));
    let other = |from: &str, to: &str| {
        json::parse_json(
            &bread.to_string().replace(from, to),
            json::JsonLimits::default(),
        )
        .unwrap()
    };
    let renamed = other("lexical-1", "lexical-0");
    assert_eq!(
        failure(search(&[&moon, &renamed])),
        invalid("backend_mismatch", "/vectors/1")
    );
    assert_eq!(
        failure(search(&[&renamed, &renamed])),
        invalid("backend_mismatch", "/vectors/0")
    );
    let short = other("\"dimension\":1024", "\"dimension\":1023");
    assert_eq!(
        failure(search(&[&short, &short])),
        invalid("backend_mismatch", "/vectors/0")
    );
}

#[test]
fn the_endpoint_is_asked_for_what_is_needed() {
    let (ctx, model) = with_model(Fake::default());
    let one = call_in(
        &ctx,
        "embed_text",
        r#"{"text":"abba","backend":"endpoint"}"#,
    )
    .unwrap();
    assert_eq!(
        one.to_string(),
        r#"{"vector":[2.0,2.0,0.0],"backend":"endpoint:fake","dimension":3}"#
    );
    let found = call_in(
        &ctx,
        "similarity_search",
        r#"{"query":"aab","items":["c","","aabaab","ab"],"backend":"endpoint"}"#,
    )
    .unwrap();
    assert_eq!(text(&found, "/results/0/item"), "aabaab");
    assert!((number(&found, "/results/0/score") - 1.0).abs() < 1e-12);
    assert_eq!(number(&found, "/results/1/index"), 3.0);
    assert_eq!(text(&found, "/backend"), "endpoint:fake");
    assert_eq!(
        *model.asked.lock().unwrap(),
        ["abba", "aab", "c", "aabaab", "ab"],
        "empty texts are not sent"
    );
    model.asked.lock().unwrap().clear();
    let vector =
        |backend: &str| format!(r#"{{"vector":[2,2,0],"backend":"{backend}","dimension":3}}"#);
    let args = |backend: &str| {
        format!(
            r#"{{"query":"ab","items":["x"],"backend":"endpoint","vectors":[{}]}}"#,
            vector(backend)
        )
    };
    let known = call_in(&ctx, "similarity_search", &args("endpoint:fake")).unwrap();
    assert!((number(&known, "/results/0/score") - 1.0).abs() < 1e-12);
    assert_eq!(
        *model.asked.lock().unwrap(),
        ["ab"],
        "known vectors are not made again"
    );
    for other in ["endpoint:other", "lexical-1"] {
        assert_eq!(
            failure(call_in(&ctx, "similarity_search", &args(other))),
            invalid("backend_mismatch", "/vectors/0")
        );
    }
    let classified = call_in(
        &ctx,
        "classify_text",
        r#"{"text":"aa","categories":["b","a"],"backend":"endpoint"}"#,
    )
    .unwrap();
    assert_eq!(text(&classified, "/category"), "a");
    assert_eq!(number(&classified, "/confidence"), 1.0);
    // Squares of these overflow.
    let far = r#"{"query":"ab","items":["x","y"],"backend":"endpoint","vectors":[
        {"vector":[1e308,1e308,0],"backend":"endpoint:fake","dimension":3},{"vector":[0,0,0],"backend":"endpoint:fake","dimension":3}]}"#;
    let far = call_in(&ctx, "similarity_search", far).unwrap();
    assert!((number(&far, "/results/0/score") - 1.0).abs() < 1e-12);
    assert_eq!(number(&far, "/results/1/score"), 0.0);
    let (ctx, _) = with_model(Fake {
        wrong_count: true,
        ..Fake::default()
    });
    for (tool, args) in [
        ("embed_text", r#"{"text":"a","backend":"endpoint"}"#),
        (
            "similarity_search",
            r#"{"query":"a","items":["b"],"backend":"endpoint"}"#,
        ),
    ] {
        assert_eq!(
            failure(call_in(&ctx, tool, args)),
            (ErrorCode::ToolError, "answer".to_owned(), String::new())
        );
    }
}

#[test]
fn categories_are_checked_and_chosen() {
    let wrong = |args: &str| failure(call("classify_text", args));
    assert_eq!(
        wrong(r#"{"text":"a","categories":[]}"#),
        invalid("", "/categories")
    );
    assert_eq!(
        wrong(r#"{"text":"a","categories":["x"," "]}"#),
        invalid("", "/categories/1")
    );
    assert_eq!(
        wrong(r#"{"text":"a","categories":["x","y","x"]}"#),
        invalid("", "/categories/2")
    );
    let err = call(
        "classify_text",
        r#"{"text":"a","categories":["cooking"],"examples":[{"text":"t","category":"coking"}]}"#,
    )
    .unwrap_err();
    assert_eq!(err.path(), Some("/examples/0/category"));
    assert_eq!(err.hint_str(), Some("did you mean `cooking`?"));

    let ctx = Ctx::default();
    let nothing = call_in(
        &ctx,
        "classify_text",
        r#"{"text":"pasta","categories":["12","34"]}"#,
    )
    .unwrap();
    assert!(nothing.get("category").unwrap().is_null());
    assert_eq!(number(&nothing, "/confidence"), 0.0);
    assert_eq!(ctx.take_warnings().len(), 1);
    let tie = call("classify_text", r#"{"text":"red green","categories":["green","red"],"examples":[{"text":"blue","category":"red"}]}"#).unwrap();
    assert_eq!(text(&tie, "/category"), "green");
    let by_example = call(
        "classify_text",
        r#"{"text":"boil the pasta","categories":["kitchen","sky"],"examples":[
        {"text":"stars above","category":"sky"},{"text":"pasta with salt","category":"kitchen"}]}"#,
    )
    .unwrap();
    assert_eq!(text(&by_example, "/category"), "kitchen");
    assert_eq!(text(&by_example, "/scores/1/category"), "sky");
    assert!(number(&by_example, "/confidence") > 0.5);
}

#[test]
fn an_image_is_checked_before_a_model_is_asked() {
    use ocr_extract::{Args, parse_image};
    let (ctx, _) = with_model(Fake::default());
    let tool = tool_entry::<Args>().tool();
    let example = tool.examples().remove(0);
    let output = tool.decode(&example.args).unwrap().run(&ctx).unwrap();
    assert_eq!(output.get("truncated"), Some(&Value::from(false)));
    assert_eq!(
        output.as_object().unwrap().len(),
        example.output.as_object().unwrap().len()
    );
    assert_eq!(tool.spec().fault(), None);
    let png = "iVBORw0KGgo=";
    let media = |text: &str| {
        parse_image(text)
            .map(|image| image.media_type)
            .map_err(|err| err.code())
    };
    assert_eq!(
        media("data:image/gif;base64,iVBORw0KGgo=").as_deref(),
        Ok("image/png"),
        "bytes count, not names"
    );
    assert_eq!(media("iVBO\nRw0K\r\nGgo=").as_deref(), Ok("image/png"));
    assert_eq!(media("/9j/4AAQ").as_deref(), Ok("image/jpeg"));
    assert_eq!(media("R0lGODlhAQ==").as_deref(), Ok("image/gif"));
    assert_eq!(media("UklGRgAAAABXRUJQ").as_deref(), Ok("image/webp"));
    for wrong in ["", "%%%", "data:image/png,xyz", "aGVsbG8=", "iVBORw0KGgo"] {
        assert_eq!(media(wrong), Err(ErrorCode::InvalidArgs), "{wrong}");
    }
    assert_eq!(media(&"A".repeat(28 << 20)), Err(ErrorCode::LimitExceeded));
    let args = Args {
        image_base64: tool_core::Input::inline(png),
    };
    let err = Args::run(args, &Ctx::default()).unwrap_err();
    assert_eq!(err.code(), ErrorCode::PreconditionFailed);
    assert!(err.message().contains("`models.vision.endpoint`"));
}
