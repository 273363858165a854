//! [`PatientStream`]: the stream of a connection, which waits for a client that does not read for a limited time.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use super::places::HttpConnection;

/// Time for a client to read the next byte of what is written.
const WRITE_TIME: Duration = Duration::from_secs(30);

pub(super) struct PatientStream<S> {
    stream: S,
    place: Arc<HttpConnection>,
    /// Runs while its client does not read.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> PatientStream<S> {
    pub(super) fn new(stream: S, place: Arc<HttpConnection>) -> Self {
        Self {
            stream,
            place,
            waiting: None,
        }
    }

    /// The result of an attempt to write, or the error for a client that has not read for too long.
    fn within_time<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            if self.waiting.take().is_some() {
                self.place.note_reading(true);
            }
            return written;
        }
        let waiting = self.waiting.get_or_insert_with(|| {
            self.place.note_reading(false);
            Box::pin(tokio::time::sleep(WRITE_TIME))
        });
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PatientStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PatientStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.within_time(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.within_time(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        match flushed {
            // Nothing was written, so that it says nothing about the client.
            Poll::Ready(_) => flushed,
            Poll::Pending => self.within_time(context, flushed),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[test]
    fn a_client_that_does_not_read_is_waited_for_a_limited_time() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        runtime.expect("a runtime").block_on(async {
            let (mut client, server) = tokio::io::duplex(16);
            let place = Arc::new(HttpConnection::new(IpAddr::V4(Ipv4Addr::LOCALHOST)));
            let mut stream = PatientStream::new(server, place);
            let writing = stream.write_all(&[7; 64]);
            let (read, written) = tokio::join!(
                async {
                    let mut all = [0; 64];
                    client.read_exact(&mut all).await.map(|_| all)
                },
                writing
            );
            assert!(written.is_ok() && read.is_ok_and(|all| all == [7; 64]));
            assert!(stream.waiting.is_none());
            stream.write_all(&[1; 16]).await.expect("room");
            // The time is over.
            stream.waiting = Some(Box::pin(tokio::time::sleep(Duration::ZERO)));
            let written = stream.write_all(&[1; 16]).await;
            assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
        });
    }
}
