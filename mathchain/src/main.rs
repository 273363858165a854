//! The binary: see `mathchain --help`.

fn main() -> std::process::ExitCode {
    mathchain::cli::main()
}
