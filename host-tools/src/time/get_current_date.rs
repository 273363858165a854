//! Today's date.

use super::zone;
use crate::prelude::*;

/// Get the current date in a time zone.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The time zone: a name of the IANA database such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
    #[serde(default = "zone::utc")]
    pub time_zone: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The date, such as `2026-11-22`.
    pub date: String,
    /// The day of the week in English, such as `Sunday`.
    pub weekday: String,
    /// The year.
    pub year: i16,
    /// The month, 1 to 12.
    pub month: i8,
    /// The day of the month, 1 to 31.
    pub day: i8,
    /// The day of the year, 1 to 366.
    pub day_of_year: i16,
    /// The week of the year by ISO 8601, such as `2026-W47`.
    pub week: String,
    /// The time zone.
    pub time_zone: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "get_current_date",
        title: "Today's date",
        ..zone::SPEC
    };
    type Args = Self;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let (now, _) = zone::now(ctx, &args.time_zone)?;
        let date = now.date();
        let week = date.iso_week_date();
        Ok(Output {
            date: date.to_string(),
            weekday: now.strftime("%A").to_string(),
            year: date.year(),
            month: date.month(),
            day: date.day(),
            day_of_year: date.day_of_year(),
            week: format!("{:04}-W{:02}", week.year(), week.week()),
            time_zone: args.time_zone,
        })
    }

    /// With the clock at 2023-11-14T22:13:20Z.
    const EXAMPLES: &'static [JsonExample] = &[
        JsonExample {
            title: "the day in UTC",
            args: "{}",
            output: r#"{
                "date": "2023-11-14", "weekday": "Tuesday", "year": 2023, "month": 11, "day": 14,
                "day_of_year": 318, "week": "2023-W46", "time_zone": "UTC"
            }"#,
        },
        JsonExample {
            title: "a time zone further east, on the next day",
            args: r#"{"time_zone": "Asia/Tokyo"}"#,
            output: r#"{
                "date": "2023-11-15", "weekday": "Wednesday", "year": 2023, "month": 11, "day": 15,
                "day_of_year": 319, "week": "2023-W46", "time_zone": "Asia/Tokyo"
            }"#,
        },
    ];
}
