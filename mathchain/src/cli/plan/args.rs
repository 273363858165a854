//! What can be typed behind `mathchain plan`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::super::args::Mode;
use super::super::caller::Caller;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Plan {
    /// Check a plan completely: every problem at once, with line and column; nothing runs
    #[command(
        after_help = "Exit codes as of `run`: 0 nothing is wrong, 2 the plan is wrong, 3 denied, 4 an approval is needed and nobody could be asked.
Examples:
  mathchain plan check examples/quickstart.yaml
  mathchain plan check plan.yaml --input draws=5000 --role worker_math --output json"
    )]
    Check {
        #[command(flatten)]
        given: Box<Given>,
        /// As if the operator approved in advance whatever would be asked
        #[arg(long)]
        yes: bool,
    },
    /// Say what a plan would do: order and reasons, conditions, maps, retries, who is asked, what undoes a step
    Explain {
        #[command(flatten)]
        given: Box<Given>,
    },
    /// Draw what waits for what, and why
    #[command(after_help = "Examples:
  mathchain plan graph examples/cleanup.yaml
  mathchain plan graph examples/cleanup.yaml --format svg --out cleanup.svg
  mathchain plan graph examples/script.chain --format dot | dot -Tpng > script.png")]
    Graph {
        #[command(flatten)]
        given: Box<Given>,
        /// Language of the picture
        #[arg(long, value_enum, default_value_t = Picture::Text)]
        format: Picture,
        /// File to write, replaced where it is there; without it the picture goes to stdout
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Write a commented starter plan that runs as it is
    New {
        /// Name of the plan, or of its file; with `.chain` a call script is written
        #[arg(default_value = "plan")]
        name: String,
    },
}

/// A plan, its inputs and its caller.
#[derive(Debug, Args)]
pub(in crate::cli) struct Given {
    /// Plan file (.yaml, .yml, .json), call script (.chain), or `-` for stdin
    pub plan: PathBuf,
    /// Input of the plan: NAME=VALUE, the value as JSON or plain text; repeatable
    #[arg(long = "input", value_name = "NAME=VALUE")]
    pub inputs: Vec<String>,
    /// How the steps are ordered; wins over the plan's
    #[arg(long, value_enum)]
    pub mode: Option<Mode>,
    /// As if run wave by wave
    #[arg(long)]
    pub barrier: bool,
    /// Role of the caller
    #[arg(long, value_name = "ROLE", help_heading = "Caller")]
    pub role: Option<String>,
    #[command(flatten)]
    pub caller: Caller,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Picture {
    /// Lines for a terminal
    Text,
    /// Graphviz
    Dot,
    /// For pages in Markdown
    Mermaid,
    /// For a browser
    Svg,
}

impl From<Picture> for chain_runtime::draw::Format {
    fn from(picture: Picture) -> Self {
        match picture {
            Picture::Text => Self::Text,
            Picture::Dot => Self::Dot,
            Picture::Mermaid => Self::Mermaid,
            Picture::Svg => Self::Svg,
        }
    }
}
