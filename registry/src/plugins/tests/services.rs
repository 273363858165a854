//! OpenAPI documents, sound and hostile.

use super::*;
use crate::model::OpenApiService;

/// A service with this document, and these operations as tools.
fn service(document: &str, operations: &[&str]) -> OpenApiService {
    OpenApiService {
        name: "pets".to_owned(),
        document: "pets.yaml".to_owned(),
        digest: OpenApiService::digest_of(document),
        base_url: "https://api.example.org/v1".to_owned(),
        operations: operations.iter().map(|id| (*id).to_owned()).collect(),
        text: Some(Ok(document.to_owned())),
        ..OpenApiService::default()
    }
}

fn read(document: &str, operations: &[&str]) -> Result<Vec<OpenApiOperation>, LoadErrors> {
    read_operations(&service(document, operations))
}

/// A document with one operation `op` at a path.
fn with(path: &str, method: &str, operation: &str) -> String {
    format!("openapi: 3.1.0\npaths:\n  {path}:\n    {method}: {{operationId: op, {operation}}}\n")
}

#[track_caller]
fn refused(document: &str, part: &str) {
    let errors = read(document, &["op"]).expect_err(document).to_string();
    assert!(errors.contains(part), "{part}: {errors}");
    assert!(
        !errors.contains('\u{202e}') && !errors.contains('\u{7}'),
        "{errors}"
    );
}

struct NoRunner;

impl PluginRunner for NoRunner {
    fn call(&self, _: &str, args: &Value, _: &Ctx) -> Result<Value, ToolError> {
        Ok(args.clone())
    }
}

fn tool_of(service: &OpenApiService) -> Arc<dyn AnyTool> {
    let operation = &read_operations(service).unwrap()[0];
    operation_tool(
        service,
        operation,
        "api.example.org:443",
        None,
        Arc::new(NoRunner),
    )
    .unwrap()
}

const PETS: &str = r##"
openapi: 3.0.3
info: {title: Pets, version: "1"}
servers: [{url: "https://evil.example"}]
paths:
  /pets/{petId}:
    parameters:
      - {$ref: "#/components/parameters/PetId"}
      - {name: trace, in: header, schema: {type: string}}
      - {name: Authorization, in: header, schema: {type: string}}
      - {name: session, in: cookie, schema: {type: string}}
    get:
      operationId: getPetById
      summary: Find a pet
      description: "By its number.\u202e"
      parameters:
        - {name: fields, in: query, description: What to show, schema: {type: array, items: {type: string}}, explode: false}
    put:
      operationId: updatePet
      requestBody: {$ref: "#/components/requestBodies/Pet"}
components:
  parameters:
    PetId: {name: petId, in: path, required: true, schema: {type: integer, minimum: 1}}
  requestBodies:
    Pet: {required: true, content: {text/plain: {}, application/json; charset=utf-8: {schema: {$ref: "#/components/schemas/Pet"}}}}
  schemas:
    Pet:
      type: object
      required: [name]
      properties: {name: {type: string, maxLength: 20}, tag: {type: string, nullable: true}, mate: {$ref: "#/components/schemas/Pet"}}
"##;

