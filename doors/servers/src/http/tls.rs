//! TLS: the certificate of the server, read when it starts.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tool_core::{Result, ToolError, tool_error};

use mathchain::owned;

/// What speaks TLS with clients.
///
/// # Errors
/// `invalid_request` with reason `tls` for files that are no certificate and its key; as [`owned::read_owned_file`].
pub(super) fn tls_acceptor(cert: &Path, key: &Path) -> Result<TlsAcceptor> {
    let certificates = CertificateDer::pem_slice_iter(read_pem_text(cert)?.as_bytes())
        .collect::<std::result::Result<Vec<_>, _>>()
        .map_err(|err| unusable_file_error(cert, &format!("has no certificate as PEM: {err}")))?;
    let secret = PrivateKeyDer::from_pem_slice(read_pem_text(key)?.as_bytes())
        .map_err(|err| unusable_file_error(key, &format!("has no private key as PEM: {err}")))?;
    let provider = Arc::new(ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| {
            let builder = builder.with_no_client_auth();
            builder.with_single_cert(certificates, secret)
        });
    let mut config = config.map_err(|err| {
        unusable_file_error(
            cert,
            &format!("does not fit the key `{}`: {err}", key.display()),
        )
    })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn read_pem_text(file: &Path) -> Result<String> {
    owned::read_owned_file(file)?.ok_or_else(|| unusable_file_error(file, "does not exist"))
}

fn unusable_file_error(file: &Path, why: &str) -> ToolError {
    tool_error!(InvalidRequest, "tls"; "`{}` {why}", file.display();
        "`server.tls` of the configuration names a certificate and its key: `tls = {{ cert = \"cert.pem\", key = \"key.pem\" }}`")
}
