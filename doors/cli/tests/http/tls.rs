//! TLS, with a certificate that was made for these tests and that is trusted by no other program.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::client::{Reply, Server};
use crate::support::Place;

const CERTIFICATE: &str = include_str!("tls/cert.pem");
const KEY: &str = include_str!("tls/key.pem");

/// A server with the certificate.
fn place() -> Place {
    let place = Place::new();
    place.write("cert.pem", CERTIFICATE);
    place.write("key.pem", KEY);
    place.write(
        "mathchain.toml",
        "version = 1\n[server]\ntls = { cert = \"cert.pem\", key = \"key.pem\" }\n",
    );
    place
}

/// Sends a request by a client that trusts the certificate alone; gives the answer.
fn encrypted(server: &Server, request: &str) -> String {
    let mut roots = RootCertStore::empty();
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).expect("one");
    roots.add(certificate).expect("is sound");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = "localhost".try_into().expect("a name");
    let connection = ClientConnection::new(Arc::new(config), name).expect("a client");
    let mut stream: StreamOwned<_, TcpStream> = StreamOwned::new(connection, server.connect());
    stream.write_all(request.as_bytes()).expect("writes");
    let mut answer = String::new();
    // The end of the connection is not announced in every version.
    let _ = stream.read_to_string(&mut answer);
    answer
}

#[test]
fn a_server_with_a_certificate_speaks_tls_alone() {
    let place = place();
    let server = Server::start(&place, &[]);
    let ask = |origin: &str| {
        let fields = [("Connection", "close"), ("Origin", origin)];
        encrypted(&server, &server.head("GET", "/healthz", &fields))
    };
    let own = format!("https://localhost:{}", server.port);
    let answer = ask(&own);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let answer = ask(&own.replace("https", "http"));
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    let plain: Reply = server.get("/healthz", &[]);
    assert_eq!(plain.status, 0, "{plain:?}");
    // Other clients are served still.
    assert!(ask(&own).starts_with("HTTP/1.1 200"));
}

#[test]
fn a_certificate_and_a_key_open_the_server_to_other_machines() {
    let place = place();
    let flags = ["serve", "--http", "0.0.0.0:0", "--output", "json"];
    let refused = place.run(&flags, "");
    assert_eq!(
        refused.expect_code(1).at("/error/reason").as_str(),
        Some("exposed")
    );
    place
        .run(&["keys", "create", "a", "--role", "worker_math"], "")
        .expect_code(0);
    let server = Server::with(&place, &["--http", "0.0.0.0:0"]);
    let head = server.head("GET", "/v1/tools", &[("Connection", "close")]);
    let answer = encrypted(&server, &head);
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    drop(server);
    for (cert, key) in [
        ("garbage", KEY),
        (CERTIFICATE, "garbage"),
        (CERTIFICATE, CERTIFICATE),
    ] {
        place.write("cert.pem", cert);
        place.write("key.pem", key);
        let refused = place.run(&flags, "");
        assert_eq!(
            refused.expect_code(2).at("/error/reason").as_str(),
            Some("tls")
        );
    }
}
