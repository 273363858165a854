//! Options that every command takes, and the formats of output.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use agents::AgentProgram;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use tool_core::{Result, Value, json, npy, tool_error};

use mathchain::environment;

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(super) struct GlobalArgs {
    /// Configuration file; by default the nearest mathchain.toml (or .yaml) upwards, then the user's
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Workspace root; overrides the configuration's
    #[arg(long, global = true, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// Output format; by default that of MATHCHAIN_OUTPUT, else `human`; calls and runs print JSON when stdout is not a terminal
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    pub output: Option<OutputFormat>,
    /// Short for --output json
    #[arg(long, global = true, conflicts_with = "output")]
    pub json: bool,
    /// Significant digits of numbers in text, 1 to 17; by default 6
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=17))]
    pub digits: Option<u8>,
    /// Show the audit head after each answer
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Show results, warnings and errors only: no progress, no summaries
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Append a line to FILE for each call and run that ends; `-` is stderr
    #[arg(long, global = true, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Lowest level to log; by default `info`
    #[arg(long, global = true, value_enum, value_name = "LEVEL")]
    pub log_level: Option<LogLevel>,
    /// Format of the lines of the log; by default `text`
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
    /// Whether the command answers calls or runs: programs read it through a pipe.
    #[arg(skip)]
    pub is_door: bool,
    /// Whether the words are being completed for a shell, which shows no warnings.
    #[arg(skip)]
    pub completes: bool,
    /// The program that serves agents: this one, unless it runs in the process of another.
    #[arg(skip)]
    pub agent_program: Option<AgentProgram>,
}

/// Levels of the log, the most severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum LogLevel {
    /// Calls and runs that failed by a fault of the program
    Error,
    /// Also calls and runs that failed or were denied
    Warn,
    /// Also those that succeeded or wait for approval
    Info,
    /// Also the files in use, and digests of calls
    Debug,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    /// Text for a reader
    Text,
    /// One JSON object a line
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum OutputFormat {
    /// Text for a reader
    Human,
    /// The envelope, one line of JSON
    Json,
    /// The result alone: text as it is, anything else as one line of JSON
    Raw,
    /// The envelope with arrays of 64 numbers or more as {"$npy": "<base64 of an .npy file>"}, which arguments take too
    Npy,
    /// A result that is a table as delimited text; refused for others
    Csv,
}

/// Parses one of some names, each with its meaning and help.
pub(super) fn one_of<T: Copy + Send + Sync + 'static>(
    choices: &'static [(&'static str, T, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let names = choices.iter();
    let names = names.map(|(name, _, help)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(names).try_map(|text| {
        let mut found = choices.iter().filter(|(name, ..)| *name == text);
        found
            .next()
            .map(|(_, choice, _)| *choice)
            .ok_or("no such choice")
    })
}

impl OutputFormat {
    /// A line of JSON in this format.
    pub(super) fn line(self, value: &Value) -> String {
        /// Shorter arrays stay readable.
        const ARRAY_LEAST: usize = 64;
        let mut text = match self {
            Self::Npy => json::to_text(&npy::encode_npy_arrays(value, ARRAY_LEAST)),
            Self::Human | Self::Json | Self::Raw | Self::Csv => json::to_text(value),
        };
        text.push('\n');
        text
    }
}

/// The commands that answer calls or runs.
const DOORS: [&str; 5] = ["call", "run", "resume", "serve", "session"];

/// The variable that sets the default of `--output`.
const OUTPUT_VARIABLE: &str = "MATHCHAIN_OUTPUT";

impl GlobalArgs {
    /// The options found among words that clap could not parse.
    pub(super) fn in_words(words: &[String]) -> Self {
        let value_of = |flag: &str| {
            let mut places = words.iter().enumerate();
            places.find_map(|(place, word)| match word.strip_prefix(flag)? {
                "" => words.get(place + 1).map(String::as_str),
                rest => rest.strip_prefix('='),
            })
        };
        let output = value_of("--output");
        Self {
            config: value_of("--config").map(Into::into),
            workspace: value_of("--workspace").map(Into::into),
            output: output.and_then(|name| OutputFormat::from_str(name, false).ok()),
            json: words.iter().any(|word| word == "--json"),
            is_door: words.iter().any(|word| DOORS.contains(&word.as_str())),
            ..Self::default()
        }
    }

    /// Checks the default of the environment.
    ///
    /// # Errors
    /// A value that is no format.
    pub(super) fn check_environment() -> Result<()> {
        match environment::read_variable(OUTPUT_VARIABLE) {
            Some(name) if OutputFormat::from_str(&name, false).is_err() => {
                Err(tool_error!(InvalidRequest;
                    "`{OUTPUT_VARIABLE}` is `{name}`, which is no format";
                    "set it to human, json, raw, npy or csv, or unset it"))
            }
            _ => Ok(()),
        }
    }

    /// The requested format, else that of the environment, else `json` for answers that no terminal shows, and `human`.
    pub(super) fn format(&self) -> OutputFormat {
        let default = || environment::read_variable(OUTPUT_VARIABLE);
        let default = || OutputFormat::from_str(&default()?, false).ok();
        match self.output {
            Some(format) => format,
            None if self.json => OutputFormat::Json,
            None if let Some(format) = default() => format,
            None if self.is_door && !std::io::stdout().is_terminal() => OutputFormat::Json,
            None => OutputFormat::Human,
        }
    }
}
