//! The time of day.

use super::zone;
use crate::prelude::*;

/// Get the current time in a time zone, to the millisecond.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The time zone: a name of the IANA database such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
    #[serde(default = "zone::utc")]
    pub time_zone: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Date, time and offset by RFC 3339, such as `2026-11-22T16:30:00.000+01:00`.
    pub datetime: String,
    /// Local date.
    pub date: String,
    /// Local time, such as `16:30:00`.
    pub time: String,
    /// The time in UTC.
    pub utc: String,
    /// Seconds since 1970-01-01 UTC.
    pub timestamp: f64,
    /// Current offset from UTC in seconds; positive east of Greenwich.
    pub offset_s: i32,
    /// The time zone.
    pub time_zone: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "get_current_time",
        title: "Time of day",
        ..zone::SPEC
    };
    type Args = Self;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let (now, unix_ms) = zone::now(ctx, &args.time_zone)?;
        Ok(Output {
            datetime: now.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string(),
            date: now.date().to_string(),
            time: now.strftime("%H:%M:%S").to_string(),
            utc: format!("{:.3}", now.timestamp()),
            timestamp: unix_ms as f64 / 1000.0,
            offset_s: now.offset().seconds(),
            time_zone: args.time_zone,
        })
    }

    /// With the clock at 2023-11-14T22:13:20Z.
    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "an offset with half an hour",
        args: r#"{"time_zone": "Asia/Kolkata"}"#,
        output: r#"{
            "datetime": "2023-11-15T03:43:20.000+05:30", "date": "2023-11-15", "time": "03:43:20",
            "utc": "2023-11-14T22:13:20.000Z", "timestamp": 1700000000.0, "offset_s": 19800,
            "time_zone": "Asia/Kolkata"
        }"#,
    }];
}
