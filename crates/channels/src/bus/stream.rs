//! The connection to Redis as bytes, which ends where an answer does not.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use redis::{ErrorKind, RedisError};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::{BusAddress, BusRoots};

/// The longest answer or message. What the library has of one it keeps in memory until it is whole.
const LONGEST: usize = 16 * 1024 * 1024;

/// How many bytes came since the last whole answer or message. Clones count together.
#[derive(Clone, Debug, Default)]
pub(super) struct Unfinished(Arc<AtomicUsize>);

impl Unfinished {
    /// An answer or a message is whole.
    pub(super) fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    fn add(&self, bytes: usize) -> io::Result<()> {
        let before = self.0.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) <= LONGEST {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, format!("an answer has more than {LONGEST} bytes")))
    }

    /// Whether the connection was ended for its sake.
    pub(super) fn is_endless(&self) -> bool {
        self.0.load(Ordering::Relaxed) > LONGEST
    }
}

/// Connects to the bus.
pub(super) struct Connector {
    host: String,
    port: u16,
    tls: Option<(TlsConnector, ServerName<'static>)>,
}

impl Connector {
    /// Judges the server's certificate by these roots, or else by those of the system.
    pub(super) fn new(address: &BusAddress, roots: Option<&BusRoots>) -> Result<Self, RedisError> {
        let (host, port) = address.place();
        let tls = if address.is_encrypted() { Some(tls(&host, roots)?) } else { None };
        Ok(Self { host, port, tls })
    }

    pub(super) async fn connect(&self, unfinished: Unfinished) -> io::Result<Bounded> {
        let tcp = TcpStream::connect((self.host.as_str(), self.port)).await?;
        tcp.set_nodelay(true)?;
        let stream = match &self.tls {
            Some((connector, name)) => Stream::Tls(Box::new(connector.connect(name.clone(), tcp).await?)),
            None => Stream::Tcp(tcp),
        };
        Ok(Bounded { stream, unfinished })
    }
}

fn tls(host: &str, roots: Option<&BusRoots>) -> Result<(TlsConnector, ServerName<'static>), RedisError> {
    let unusable = |reason: String| RedisError::from((ErrorKind::InvalidClientConfig, "TLS cannot be used", reason));
    let mut store = RootCertStore::empty();
    match roots {
        Some(roots) => {
            for root in CertificateDer::pem_slice_iter(roots.pem()) {
                let root = root.map_err(|error| unusable(error.to_string()))?;
                store.add(root).map_err(|error| unusable(error.to_string()))?;
            }
        }
        None => {
            let found = rustls_native_certs::load_native_certs();
            if let (true, Some(error)) = (found.certs.is_empty(), found.errors.first()) {
                return Err(unusable(error.to_string()));
            }
            // Systems have roots that are too old for this; they judge nothing.
            store.add_parsable_certificates(found.certs);
        }
    }
    let config = ClientConfig::builder().with_root_certificates(store).with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).map_err(|error| unusable(error.to_string()))?;
    Ok((TlsConnector::from(Arc::new(config)), name))
}

/// A connection that fails when an answer is too long.
pub(super) struct Bounded {
    stream: Stream,
    unfinished: Unfinished,
}

enum Stream {
    Tcp(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl AsyncRead for Bounded {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = match &mut self.stream {
            Stream::Tcp(stream) => Pin::new(stream).poll_read(context, buf),
            Stream::Tls(stream) => Pin::new(stream).poll_read(context, buf),
        };
        let read = buf.filled().len() - before;
        polled.map(|result| result.and_then(|()| self.unfinished.add(read)))
    }
}

impl AsyncWrite for Bounded {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match &mut self.stream {
            Stream::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            Stream::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Tcp(stream) => Pin::new(stream).poll_flush(context),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Stream::Tcp(stream) => Pin::new(stream).poll_shutdown(context),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
