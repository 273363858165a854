//! Everything that needs the launcher: this test program is one, which the built-in harness cannot be.

#[cfg(target_os = "linux")]
mod code;
#[cfg(target_os = "linux")]
mod sandbox;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    host_tools::sandbox::launch_if_asked();
    #[cfg(target_os = "linux")]
    if sandbox::call_if_asked() {
        return ExitCode::SUCCESS;
    }
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = Vec::new();
    #[cfg(target_os = "linux")]
    trials.extend(sandbox::trials().into_iter().chain(code::all()));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// One test per named function.
#[macro_export]
macro_rules! trials {
    ($($name:ident),+ $(,)?) => {
        pub(crate) fn trials() -> Vec<libtest_mimic::Trial> {
            let module = module_path!();
            vec![$(libtest_mimic::Trial::test(format!("{module}::{}", stringify!($name)), || {
                $name();
                Ok(())
            })),+]
        }
    };
}
