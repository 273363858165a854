//! Removes managed arguments from a profile: a later flag does not undo `--yolo`.

use registry::model::{ArityName, CliSpec, FlagArity};

/// The arguments of a profile without managed ones, and the removed ones.
pub(super) fn strip_managed_arguments(
    cli: &CliSpec,
    tokens: &[String],
) -> (Vec<String>, Vec<String>) {
    let (mut kept, mut taken) = (Vec::new(), Vec::new());
    let mut rest = tokens.iter().peekable();
    while let Some(token) = rest.next() {
        let Some((arity, attached)) = match_managed_flag(cli, token) else {
            kept.push(token.clone());
            continue;
        };
        if let FlagArity::Keys(keys) = arity {
            let value = match attached {
                Some(value) => Some(value.to_owned()),
                None => rest.peek().map(|next| (*next).clone()),
            };
            let key = value.as_deref().unwrap_or_default().trim_start();
            // A key may be quoted, as TOML has it.
            let key = key.replace(['"', '\'', ' '], "");
            let meant = keys.iter().any(|prefix| key.starts_with(prefix));
            let target = if meant { &mut taken } else { &mut kept };
            target.push(token.clone());
            if attached.is_none() {
                target.extend(rest.next().cloned());
            }
            continue;
        }
        taken.push(token.clone());
        match arity {
            _ if attached.is_some() => {}
            FlagArity::Count(ArityName::One) => taken.extend(rest.next().cloned()),
            FlagArity::Count(ArityName::Greedy) => {
                while let Some(value) = rest.next_if(|next| !next.starts_with('-')) {
                    taken.push(value.clone());
                }
            }
            FlagArity::Count(ArityName::None) | FlagArity::Keys(_) => {}
        }
    }
    (kept, taken)
}

/// The managed flag in a token, with an attached value: `--flag=value`, `-fvalue`.
fn match_managed_flag<'a>(
    cli: &'a CliSpec,
    token: &'a str,
) -> Option<(&'a FlagArity, Option<&'a str>)> {
    if let Some(arity) = cli.managed.get(token) {
        return Some((arity, None));
    }
    if let Some((flag, value)) = token.split_once('=')
        && let Some(arity) = cli.managed.get(flag)
    {
        return Some((arity, Some(value)));
    }
    if token.starts_with("--") || !token.starts_with('-') {
        return None;
    }
    let (short, value) = token.split_at_checked(2)?;
    let arity = cli.managed.get(short)?;
    Some((arity, Some(value)))
}