#[test]
fn an_operation_is_a_tool_with_the_schema_of_its_parameters_and_body() {
    let get = tool_of(&service(PETS, &["getPetById"]));
    let spec = get.spec();
    assert_eq!(spec.id, "pets_get_pet_by_id");
    assert_eq!(spec.effects, [tool_core::Effect::NetworkAccess]);
    assert!(!spec.destructive && spec.idempotent);
    let said = get.description();
    assert!(
        said.contains("Find a pet\nBy its number.\n`GET /pets/{petId}`"),
        "{said}"
    );
    let schema = get.input_schema().to_string();
    assert!(
        !schema.contains("uthorization") && !schema.contains("session"),
        "{schema}"
    );
    let decode = |tool: &Arc<dyn AnyTool>, text: &str| {
        let args = tool_core::json::parse_json(text, Default::default()).unwrap();
        tool.decode(&args)
    };
    let call = decode(&get, r#"{"petId": 3, "fields": ["a"], "trace": "x"}"#).unwrap();
    let keys = call.resources().unwrap();
    assert_eq!(keys.len(), 1);
    assert_eq!(keys[0].id().to_string(), "api.example.org:443");
    for wrong in [
        "{}",
        r#"{"petId": 0}"#,
        r#"{"petId": "../x"}"#,
        r#"{"petId": 1, "more": 1}"#,
    ] {
        let err = decode(&get, wrong).err().expect(wrong);
        assert_eq!(err.code(), ErrorCode::InvalidArgs, "{wrong}");
    }
    let put = tool_of(&service(PETS, &["updatePet"]));
    assert!(put.spec().destructive && !put.spec().idempotent);
    decode(
        &put,
        r#"{"petId": 1, "body": {"name": "Rex", "tag": null, "mate": {"name": "Ada"}}}"#,
    )
    .unwrap();
    for wrong in [
        r#"{"petId": 1}"#,
        r#"{"petId": 1, "body": {"tag": "x"}}"#,
        r#"{"petId": 1, "body": {"name": "Rex", "mate": {"name": 3}}}"#,
    ] {
        assert!(decode(&put, wrong).is_err(), "{wrong}");
    }
}

#[test]
fn only_listed_operations_are_tools_and_unknown_ones_are_errors() {
    assert_eq!(read(PETS, &["updatePet"]).unwrap().len(), 1);
    let errors = read(PETS, &["getPetByID"]).unwrap_err().to_string();
    assert!(errors.contains("getPetById"), "{errors}");
    assert!(read(PETS, &[]).is_err());
    let twice =
        "openapi: 3.0.0\npaths: {/a: {get: {operationId: op}}, /b: {get: {operationId: op}}}";
    refused(twice, "two operations");
    let same =
        "openapi: 3.0.0\npaths: {/a: {get: {operationId: a-b}}, /b: {get: {operationId: a.b}}}";
    assert!(read(same, &["a-b", "a.b"]).is_err());
    for text in [
        "swagger: '2.0'",
        "openapi: 4.0.0",
        "openapi: 3",
        "[]",
        "openapi: [3.0.0",
    ] {
        assert!(read(text, &["op"]).is_err(), "{text}");
    }
}

#[test]
fn a_long_id_keeps_its_beginning_and_a_digest() {
    let long = "listEverythingThatThereIsOfAllPetsInTheWholeStore";
    let text =
        with("/a", "get", "x: 1").replace("operationId: op", &format!("operationId: {long}"));
    let tool = read(&text, &[long]).unwrap().remove(0).tool;
    assert!(
        tool.len() <= 48 && tool.starts_with("pets_list_everything"),
        "{tool}"
    );
}

#[test]
fn paths_that_lead_elsewhere_are_refused() {
    for path in [
        "a",
        "/a/../b",
        "/a/./b",
        "//evil.example/a",
        "/a?x=1",
        "/a#b",
        "/a%2e%2e/b",
        "'/a b'",
        "'/a\\b'",
        "\"/a\\u0007\"",
        "\"/a\\u202e\"",
    ] {
        refused(&with(path, "get", "x: 1"), "the path");
    }
    refused(
        &with("'/a/{id}'", "get", "x: 1"),
        "no parameter of the path",
    );
    refused(&with("'/a/{id'", "get", "x: 1"), "brace");
    refused(
        &with(
            "/a",
            "get",
            "parameters: [{name: id, in: path, required: true, schema: {type: string}}]",
        ),
        "does not name the parameter",
    );
}

#[test]
fn names_that_no_reader_sees_and_what_cannot_be_sent_are_refused() {
    let parameter = |text: &str| with("/a", "get", &format!("parameters: [{text}]"));
    for (text, part) in [
        ("{in: query, schema: {}}", "no name"),
        (
            "{name: \"a\\u202e\", in: query, schema: {}}",
            "no reader sees",
        ),
        (
            "{name: \"x\\r\\ny\", in: header, schema: {}}",
            "no reader sees",
        ),
        ("{name: 'a b', in: header, schema: {}}", "letters, digits"),
        (
            "{name: a, in: cookie, required: true, schema: {}}",
            "not supported",
        ),
        (
            "{name: a, in: query, required: true, content: {application/json: {}}}",
            "no `schema`",
        ),
        (
            "{name: a, in: query, required: true, schema: {type: object}}",
            "object",
        ),
        (
            "{name: a, in: query, required: true, style: pipeDelimited, schema: {type: array}}",
            "style",
        ),
        (
            "{name: a, in: query, schema: {}}, {name: a, in: header, schema: {}}",
            "two parameters",
        ),
        (
            "{$ref: 'https://evil.example/p.json'}",
            "within the document",
        ),
        ("{$ref: '#/components/none'}", "within the document"),
        (
            "{$ref: '#/paths/~1a/get/parameters/0'}",
            "one after the other",
        ),
    ] {
        refused(&parameter(text), part);
    }
    let many = vec!["{name: a, in: query, schema: {}}"; 101].join(", ");
    refused(&parameter(&many), "100 parameters");
    refused(
        &with(
            "/a",
            "post",
            "requestBody: {required: true, content: {text/xml: {}}}",
        ),
        "not JSON",
    );
    refused(
        &with(
            "/a",
            "delete",
            "requestBody: {required: true, content: {application/json: {}}}",
        ),
        "with a body",
    );
    refused(
        &with(
            "/a",
            "post",
            "parameters: [{name: body, in: query, schema: {}}], requestBody: {content: {application/json: {}}}",
        ),
        "`body`",
    );
}

#[test]
fn schemas_in_circles_and_large_documents_end() {
    let branch = r##"{"$ref":"#/components/schemas/T"}"##;
    let many = [branch; 10].join(",");
    let text = format!(
        r##"{{"openapi":"3.1.0","paths":{{"/a":{{"post":{{"operationId":"op","requestBody":{{"required":true,"content":{{"application/json":{{"schema":{branch}}}}}}}}}}}}},
        "components":{{"schemas":{{"T":{{"anyOf":[{many}]}}}}}}}}"##
    );
    let tool = tool_of(&service(&text, &["op"]));
    assert!(tool.input_schema().to_string().len() < 4_000_000);
    let deep = format!(
        "openapi: 3.1.0\nx: {}{}\n",
        "[".repeat(20_000),
        "]".repeat(20_000)
    );
    assert!(read(&deep, &["op"]).is_err());
    let large = format!("openapi: 3.1.0\n# {}\n", "x".repeat(17 << 20));
    refused(&large, "bytes");
}

#[test]
fn another_document_than_the_pinned_one_is_named_with_its_digest() {
    let mut pets = service(PETS, &["updatePet"]);
    assert_eq!(pets.mismatch(), None);
    pets.text = Some(Ok(PETS.replace("Pets", "Cats")));
    let why = pets.mismatch().unwrap();
    assert!(
        why.contains(&OpenApiService::digest_of(&PETS.replace("Pets", "Cats"))),
        "{why}"
    );
    pets.text = Some(Err("it does not exist".to_owned()));
    assert!(pets.mismatch().unwrap().contains("does not exist"));
    assert!(read_operations(&pets).is_err());
}
