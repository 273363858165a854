//! The words of the command line: those of this process, or those that a host such as an interpreter passes.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

static GIVEN: OnceLock<Vec<OsString>> = OnceLock::new();

/// The place of a word that names a tool where a command is expected; `call` is read before it.
static CALLED: OnceLock<usize> = OnceLock::new();

/// Uses these words instead of those of the process; the first setting is kept.
pub(super) fn set_words(words: Vec<OsString>) {
    let _ = GIVEN.set(words);
}

/// The path of this program: of the script, in the process of an interpreter.
pub(super) fn program_path() -> PathBuf {
    let own = std::env::current_exe().ok();
    let given = GIVEN.get().and_then(|words| words.first());
    let given = given.map(|word| std::path::absolute(word).unwrap_or_else(|_| word.into()));
    given.or(own).unwrap_or_else(|| "mathchain".into())
}

/// Reads the first word that is `name` as the tool of a `call`.
pub(super) fn read_as_call(name: &str) {
    let place = command_words().iter().skip(1).position(|word| word == name);
    if let Some(place) = place {
        let _ = CALLED.set(place + 1);
    }
}

/// All words, the name of the program first.
pub(super) fn command_words() -> Vec<OsString> {
    let own = || std::env::args_os().collect();
    let mut words: Vec<OsString> = GIVEN.get().cloned().unwrap_or_else(own);
    if let Some(&place) = CALLED.get() {
        words.insert(place, "call".into());
    }
    words
}
