//! The sandbox: what commands may do, and what they may not.

mod calls;
mod escapes;
mod levels;
mod live;
mod place;
mod running;
mod survivors;

pub(crate) use survivors::call_if_asked;

pub(crate) fn trials() -> Vec<libtest_mimic::Trial> {
    [
        running::trials(),
        escapes::trials(),
        calls::trials(),
        survivors::trials(),
        levels::trials(),
        live::trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
