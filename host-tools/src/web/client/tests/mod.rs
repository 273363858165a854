//! The client against servers on loopback; the network of the machine is never used.

mod addresses;
mod exchanges;
mod hostile;
mod redirects;
mod tls;

use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tool_core::capability::{HttpRequest, HttpResponse, HttpTransport};
use tool_core::{StopFlag, ToolError};

use super::wire::NetworkStack;
use super::{WebClient, WebSettings};

/// A public address of nobody in particular: what names lead to here, and never dialled for real.
const PUBLIC: Ipv4Addr = Ipv4Addr::new(93, 184, 215, 14);

/// Noon of 6 November 1994, UTC.
const NOON: u64 = 784_123_200_000;

/// A network of our own: names lead where a script says, public addresses are served by a port on loopback.
struct Script {
    /// The addresses each look-up finds; the last stays.
    answers: Mutex<VecDeque<Vec<SocketAddr>>>,
    /// Where connections to public addresses end.
    port: u16,
    /// What was looked up and dialled, in order.
    log: Mutex<Vec<String>>,
}

impl NetworkStack for Script {
    fn addresses(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        self.log.lock().unwrap().push(format!("look {host}"));
        let mut answers = self.answers.lock().unwrap();
        let found = match answers.len() {
            0 | 1 => answers.front().cloned(),
            _ => answers.pop_front(),
        };
        let found = found.ok_or_else(|| io::Error::other("no such name"))?;
        Ok(found
            .into_iter()
            .map(|address| SocketAddr::new(address.ip(), port))
            .collect())
    }

    fn dial(&self, address: SocketAddr, timeout: Duration) -> io::Result<TcpStream> {
        self.log.lock().unwrap().push(format!("dial {address}"));
        let here = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        TcpStream::connect_timeout(&here, timeout)
    }
}

/// A client on a network of our own.
struct Scripted {
    client: WebClient,
    net: Arc<Script>,
}

impl Scripted {
    /// Every name leads to a public address, which is served by a port on loopback.
    fn new(port: u16, settings: &WebSettings) -> Self {
        Self::answering(port, settings, &[&["93.184.215.14"]])
    }

    /// The look-ups find these addresses, one list after the other.
    fn answering(port: u16, settings: &WebSettings, answers: &[&[&str]]) -> Self {
        let list = |list: &&[&str]| -> Vec<SocketAddr> {
            let address = |text: &&str| SocketAddr::new(text.parse().unwrap(), 0);
            list.iter().map(address).collect()
        };
        let net = Arc::new(Script {
            answers: Mutex::new(answers.iter().map(list).collect()),
            port,
            log: Mutex::default(),
        });
        let mut client = WebClient::new(settings)
            .unwrap()
            .with_clock(fakes::TestClock::at(NOON));
        client.net = Arc::clone(&net) as Arc<dyn NetworkStack>;
        Self { client, net }
    }

    fn get(&self, url: &str) -> Result<HttpResponse, ToolError> {
        self.send(&HttpRequest::get(url))
    }

    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, ToolError> {
        self.client.send(request, &StopFlag::new())
    }

    fn log(&self) -> Vec<String> {
        self.net.log.lock().unwrap().clone()
    }
}

/// Short waits, so that tests are quick.
fn settings() -> WebSettings {
    WebSettings {
        backoff: Duration::from_millis(1),
        timeout: Duration::from_secs(20),
        ..WebSettings::default()
    }
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}
