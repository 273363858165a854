//! Schedules as units of systemd.

use std::path::Path;

use registry::model::{CalendarFields, MissedTimes, Schedule, ScheduleTiming};

use super::super::prelude::*;
use super::find_schedule;

/// A file of systemd.
struct SystemdUnit {
    name: String,
    text: String,
}

/// Prints the units of one schedule, or of all; or writes them.
pub(super) fn export_schedules(
    global: &GlobalArgs,
    name: Option<&str>,
    folder: Option<&Path>,
) -> Result<ExitCode> {
    let toolkit = open::read_only(global, false)?;
    let schedules = match name {
        Some(name) => vec![find_schedule(&toolkit, name)?],
        None => toolkit.config().schedules.clone(),
    };
    let program = std::env::current_exe().map_err(
        |err| tool_error!(ToolError, "io"; "cannot tell the path of this program: {err}"),
    )?;
    let here = open::project_folder(global)?;
    let here = here.canonicalize().unwrap_or(here);
    let mut words = vec![program.to_string_lossy().into_owned()];
    for (flag, path) in [
        ("--config", &global.config),
        ("--workspace", &global.workspace),
    ] {
        if let Some(path) = path {
            let path = path.canonicalize().unwrap_or_else(|_| path.clone());
            words.extend([flag.to_owned(), path.to_string_lossy().into_owned()]);
        }
    }
    let mut units = Vec::new();
    for schedule in &schedules {
        units.extend(units_of(schedule, &words, &here)?);
    }
    if let Some(folder) = folder {
        for unit in &units {
            super::source::write_named_file(&folder.join(&unit.name), &unit.text)?;
        }
    }
    let value =
        |unit: &SystemdUnit| object! { "name" => unit.name.as_str(), "text" => unit.text.as_str() };
    let data = Value::array(units.iter().map(value).collect());
    output::print_data(global, &data, || match (units.as_slice(), folder) {
        ([], _) => "no schedules\n".to_owned(),
        (_, Some(folder)) => format!(
            "to start them: systemctl --user daemon-reload, then systemctl --user enable --now NAME.timer with the names in {}\n",
            folder.display()
        ),
        (units, None) => {
            let texts = units
                .iter()
                .map(|unit| format!("# {}\n{}\n", unit.name, unit.text));
            texts.collect()
        }
    })
}

/// The timer and the service of a schedule.
fn units_of(schedule: &Schedule, words: &[String], folder: &Path) -> Result<[SystemdUnit; 2]> {
    let name = &schedule.name;
    let mut command: Vec<String> = words.iter().map(|word| quote_word(word)).collect();
    command.extend(["schedule", "run", name].map(str::to_owned));
    let folder = folder.to_string_lossy();
    if folder.contains(['\n', '\r']) {
        return Err(
            tool_error!(InvalidRequest, "folder"; "the path of the project has a line break, which no unit can name"),
        );
    }
    let folder = folder.replace('%', "%%");
    let service = format!(
        "[Unit]\nDescription=mathchain schedule {name}\n\n[Service]\nType=oneshot\nWorkingDirectory={folder}\nExecStart={}\n",
        command.join(" ")
    );
    let persistent = schedule.missed == MissedTimes::RunOnce;
    let timing = schedule
        .timing()
        .map_err(|(_, why)| tool_error!(InvalidRequest, "schedule"; "schedule `{name}`: {why}"))?;
    let zone = schedule.zone.as_deref().unwrap_or("UTC");
    let when: String = timer_lines(&timing, zone)
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    let timer = format!(
        "[Unit]\nDescription=mathchain schedule {name}: {}\n\n[Timer]\n{when}AccuracySec=1s\nPersistent={persistent}\n\n[Install]\nWantedBy=timers.target\n",
        schedule.timing_text().replace('%', "%%")
    );
    let unit = |end: &str, text: String| SystemdUnit {
        name: format!("mathchain-{name}.{end}"),
        text,
    };
    Ok([unit("timer", timer), unit("service", service)])
}

