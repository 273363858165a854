//! Public addresses, and the networks that are refused unless the configuration lists them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not part of the public Internet.
const V4: &[([u8; 4], u32, &str)] = &[
    ([0, 0, 0, 0], 8, "unspecified"),
    ([10, 0, 0, 0], 8, "private"),
    ([100, 64, 0, 0], 10, "shared by carriers (CGNAT)"),
    ([127, 0, 0, 0], 8, "loopback"),
    ([169, 254, 0, 0], 16, "link-local"),
    ([172, 16, 0, 0], 12, "private"),
    ([192, 0, 0, 0], 24, "reserved"),
    ([192, 0, 2, 0], 24, "for documentation"),
    ([192, 88, 99, 0], 24, "reserved"),
    ([192, 168, 0, 0], 16, "private"),
    ([198, 18, 0, 0], 15, "for benchmarks"),
    ([198, 51, 100, 0], 24, "for documentation"),
    ([203, 0, 113, 0], 24, "for documentation"),
    ([224, 0, 0, 0], 4, "multicast"),
    ([255, 255, 255, 255], 32, "broadcast"),
    ([240, 0, 0, 0], 4, "reserved"),
];

/// The same for IPv6; addresses outside 2000::/3 are reserved in any case.
const V6: &[([u16; 8], u32, &str)] = &[
    ([0, 0, 0, 0, 0, 0, 0, 0], 128, "unspecified"),
    ([0, 0, 0, 0, 0, 0, 0, 1], 128, "loopback"),
    ([0x100, 0, 0, 0, 0, 0, 0, 0], 64, "reserved"),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, "for documentation"),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, "a tunnel (Teredo)"),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, "reserved"),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, "for documentation"),
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, "unique-local"),
    ([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, "link-local"),
    ([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, "site-local"),
    ([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, "multicast"),
];

/// The reason why an address is not public; `None` for a public one.
pub(crate) fn not_public(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => special_ipv4_range(address),
        IpAddr::V6(address) => special_ipv6_range(address),
    }
}

fn special_ipv4_range(address: Ipv4Addr) -> Option<&'static str> {
    let holds = |(network, prefix, _): &&([u8; 4], u32, &str)| {
        (address.to_bits() ^ u32::from_be_bytes(*network)) >> (32 - prefix) == 0
    };
    V4.iter().find(holds).map(|(_, _, why)| *why)
}

fn special_ipv6_range(address: Ipv6Addr) -> Option<&'static str> {
    let bits = address.to_bits();
    let holds = |(network, prefix, _): &&([u16; 8], u32, &str)| {
        (bits ^ Ipv6Addr::from(*network).to_bits()) >> (128 - prefix) == 0
    };
    if let Some((_, _, why)) = V6.iter().find(holds) {
        return Some(why);
    }
    // Addresses that embed an IPv4 address are judged by it.
    let low = Ipv4Addr::from_bits(bits as u32);
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => special_ipv4_range(low),
        [0x2002, ..] => special_ipv4_range(Ipv4Addr::from_bits((bits >> 80) as u32)),
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] => {
            Some(special_ipv4_range(low).unwrap_or("a tunnel (ISATAP)"))
        }
        [first, ..] if first & 0xe000 != 0x2000 => Some("reserved"),
        _ => None,
    }
}
