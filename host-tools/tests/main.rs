//! The tools that run programs, git among them. This test program is the sandbox's launcher, which the built-in harness cannot be.

#[cfg(target_os = "linux")]
mod code;
#[cfg(target_os = "linux")]
mod git;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    host_sandbox::sandbox::launch_if_asked();
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = Vec::new();
    #[cfg(target_os = "linux")]
    {
        trials.extend(code::all());
        trials.extend(git::all());
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
