//! Time zones by name. The zone database is compiled in, so results are equal on every machine.

use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, Zoned};

use crate::prelude::*;

/// The declaration that the tools of this family share.
pub(super) const SPEC: Spec = Spec {
    category: Category::System,
    tags: &["time", "date"],
    capabilities: &[Capability::Clock],
    determinism: Determinism::External,
    callers: &[Caller::Direct, Caller::Chain],
    ..Spec::pure()
};

/// The default zone.
pub(super) fn utc() -> String {
    "UTC".to_owned()
}

/// The current time in a zone: a name such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
///
/// # Errors
/// `invalid_args` at `/time_zone` for an unknown zone.
pub(super) fn now(ctx: &Ctx, name: &str) -> Result<(Zoned, u64), ToolError> {
    let unix_ms = ctx.clock()?.unix_ms();
    let zone = zone(name)?;
    let moment = i64::try_from(unix_ms)
        .ok()
        .and_then(|ms| Timestamp::from_millisecond(ms).ok())
        .ok_or_else(|| {
            tool_error!(
                ToolError,
                "the clock is at {unix_ms} ms after 1970, outside the calendar"
            )
            .reason("clock")
            .hint("set the clock of this machine")
        })?;
    Ok((moment.to_zoned(zone), unix_ms))
}

fn zone(name: &str) -> Result<TimeZone, ToolError> {
    if let Some(offset) = offset(name) {
        return Ok(TimeZone::fixed(offset));
    }
    TimeZoneDatabase::bundled().get(name).map_err(|_| {
        tool_error!(InvalidArgs, "unknown time zone `{}`", name.escape_debug())
            .at("/time_zone")
            .reason("time_zone")
            .hint(nearest(name))
    })
}

fn nearest(name: &str) -> String {
    const EXPECTED: &str = "name one such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`";
    let database = TimeZoneDatabase::bundled();
    let names: Vec<String> = database
        .available()
        .map(|known| known.to_string())
        .collect();
    match tool_core::nearest::nearest(name, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`? {EXPECTED}"),
        None => EXPECTED.to_owned(),
    }
}

/// An offset such as `+05:30` or `-03:00`, at most 18 hours.
fn offset(text: &str) -> Option<Offset> {
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let two = |text: &str| {
        let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse::<i32>().ok()).flatten()
    };
    let (hours, minutes) = (two(hours)?, two(minutes)?);
    let seconds = sign * (hours * 3600 + minutes * 60);
    (hours <= 18 && minutes < 60)
        .then(|| Offset::from_seconds(seconds).ok())
        .flatten()
}
