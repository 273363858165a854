//! Today's date.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Caller, Capability, Category, Ctx, Determinism, Example, Spec, Tool, ToolError};

use super::zone;

/// Says what day it is.
pub struct GetCurrentDate;

/// Say what day it is, in a time zone.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The time zone: a name of the IANA database such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
    #[serde(default = "default_zone")]
    pub time_zone: String,
}

fn default_zone() -> String {
    "UTC".to_owned()
}

/// The result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
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

impl Tool for GetCurrentDate {
    const SPEC: Spec = Spec {
        id: "get_current_date",
        title: "Today's date",
        category: Category::System,
        tags: &["time", "date"],
        capabilities: &[Capability::Clock],
        determinism: Determinism::External,
        callers: &[Caller::Direct, Caller::Chain],
        ..Spec::pure()
    };
    type Args = Args;
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

    /// Run when the clock stands at 2023-11-14T22:13:20Z.
    fn examples() -> Vec<Example<Args, Output>> {
        let example = |title, zone: &str, date: &str, weekday: &str, day, day_of_year| Example {
            title,
            args: Args {
                time_zone: zone.to_owned(),
            },
            output: Output {
                date: date.to_owned(),
                weekday: weekday.to_owned(),
                year: 2023,
                month: 11,
                day,
                day_of_year,
                week: "2023-W46".to_owned(),
                time_zone: zone.to_owned(),
            },
        };
        vec![
            example("the day in UTC", "UTC", "2023-11-14", "Tuesday", 14, 318),
            example(
                "further east it is the next day",
                "Asia/Tokyo",
                "2023-11-15",
                "Wednesday",
                15,
                319,
            ),
        ]
    }
}