/// A word of a command line of a unit.
fn quote_word(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@=,".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    let mut quoted = String::from('"');
    for character in word.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '%' | '$' => quoted.extend([character, character]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// The lines of a timer that say when.
fn timer_lines(timing: &ScheduleTiming, zone: &str) -> Vec<String> {
    match timing {
        ScheduleTiming::Every(every) => every_lines(every.ms() / 1000),
        ScheduleTiming::Once { date, time } => {
            let ((year, month, day), (hour, minute)) = (date, time);
            vec![format!(
                "OnCalendar={year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:00 {zone}"
            )]
        }
        ScheduleTiming::Calendar(fields) => calendar_lines(fields, zone),
    }
}

/// A duration that divides the next larger unit is a calendar; others count from the start of the timer.
fn every_lines(seconds: u64) -> Vec<String> {
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let calendar = if seconds < 60 && 60_u64.is_multiple_of(seconds) {
        format!("*-*-* *:*:0/{seconds}")
    } else if seconds == minutes * 60 && minutes < 60 && 60_u64.is_multiple_of(minutes) {
        format!("*-*-* *:0/{minutes}:00")
    } else if seconds == hours * 3600 && hours < 24 && 24_u64.is_multiple_of(hours) {
        format!("*-*-* 0/{hours}:00:00")
    } else if seconds == 86_400 {
        "*-*-* 00:00:00".to_owned()
    } else {
        return vec![
            format!("OnActiveSec={seconds}s"),
            format!("OnUnitActiveSec={seconds}s"),
        ];
    };
    vec![format!("OnCalendar={calendar} UTC")]
}

/// Systemd wants the day of the month and that of the week both, cron wants one of them where both are restricted: these are two lines.
fn calendar_lines(fields: &CalendarFields, zone: &str) -> Vec<String> {
    const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    let months = numbers_text(fields.months, 1, 12);
    let days = numbers_text(fields.days, 1, 31);
    let (hours, minutes) = (
        numbers_text(fields.hours, 0, 23),
        numbers_text(fields.minutes, 0, 59),
    );
    let named = (0..)
        .zip(WEEKDAYS)
        .filter(|(day, _)| fields.weekdays >> day & 1 == 1);
    let named: Vec<&str> = named.map(|(_, name)| name).collect();
    let week = match named.len() {
        7 => String::new(),
        _ => format!("{} ", named.join(",")),
    };
    let line = |week: &str, days: &str| {
        format!("OnCalendar={week}*-{months}-{days} {hours}:{minutes}:00 {zone}")
    };
    match fields.any_day || fields.any_weekday {
        true => vec![line(&week, &days)],
        false => vec![line(&week, "*"), line("", &days)],
    }
}

/// A set of numbers, `*` for all.
fn numbers_text(set: u64, least: u32, most: u32) -> String {
    let within: Vec<u32> = (least..=most).filter(|one| set >> one & 1 == 1).collect();
    if within.len() == (most - least + 1) as usize {
        return "*".to_owned();
    }
    let texts: Vec<String> = within.iter().map(|one| format!("{one:02}")).collect();
    texts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        calendar_lines(&CalendarFields::parse(text).unwrap(), "Europe/Berlin")
    }

    #[test]
    fn calendars_become_those_of_systemd() {
        assert_eq!(
            lines("30 2 * * *"),
            ["OnCalendar=*-*-* 02:30:00 Europe/Berlin"]
        );
        assert_eq!(
            lines("*/30 9-10 * jan,feb mon-fri"),
            ["OnCalendar=Mon,Tue,Wed,Thu,Fri *-01,02-* 09,10:00,30:00 Europe/Berlin"]
        );
        assert_eq!(
            lines("0 9 1 * mon"),
            [
                "OnCalendar=Mon *-*-* 09:00:00 Europe/Berlin",
                "OnCalendar=*-*-01 09:00:00 Europe/Berlin"
            ]
        );
    }

    #[test]
    fn durations_that_divide_a_day_are_calendars() {
        assert_eq!(every_lines(3600), ["OnCalendar=*-*-* 0/1:00:00 UTC"]);
        assert_eq!(every_lines(15), ["OnCalendar=*-*-* *:*:0/15 UTC"]);
        assert_eq!(every_lines(1800), ["OnCalendar=*-*-* *:0/30:00 UTC"]);
        assert_eq!(every_lines(86_400), ["OnCalendar=*-*-* 00:00:00 UTC"]);
        assert_eq!(
            every_lines(5400),
            ["OnActiveSec=5400s", "OnUnitActiveSec=5400s"]
        );
    }

    #[test]
    fn words_of_a_command_are_quoted_for_systemd() {
        assert_eq!(quote_word("/usr/bin/mathchain"), "/usr/bin/mathchain");
        assert_eq!(quote_word("/a b/$x%h\"\\"), r#""/a b/$$x%%h\"\\""#);
        assert_eq!(quote_word(""), "\"\"");
    }
}
