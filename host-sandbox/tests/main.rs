//! What sandboxed programs may and may not do. This test program is its own launcher, which the built-in harness cannot be.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod escapes;
#[cfg(target_os = "linux")]
mod levels;
#[cfg(target_os = "linux")]
mod live;
#[cfg(target_os = "linux")]
mod place;
#[cfg(target_os = "linux")]
mod running;
#[cfg(target_os = "linux")]
mod survivors;
#[cfg(target_os = "linux")]
mod writing;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    host_sandbox::sandbox::launch_if_asked();
    #[cfg(target_os = "linux")]
    if survivors::call_if_asked() {
        return ExitCode::SUCCESS;
    }
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = Vec::new();
    #[cfg(target_os = "linux")]
    for module in [
        running::trials(),
        escapes::trials(),
        calls::trials(),
        survivors::trials(),
        levels::trials(),
        live::trials(),
        writing::trials(),
    ] {
        trials.extend(module);
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Makes a test of each named function.
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
