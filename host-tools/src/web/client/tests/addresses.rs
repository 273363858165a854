//! Which addresses, hosts and ports are reached, and how they may be written.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::{prop_assert, prop_assert_eq, proptest};
use tool_core::ErrorCode;
use tool_core::capability::HttpTransport;

use super::super::target::HttpTarget;
use super::super::{WebClient, WebSettings, not_public};
use super::{Scripted, settings, texts};
use crate::web::tests::loopback::{Server, page};

/// Addresses with what they are; `None` for public ones.
const TABLE: &[(&str, Option<&str>)] = &[
    ("0.0.0.0", Some("unspecified")),
    ("0.1.2.3", Some("unspecified")),
    ("1.1.1.1", None),
    ("9.255.255.255", None),
    ("10.0.0.0", Some("private")),
    ("10.255.255.255", Some("private")),
    ("11.0.0.0", None),
    ("100.63.255.255", None),
    ("100.64.0.1", Some("shared by carriers (CGNAT)")),
    ("100.127.255.255", Some("shared by carriers (CGNAT)")),
    ("100.128.0.0", None),
    ("127.0.0.1", Some("loopback")),
    ("127.255.255.254", Some("loopback")),
    ("169.254.169.254", Some("link-local")),
    ("172.15.255.255", None),
    ("172.16.0.1", Some("private")),
    ("172.31.255.255", Some("private")),
    ("172.32.0.0", None),
    ("192.0.0.1", Some("reserved")),
    ("192.0.2.7", Some("for documentation")),
    ("192.88.99.1", Some("reserved")),
    ("192.168.1.1", Some("private")),
    ("192.169.0.0", None),
    ("198.17.255.255", None),
    ("198.18.0.1", Some("for benchmarks")),
    ("198.19.255.255", Some("for benchmarks")),
    ("198.51.100.1", Some("for documentation")),
    ("203.0.113.255", Some("for documentation")),
    ("223.255.255.255", None),
    ("224.0.0.1", Some("multicast")),
    ("239.255.255.255", Some("multicast")),
    ("240.0.0.1", Some("reserved")),
    ("255.255.255.254", Some("reserved")),
    ("255.255.255.255", Some("broadcast")),
    ("::", Some("unspecified")),
    ("::1", Some("loopback")),
    ("::2", Some("reserved")),
    ("::127.0.0.1", Some("reserved")),
    ("::8.8.8.8", Some("reserved")),
    ("::ffff:127.0.0.1", Some("loopback")),
    ("::ffff:169.254.169.254", Some("link-local")),
    ("::ffff:10.1.2.3", Some("private")),
    ("::ffff:8.8.8.8", None),
    ("64:ff9b::7f00:1", Some("loopback")),
    ("64:ff9b::a9fe:a9fe", Some("link-local")),
    ("64:ff9b::808:808", None),
    ("64:ff9b:1::7f00:1", Some("reserved")),
    ("100::1", Some("reserved")),
    ("2001::1", Some("a tunnel (Teredo)")),
    ("2001:2::1", Some("reserved")),
    ("2001:10::1", Some("reserved")),
    ("2001:db8::1", Some("for documentation")),
    ("2001:4860:4860::8888", None),
    ("2002:7f00:1::1", Some("loopback")),
    ("2002:c0a8:101::1", Some("private")),
    ("2002:808:808::1", None),
    ("2606:4700:4700::1111", None),
    ("2606:4700::5efe:a00:1", Some("private")),
    ("2606:4700::200:5efe:808:808", Some("a tunnel (ISATAP)")),
    ("3fff:fff::1", Some("for documentation")),
    ("3fff:1000::1", None),
    ("4000::1", Some("reserved")),
    ("5f00::1", Some("reserved")),
    ("fc00::1", Some("unique-local")),
    ("fdff::1", Some("unique-local")),
    ("fe80::1", Some("link-local")),
    ("febf::1", Some("link-local")),
    ("fec0::1", Some("site-local")),
    ("ff02::1", Some("multicast")),
];

#[test]
fn addresses_are_what_the_table_says() {
    for (text, expected) in TABLE {
        let address: IpAddr = text.parse().unwrap();
        assert_eq!(not_public(address), *expected, "{text}");
    }
}

