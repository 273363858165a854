//! The binary: see `mathchain --help`.

/// Calls, plans and documents are many small values: twice as fast as with the system's allocator (`docs/decisions/packages.md`).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    mathchain_cli::main()
}
