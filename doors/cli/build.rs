//! Links the program with packed relative relocations where the C library reads them: 1.8 MB less to keep, and to read at each start.
#![expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script its target by the environment"
)]

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if reads_packed_relocations() {
        // A linker that does not know the keyword ignores it with a warning.
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Whether the C library of the target reads `DT_RELR`: musl since 1.2.4, which is older than the one that comes with Rust 1.93, and glibc
/// since 2.36. Of glibc only the one of this machine is known, and an older one would refuse to start the program.
fn reads_packed_relocations() -> bool {
    let cargo = |name: &str| env::var(name).unwrap_or_default();
    if cargo("CARGO_CFG_TARGET_OS") != "linux" {
        return false;
    }
    match cargo("CARGO_CFG_TARGET_ENV").as_str() {
        "musl" => true,
        "gnu" => cargo("HOST") == cargo("TARGET") && glibc().is_some_and(|it| (2, 36) <= it),
        _ => false,
    }
}

/// The version of the C library of this machine.
fn glibc() -> Option<(u32, u32)> {
    let asked = Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    let answer = String::from_utf8(asked.ok()?.stdout).ok()?;
    let (major, minor) = answer.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