/// URLs with the host they mean, or a word of the refusal.
const SPELLINGS: &[(&str, Result<&str, &str>)] = &[
    ("http://example.org", Ok("example.org")),
    ("HTTPS://EXAMPLE.org:8443/a?b#c", Ok("example.org")),
    ("https://example.org./", Ok("example.org")),
    ("https://b\u{fc}cher.example/", Ok("xn--bcher-kva.example")),
    (
        "https://xn--bcher-kva.example/",
        Ok("xn--bcher-kva.example"),
    ),
    ("http://ｅxample.org/", Ok("example.org")),
    ("http://8.8.8.8/", Ok("8.8.8.8")),
    ("http://[2606:4700::1111]:80/", Ok("[2606:4700::1111]")),
    ("http://2130706433/", Err("write it as 127.0.0.1")),
    ("http://0x7f000001/", Err("write it as 127.0.0.1")),
    ("http://017700000001/", Err("write it as 127.0.0.1")),
    ("http://0177.0.0.1/", Err("write it as 127.0.0.1")),
    ("http://127.1/", Err("write it as 127.0.0.1")),
    ("http://127.0.1/", Err("write it as 127.0.0.1")),
    ("http://127.0.0.1./", Err("write it as 127.0.0.1")),
    ("http://１２７.0.0.1/", Err("write it as 127.0.0.1")),
    ("http://%31%32%37.0.0.1/", Err("write it as 127.0.0.1")),
    (
        "http://[::ffff:127.0.0.1]/",
        Err("write it as [::ffff:7f00:1]"),
    ),
    ("http://[0:0:0:0:0:0:0:1]/", Err("write it as [::1]")),
    ("http://256.1.1.1/", Err("invalid URL")),
    ("http://1.2.3.4.5/", Err("invalid URL")),
    ("http://[fe80::1%25eth0]/", Err("invalid URL")),
    ("http://[::1/", Err("invalid URL")),
    ("http://a b/", Err("spaces")),
    ("http://exa\tmple.org/", Err("spaces")),
    ("http://example.org\\@evil.example/", Err("backslashes")),
    ("http://user:pw@example.org/", Err("credentials")),
    ("http://@example.org/", Err("credentials")),
    ("http://example.org:80@evil.example/", Err("credentials")),
    ("file:///etc/hostname", Err("`file`")),
    ("ftp://example.org/", Err("`ftp`")),
    ("gopher://example.org/", Err("`gopher`")),
    ("data:text/plain,x", Err("`data`")),
    ("example.org", Err("invalid URL")),
    ("//example.org/", Err("invalid URL")),
    ("http://", Err("invalid URL")),
    ("http:///", Err("invalid URL")),
    ("http://./", Err("names no host")),
    ("http://a..b/", Err("names no host")),
    ("http://example.org:99999/", Err("invalid URL")),
    ("", Err("invalid URL")),
];

#[test]
fn urls_are_read_in_one_spelling_or_refused() {
    for (text, expected) in SPELLINGS {
        match (HttpTarget::parse(text), expected) {
            (Ok(target), Ok(host)) => assert_eq!(target.host, *host, "{text}"),
            (Err(err), Err(word)) => {
                let words = format!("{} {}", err.message(), err.hint_str().unwrap_or_default());
                assert!(words.contains(word), "{text}: {words}");
                assert_eq!(
                    (err.code(), err.path()),
                    (ErrorCode::InvalidArgs, Some("/url"))
                );
            }
            (found, _) => panic!("{text}: {:?}", found.map(|target| target.host)),
        }
    }
    assert!(HttpTarget::parse(&format!("http://example.org/{}", "a".repeat(9000))).is_err());
}

