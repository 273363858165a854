use tool_core::{CallBudget, Capabilities, Ctx, ErrorCode, StopFlag, ToolError, Value, json};

use super::TOOLS;
use fakes::{TestClock, call};

fn at(unix_ms: u64, tool: &str, zone: &str) -> Result<Value, ToolError> {
    let ctx = Ctx::new(StopFlag::new(), CallBudget::default()).with_capabilities(Capabilities {
        clock: Some(TestClock::at(unix_ms)),
        ..Capabilities::default()
    });
    call(TOOLS, &ctx, tool, &format!(r#"{{"time_zone":"{zone}"}}"#))
}

#[test]
fn zones_know_their_summers() {
    // Noon in UTC of a day in winter and one in summer.
    for (unix_ms, zone, expected) in [
        (
            1_767_960_000_000,
            "Europe/Berlin",
            "2026-01-09T13:00:00.000+01:00",
        ),
        (
            1_783_598_400_123,
            "Europe/Berlin",
            "2026-07-09T14:00:00.123+02:00",
        ),
        (
            1_783_598_400_000,
            "America/New_York",
            "2026-07-09T08:00:00.000-04:00",
        ),
        (1_783_598_400_000, "UTC", "2026-07-09T12:00:00.000+00:00"),
        (1_783_598_400_000, "-03:30", "2026-07-09T08:30:00.000-03:30"),
        (1_783_598_400_000, "+00:00", "2026-07-09T12:00:00.000+00:00"),
        (0, "Pacific/Auckland", "1970-01-01T12:00:00.000+12:00"),
    ] {
        let output = at(unix_ms, "get_current_time", zone).unwrap();
        assert_eq!(
            output.get("datetime").unwrap().as_str(),
            Some(expected),
            "{zone}"
        );
    }
    let date = at(1_767_960_000_000, "get_current_date", "UTC").unwrap();
    assert_eq!(
        json::to_text(&date),
        r#"{"date":"2026-01-09","weekday":"Friday","year":2026,"month":1,"day":9,"day_of_year":9,"week":"2026-W02","time_zone":"UTC"}"#
    );
}

#[test]
fn unknown_zones_and_clocks_are_errors() {
    for zone in [
        "Europe/Berln",
        "",
        "local",
        "+25:00",
        "+5:30",
        "../etc/passwd",
        "\\n",
    ] {
        let err = at(0, "get_current_time", zone).unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some("/time_zone")),
            "{zone}"
        );
    }
    let err = at(0, "get_current_date", "Europe/Berln").unwrap_err();
    assert!(
        err.hint_str().unwrap().contains("`Europe/Berlin`"),
        "{err:?}"
    );
    assert_eq!(
        at(u64::MAX, "get_current_date", "UTC")
            .unwrap_err()
            .reason_str(),
        Some("clock")
    );
}
