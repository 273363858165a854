//! Whose program a client is: the pages of the terminal are for its user, and other users of the machine reach its ports too.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::Request;
use tool_core::{Result, tool_error};

use super::super::places::HttpConnection;
use super::super::server::HttpServer;

/// Refuses a client that is a program of another user of this machine, where the system tells. Cookies know no ports, so that another
/// user's server may have been sent the cookie of a session.
///
/// # Errors
/// `policy_denied` with reason `user`.
pub(super) fn require_own_user(server: &HttpServer, request: &Request) -> Result<()> {
    let Some(place) = request.extensions().get::<Arc<HttpConnection>>() else {
        return Ok(());
    };
    let is_foreign = *place.is_foreign.get_or_init(|| {
        let port = place.port.get().copied();
        port.is_some_and(|port| is_of_other_user(place.address, port, server.address.port()))
    });
    match is_foreign {
        false => Ok(()),
        true => Err(
            tool_error!(PolicyDenied, "user"; "the console of a terminal is for its user, and this client is of another one";
            "`mathchain serve --http ADDRESS:PORT --console` serves people who sign in with keys"),
        ),
    }
}

#[cfg(target_os = "linux")]
fn is_of_other_user(address: IpAddr, port: u16, own_port: u16) -> bool {
    use std::io::Read as _;
    use std::os::unix::fs::MetadataExt as _;
    /// Most bytes of the table of connections that are read.
    const TABLE_BYTES_MAX: u64 = 16 << 20;
    let file = match address {
        IpAddr::V4(_) => "/proc/self/net/tcp",
        IpAddr::V6(_) => "/proc/self/net/tcp6",
    };
    let own = std::fs::metadata("/proc/self").map(|found| found.uid());
    let mut table = String::new();
    let opened = std::fs::File::open(file);
    let read = opened.and_then(|file| file.take(TABLE_BYTES_MAX).read_to_string(&mut table));
    match (own, read) {
        (Ok(own), Ok(_)) => {
            owner_in_table(&table, address, port, own_port).is_some_and(|owner| owner != own)
        }
        _ => false,
    }
}

/// Other systems do not tell as simply.
#[cfg(not(target_os = "linux"))]
fn is_of_other_user(_: IpAddr, _: u16, _: u16) -> bool {
    false
}

/// The user of the end of a connection that is at this address and port, in the kernel's table.
#[cfg(target_os = "linux")]
fn owner_in_table(table: &str, address: IpAddr, port: u16, own_port: u16) -> Option<u32> {
    let words = match address {
        IpAddr::V4(address) => format!("{:08X}", u32::from_ne_bytes(address.octets())),
        IpAddr::V6(address) => (address.octets().chunks_exact(4))
            .map(|part| {
                format!(
                    "{:08X}",
                    u32::from_ne_bytes([part[0], part[1], part[2], part[3]])
                )
            })
            .collect(),
    };
    let (theirs, ours) = (format!("{words}:{port:04X}"), format!(":{own_port:04X}"));
    table.lines().find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let (local, remote) = (fields.next()?, fields.next()?);
        let is_it = local == theirs && remote.ends_with(&ours);
        is_it.then(|| fields.nth(4)?.parse().ok()).flatten()
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::{Ipv4Addr, TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_user_of_a_connection_is_in_the_table() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 0
   1: 0100007F:8F2B 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 2 1 0 0
   2: 0100007F:1F90 0100007F:8F2B 01 00000000:00000000 00:00000000 00000000  1000        0 3 1 0 0
";
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        assert_eq!(owner_in_table(table, address, 0x8f2b, 0x1f90), Some(1001));
        assert_eq!(owner_in_table(table, address, 0x8f2c, 0x1f90), None);
        assert_eq!(owner_in_table(table, address, 0x8f2b, 0x1f91), None);
    }

    #[test]
    fn a_client_of_this_process_is_of_this_user() {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = socket.local_addr().unwrap();
        let client = TcpStream::connect(own).unwrap();
        let peer = client.local_addr().unwrap();
        assert!(!is_of_other_user(peer.ip(), peer.port(), own.port()));
    }
}