#[test]
fn a_refused_address_is_never_dialled_whatever_it_is_called() {
    let server = Server::new(|_, _| {});
    for (address, why) in TABLE {
        if why.is_none() {
            continue;
        }
        let scripted = Scripted::answering(server.port, &settings(), &[&[address]]);
        let named = scripted.get("http://name.example/").unwrap_err();
        assert_eq!(
            (named.code(), named.reason_str()),
            (ErrorCode::PolicyDenied, Some("address")),
            "{address}"
        );
        assert_eq!(scripted.log(), ["look name.example"], "{address}");
        let target = if address.contains(':') {
            let address: Ipv6Addr = address.parse().unwrap();
            url::Host::<String>::Ipv6(address).to_string()
        } else {
            (*address).to_owned()
        };
        let scripted = Scripted::new(server.port, &settings());
        let literal = scripted.get(&format!("http://{target}/")).unwrap_err();
        assert_eq!(literal.reason_str(), Some("address"), "{address}");
        assert_eq!(scripted.log(), [""; 0], "{address}");
    }
    assert!(server.seen().is_empty());
}

#[test]
fn one_private_address_among_public_ones_refuses_the_host() {
    let server = Server::new(|_, _| {});
    for answer in [
        &["93.184.215.14", "127.0.0.1"][..],
        &["10.0.0.1", "93.184.215.14"],
        &["2606:4700::1111", "93.184.215.14", "fe80::1"],
    ] {
        let scripted = Scripted::answering(server.port, &settings(), &[answer]);
        let err = scripted.get("http://mixed.example/").unwrap_err();
        assert_eq!(err.reason_str(), Some("address"), "{answer:?}");
        assert_eq!(scripted.log(), ["look mixed.example"]);
    }
}

#[test]
fn a_listed_private_address_is_reached_on_its_port_only() {
    let server = Server::new(|_, stream| drop(stream.write_all(&page("text/plain", b"here"))));
    let here = format!("127.0.0.1:{}", server.port);
    let client = |private: &str| {
        WebClient::new(&WebSettings {
            allow_private: texts(&[private]),
            ..settings()
        })
        .unwrap()
    };
    let get = |client: &WebClient, host: &str| {
        let url = format!("http://{host}:{}/", server.port);
        let request = tool_core::capability::HttpRequest::get(url);
        client.send(&request, &tool_core::StopFlag::new())
    };
    let listed = client(&here);
    assert_eq!(get(&listed, "127.0.0.1").unwrap().body, b"here");
    assert_eq!(get(&listed, "[::ffff:7f00:1]").unwrap().body, b"here");
    for refused in ["127.0.0.1:1", "127.0.0.1", "127.0.0.2:80", "[::1]:80"] {
        let err = get(&client(refused), "127.0.0.1").unwrap_err();
        assert_eq!(err.reason_str(), Some("address"), "{refused}");
        assert!(err.hint_str().unwrap().contains(&here), "{err:?}");
    }
}

#[test]
fn ports_other_than_80_and_443_are_reached_where_they_are_listed() {
    let server = Server::new(|_, stream| drop(stream.write_all(&page("text/plain", b"here"))));
    let check = |listed: &[&str], url: &str, expected: Option<&str>| {
        let settings = WebSettings {
            allowed_hosts: texts(listed),
            ..settings()
        };
        let result = Scripted::new(server.port, &settings).get(url);
        let reason = result
            .err()
            .and_then(|err| err.reason_str().map(str::to_owned));
        assert_eq!(reason.as_deref(), expected, "{url} {listed:?}");
    };
    check(&[], "http://example.org/", None);
    check(&[], "http://example.org:443/", None);
    check(&[], "http://example.org:8080/", Some("port"));
    check(&["example.org"], "http://example.org:8080/", Some("port"));
    check(
        &["example.org:8081"],
        "http://example.org:8080/",
        Some("port"),
    );
    check(&["example.org:8080"], "http://example.org:8080/", None);
    check(
        &["*.example.org:8080"],
        "http://www.example.org:8080/",
        None,
    );
    check(
        &["*.example.org:8080"],
        "http://example.org:8080/",
        Some("port"),
    );
    check(&[], "http://example.org:22/", Some("port"));
}

