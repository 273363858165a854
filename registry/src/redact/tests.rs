use super::*;

/// Builds a secret-like text at run time, so that no scanner of sources takes the tests for a leak.
fn join(parts: &[&str]) -> String {
    parts.concat()
}

#[test]
fn each_kind_is_taken_out() {
    let long = "abcDEF0123456789abcDEF0123456789abcDEF01";
    let cases = [
        ("aws_access_key", join(&["AKIA", "ABCDEFGH12345678"])),
        (
            "anthropic_key",
            join(&["sk-ant-", "api03-abcdefghijk_lmnop"]),
        ),
        ("openai_key", join(&["sk-", "proj-abcdefghij0123456789"])),
        (
            "gcloud_key",
            join(&["AIza", "SyA1234567890abcdefghijklmnopqrstuv"]),
        ),
        ("github_pat", join(&["ghp_", long])),
        ("github_oauth", join(&["gho_", long])),
        ("github_app", join(&["ghs_", long])),
        ("github_fine_grained", join(&["github_pat_", long])),
        (
            "ssh_private_key",
            join(&[
                "-----BEGIN OPENSSH ",
                "PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----",
            ]),
        ),
        ("slack_token", join(&["xoxb-", "1234567890-abc"])),
        ("stripe_key", join(&["sk_live_", "abcdefghij0123456789"])),
        (
            "mathchain_key",
            join(&["mathchain_", &"0123456789abcdef".repeat(4)]),
        ),
        ("gitlab_token", join(&["glpat-", "Ab1_cdefghijklmnopqr"])),
        ("npm_token", join(&["npm_", &long[..36]])),
        ("pypi_token", join(&["pypi-", "AgEIcHlwaS5vcmcCJGI4"])),
        ("huggingface_token", join(&["hf_", &long[..34]])),
        (
            "sendgrid_key",
            join(&["SG.", "abcdefghijklmnopqrstuv", ".", &long[..40]]),
        ),
        ("telegram_token", join(&["123456789:", "AAF", &long[..32]])),
        ("tavily_key", join(&["tvly-", &long[..32]])),
        ("groq_key", join(&["gsk_", &long[..40]])),
        (
            "shopify_token",
            join(&["shpat_", &"0123456789abcdef".repeat(2)]),
        ),
        (
            "digitalocean_token",
            join(&["dop_v1_", &"0123456789abcdef".repeat(4)]),
        ),
        ("twilio_key", join(&["SK", &"0123456789abcdef".repeat(2)])),
        (
            "age_key",
            join(&["AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"]),
        ),
        ("gcloud_token", join(&["ya29.", &long[..30]])),
        (
            "jwt",
            join(&[
                "eyJhbGciOiJIUzI1NiJ9",
                ".eyJzdWIiOiIxMjM0In0",
                ".SflKxwRJSMeKKF2QT4",
            ]),
        ),
    ];
    for (kind, secret) in &cases {
        for (before, after) in [
            ("", ""),
            ("key ", " here"),
            ("(", ")"),
            ("\u{e9} ", "\u{e9}"),
        ] {
            let (clean, count) = redact_text(&format!("{before}{secret}{after}")).clone_owned();
            assert_eq!(clean, format!("{before}[redacted:{kind}]{after}"), "{kind}");
            assert_eq!(count, 1);
        }
    }
    let partial = [
        (
            "bearer_token",
            "Authorization: Bearer abcdefghij0123456789.xy",
            "Authorization: Bearer [redacted:bearer_token]",
        ),
        (
            "connection_string",
            "postgres://me:hunter2hunter@db/x",
            "postgres://me:[redacted:connection_string]@db/x",
        ),
        (
            "env_secret",
            "DB_PASSWORD=correcthorse next",
            "DB_PASSWORD=[redacted:env_secret] next",
        ),
        (
            "basic_authorization",
            "Authorization: Basic dXNlcjpwYXNz",
            "Authorization: Basic [redacted:basic_authorization]",
        ),
        (
            "cookie",
            "Cookie: session=abcdef; theme=dark",
            "Cookie: [redacted:cookie]",
        ),
        (
            "azure_key",
            "DefaultEndpointsProtocol=https;AccountKey=abcDEF0123456789+/abc==;EndpointSuffix=x",
            "DefaultEndpointsProtocol=https;AccountKey=[redacted:azure_key];EndpointSuffix=x",
        ),
        (
            "azure_signature",
            "https://x.blob.core.windows.net/a?sv=1&sig=abcDEF0123456789abcDEF%3D",
            "https://x.blob.core.windows.net/a?sv=1&sig=[redacted:azure_signature]",
        ),
        (
            "private_key_end",
            "abcDEF0123456789abcDEF0123456789\n-----END RSA PRIVATE KEY-----",
            "[redacted:private_key_end]",
        ),
        (
            "putty_private_key",
            "Private-Lines: 2\nabcDEF0123456789+/\nabcDEF01=\nPrivate-MAC: x",
            "[redacted:putty_private_key]Private-MAC: x",
        ),
        (
            "slack_webhook",
            "https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnop",
            "https://hooks.slack.com/services/[redacted:slack_webhook]",
        ),
        (
            "connection_string",
            "https://user:pw@host/x",
            "https://user:[redacted:connection_string]@host/x",
        ),
        (
            "env_secret",
            "{\"api_key\": \"correct horse\"}",
            "{\"api_key\": \"[redacted:env_secret]\"}",
        ),
    ];
    for (kind, given, expected) in partial {
        assert_eq!(redact_text(given).0, expected, "{kind}");
    }
    let kinds: std::collections::BTreeSet<&str> = cases
        .iter()
        .map(|(kind, _)| *kind)
        .chain(partial.map(|(kind, ..)| kind))
        .collect();
    assert_eq!(kinds.len(), patterns::FORMS.len(), "every kind has a case");
}

