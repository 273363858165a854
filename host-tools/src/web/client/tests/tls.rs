//! Encrypted exchanges: the certificate is checked against trusted roots and the name, always.

use std::io::Write;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tool_core::capability::HttpResponse;
use tool_core::{ErrorCode, ToolError};
use ureq::tls::{Certificate, RootCerts};

use super::{Scripted, settings};
use crate::web::tests::loopback::{Server, page, read};

/// A certificate of `tls.test` that vouches for itself, made for these tests; nobody trusts it.
const CERTIFICATE: &[u8] = include_bytes!("tls.cert.der");
const KEY: &[u8] = include_bytes!("tls.key.der");

/// A server that answers `/redirect` with a way to plain http, and everything else with a page.
fn server() -> Server {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(KEY));
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(CERTIFICATE)], key)
        .unwrap();
    let config = Arc::new(config);
    Server::raw(move |stream, seen| {
        let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
        let mut secure = StreamOwned::new(connection, stream);
        let Some(request) = read(&mut secure) else {
            return;
        };
        seen.lock().unwrap().push(request.clone());
        let text = match request.path() {
            "/redirect" => {
                b"HTTP/1.1 302 X\r\nlocation: http://tls.test/\r\ncontent-length: 0\r\n\r\n"
                    .to_vec()
            }
            _ => page("text/plain", b"secret"),
        };
        let _ = secure.write_all(&text);
        secure.conn.send_close_notify();
        let _ = secure.flush();
    })
}

fn get(port: u16, trusted: bool, url: &str) -> Result<HttpResponse, ToolError> {
    let mut scripted = Scripted::new(port, &settings());
    if trusted {
        scripted.client.roots =
            RootCerts::new_with_certs(&[Certificate::from_der(CERTIFICATE).to_owned()]);
    }
    scripted.get(url)
}

#[test]
fn a_trusted_certificate_of_the_right_name_is_accepted() {
    let server = server();
    let response = get(server.port, true, "https://tls.test/a").unwrap();
    assert_eq!(response.body, b"secret");
    assert_eq!(server.paths(), ["/a"]);
}

#[test]
fn every_other_certificate_is_refused_before_anything_is_sent() {
    let server = server();
    for (trusted, url) in [
        (false, "https://tls.test/"),
        (true, "https://other.test/"),
        (true, "https://93.184.215.14/"),
    ] {
        let err = get(server.port, trusted, url).unwrap_err();
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::ToolError, Some("tls")),
            "{url}: {err:?}"
        );
    }
    assert!(server.seen().is_empty());
}

#[test]
fn a_server_without_encryption_is_no_secure_one() {
    let server = Server::raw(|stream, _| drop(stream.write_all(&page("text/plain", b"plain"))));
    let err = get(server.port, true, "https://tls.test/").unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::ToolError, Some("tls"))
    );
}

#[test]
fn https_never_becomes_http() {
    let server = server();
    let err = get(server.port, true, "https://tls.test/redirect").unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::PolicyDenied, Some("redirect"))
    );
    assert_eq!(server.paths(), ["/redirect"]);
}