#[test]
fn lists_of_hosts_say_what_is_reached() {
    let server = Server::new(|_, stream| drop(stream.write_all(&page("text/plain", b"here"))));
    let check = |only: Option<&[&str]>, deny: &[&str], url: &str, reached: bool| {
        let settings = WebSettings {
            only_hosts: only.map(texts),
            deny_hosts: texts(deny),
            ..settings()
        };
        let scripted = Scripted::new(server.port, &settings);
        let result = scripted.get(url);
        if !reached {
            let err = result.as_ref().unwrap_err();
            assert_eq!(
                (err.code(), err.reason_str()),
                (ErrorCode::PolicyDenied, Some("host"))
            );
            assert!(scripted.log().is_empty(), "not even looked up");
        }
        assert_eq!(result.is_ok(), reached, "{url}");
    };
    check(Some(&["a.example"]), &[], "http://a.example/", true);
    check(Some(&["a.example"]), &[], "http://A.example./", true);
    check(Some(&["a.example"]), &[], "http://b.example/", false);
    check(Some(&["a.example"]), &[], "http://www.a.example/", false);
    check(Some(&["*.a.example"]), &[], "http://www.a.example/", true);
    check(
        Some(&["a.example:8080"]),
        &[],
        "http://a.example:8080/",
        true,
    );
    check(Some(&["a.example:8080"]), &[], "http://a.example/", false);
    check(Some(&[]), &[], "http://a.example/", false);
    check(None, &["a.example"], "http://a.example/", false);
    check(None, &["a.example"], "http://a.example:443/", false);
    check(None, &["a.example:443"], "http://a.example/", true);
    check(None, &["a.example:80"], "http://a.example/", false);
    check(None, &["*.example"], "http://a.example/", false);
    check(None, &["b.example"], "http://a.example/", true);
    check(
        Some(&["a.example"]),
        &["a.example"],
        "http://a.example/",
        false,
    );
    check(
        None,
        &["b\u{fc}cher.example"],
        "http://xn--bcher-kva.example/",
        false,
    );
}

#[test]
fn a_configuration_with_an_entry_that_is_none_is_an_error() {
    let wrong = |change: fn(&mut WebSettings)| {
        let mut settings = settings();
        change(&mut settings);
        let err = WebClient::new(&settings).err().expect("an error");
        assert_eq!(err.code(), ErrorCode::InvalidRequest);
        err.message().to_owned()
    };
    assert!(wrong(|settings| settings.allowed_hosts = texts(&["http://a"])).contains("http://a"));
    assert!(wrong(|settings| settings.deny_hosts = texts(&["a/b"])).contains("a/b"));
    assert!(wrong(|settings| settings.only_hosts = Some(texts(&[""]))).contains("expected a host"));
    assert!(
        wrong(|settings| settings.allow_private = texts(&["localhost:80"])).contains("localhost")
    );
    assert!(wrong(|settings| settings.search.provider = "google".to_owned()).contains("google"));
    assert!(wrong(|settings| settings.search.provider = "searxng".to_owned()).contains("endpoint"));
    assert!(
        wrong(|settings| drop(
            settings
                .services
                .insert("bing".to_owned(), "https://b".to_owned())
        ))
        .contains("bing")
    );
    assert!(
        wrong(|settings| drop(
            settings
                .services
                .insert("arxiv".to_owned(), "ftp://b".to_owned())
        ))
        .contains("arxiv")
    );
}

proptest! {
    #[test]
    fn no_text_crashes_and_a_host_has_one_spelling(text in "(https?://)?[a-z0-9.:@%\\[\\]/?#xA-F\\-\u{fc}]{0,40}|\\PC{0,60}") {
        if let Ok(target) = HttpTarget::parse(&text) {
            let again = HttpTarget::parse(target.url.as_str());
            prop_assert_eq!(again.map(|again| (again.host, again.port)).ok(), Some((target.host, target.port)));
        }
    }

    #[test]
    fn forms_that_carry_an_address_are_as_public_as_it_is(bits: u32) {
        let inner = Ipv4Addr::from_bits(bits);
        let [a, b, c, d] = inner.octets().map(u16::from);
        let (high, low) = (a << 8 | b, c << 8 | d);
        let expected = not_public(inner.into());
        for carrier in [
            [0, 0, 0, 0, 0, 0xffff, high, low],
            [0x64, 0xff9b, 0, 0, 0, 0, high, low],
            [0x2002, high, low, 0, 0, 0, 0, 1],
        ] {
            prop_assert_eq!(not_public(Ipv6Addr::from(carrier).into()), expected);
        }
        prop_assert!(not_public(Ipv6Addr::from([0x2606, 0, 0, 0, 0, 0x5efe, high, low]).into()).is_some());
    }
}