proptest::proptest! {
    /// The patterns are not asked about a short text without marks, so none of them may match one.
    #[test]
    fn a_text_that_a_pattern_matches_has_a_mark(
        parts in proptest::collection::vec(
            proptest::sample::select(vec![
                "a", "Z", "9", " ", "\n", "-", "_", "=", ":", "\"", "@", "://", "u:p@", "bearer ", "BEARER  ", "sk-", "ant-", "AKIA",
                "AIza", "ghp_", "ghs_", "github_pat_", "xoxb-", "rk_live_", "sk_test_", "api", "Key", "t-o-k_en", "pwd", "PassWord",
                "Secret", "abcDEF0123456789", "-----BEGIN PRIVATE KEY-----", "\u{e9}",
            ]),
            0..12,
        )
    ) {
        let text = parts.concat();
        let set = patterns::set_for(&"a".repeat(1000)).expect("a long text is given to the patterns");
        proptest::prop_assert!(!set.is_match(text.as_bytes()) || patterns::may_have_one(&text), "{text:?}");
    }
}

trait CloneOwned {
    fn clone_owned(self) -> (String, usize);
}

impl CloneOwned for (Cow<'_, str>, usize) {
    fn clone_owned(self) -> (String, usize) {
        (self.0.into_owned(), self.1)
    }
}

#[test]
fn ordinary_texts_stay_as_they_are() {
    for plain in [
        "",
        "task-123",
        "risk-assessment-of-the-north-side-2026",
        "sk-short",
        "AKIA",
        "the bearer of news",
        "http://example.org:8080/a@b",
        "https://example.org/path?x=1",
        "password",
        "passwords: see below",
        "tokens = 12",
        "x = y",
        "git@github.com:a/b.git",
        "-----BEGIN CERTIFICATE-----",
        "a:b:c",
        "basic understanding of authorization",
        "a cookie: crisp",
        "12345678:30",
        "sig=1",
        "eyJust a word.eyJ",
        "npm_config_cache",
        "hf_hub",
        "the SKU SK12",
        "\u{1F600} password=\u{1F600}",
    ] {
        assert_eq!(redact_text(plain), (Cow::Borrowed(plain), 0), "{plain:?}");
    }
}

#[test]
fn secrets_are_taken_out_at_every_depth_and_from_keys() {
    let secret = join(&["ghp_", "abcDEF0123456789abcDEF0123456789abcDEF01"]);
    let nested = Value::object([
        (
            "a",
            Value::Array(Arc::new(vec![
                Value::object([("b", Value::from(secret.as_str()))]),
                Value::from(1_i64),
            ])),
        ),
        ("password", Value::from("short")),
        ("numbers", Value::vector(vec![1.0, 2.0])),
        (
            "headers",
            Value::object([("Authorization", "Basic cDpx"), ("COOKIE", "a=b")]),
        ),
    ]);
    let (clean, count) = redact_value(&nested);
    assert_eq!(count, 4);
    assert_eq!(
        clean.to_string(),
        r#"{"a":[{"b":"[redacted:github_pat]"},1],"password":"[redacted:env_secret]","numbers":[1.0,2.0],"headers":{"Authorization":"[redacted:env_secret]","COOKIE":"[redacted:env_secret]"}}"#
    );
    let (clean, count) = redact_value(&Value::object([(secret.as_str(), 1_i64)]));
    assert_eq!(
        (clean.to_string().as_str(), count),
        (r#"{"[redacted:github_pat]":1}"#, 1)
    );
    assert_eq!(
        redact_value(&clean),
        (clean.clone(), 0),
        "a second pass finds nothing"
    );
}

#[test]
fn a_private_key_behind_a_secret_name_loses_its_body_too() {
    let body = "MIIEowIBAAKCAQEA7";
    for before in [
        "password: ",
        "password=a",
        "private_key = \"",
        "Bearer aaaaaaaaaaaaaaaaaaaa",
    ] {
        for after in ["\n-----END RSA PRIVATE KEY-----", ""] {
            let given = format!(
                "{before}-----BEGIN RSA {}-----\n{body}{after}",
                "PRIVATE KEY"
            );
            let (clean, count) = redact_text(&given).clone_owned();
            assert!(
                count >= 1 && !clean.contains(body),
                "{given:?} gave {clean:?}"
            );
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(2_000))]

    #[test]
    fn no_text_crashes_and_a_second_pass_changes_nothing(given in "(sk-|AKIA|ghp_|-----BEGIN |PRIVATE KEY-----|://|@|:|=|password|token|Bearer |[a-zA-Z0-9]{0,20}|\u{e9}|\"|'| |\n){0,24}") {
        let (clean, _) = redact_text(&given).clone_owned();
        let (again, _) = redact_text(&clean).clone_owned();
        proptest::prop_assert_eq!(again, clean);
    }
}
