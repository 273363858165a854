//! `mathchain cluster`: the Ray that runs of the engine `ray` use.

use mathchain::cluster::{RayCommand, run_ray_command};

use super::prelude::*;

#[derive(Debug, Subcommand)]
pub(super) enum ClusterCommand {
    /// Start a Ray of this machine, which later runs use again
    #[command(
        after_help = "It belongs to this user alone: a token that others cannot read, files in a closed folder. It uses the interpreter that `python` in `[cluster.ray]` names.
Examples:
  mathchain cluster up --slots 2
  mathchain run examples/study.yaml --engine ray"
    )]
    Up {
        /// Calls to compute at a time; one for each processor by default
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
        slots: Option<u16>,
    },
    /// Show the nodes of a Ray: slots, build, and whether each may compute
    #[command(
        after_help = "Without an address it shows the cluster of the configuration, else the Ray of this machine.
Examples:
  mathchain cluster status
  mathchain cluster status --address node1:6379 --json"
    )]
    Status {
        /// Address of the head of a cluster
        #[arg(long, value_name = "HOST:PORT")]
        address: Option<String>,
    },
    /// Stop the Ray that `cluster up` or a run started, and nothing else
    #[command(after_help = "Examples:
  mathchain cluster down")]
    Down,
}

/// Starts, shows or ends a Ray.
pub(super) fn run_cluster_command(
    global: &GlobalArgs,
    cluster: &ClusterCommand,
) -> Result<ExitCode> {
    let toolkit = open::read_only(global, false)?;
    let mut config = toolkit.config().cluster.ray.clone();
    let command = match cluster {
        ClusterCommand::Up { slots } => RayCommand::Up(*slots),
        ClusterCommand::Status { address } => {
            config.address = address.clone().or(config.address);
            RayCommand::Status
        }
        ClusterCommand::Down => RayCommand::Down,
    };
    let answer = run_ray_command(&command, &config)?;
    let (own, _) = open::own_command_line(global);
    output::print_data(global, &answer, || match cluster {
        ClusterCommand::Up { .. } => started_text(&answer, &own),
        ClusterCommand::Status { .. } => status_text(&answer, &own),
        ClusterCommand::Down => match answer.get("ended") {
            Some(Value::Bool(true)) => "stopped the Ray of this machine\n".to_owned(),
            _ => "no Ray of this machine runs\n".to_owned(),
        },
    })
}

fn slots_of(value: &Value) -> String {
    let slots = value.get("slots").and_then(Value::as_i64).unwrap_or(0);
    count_phrase(slots.unsigned_abs(), "slot")
}

fn started_text(answer: &Value, own: &str) -> String {
    let address = answer.text("address").unwrap_or_default();
    let what = match answer.get("started") {
        Some(Value::Bool(false)) => "runs already",
        _ => "is started",
    };
    format!(
        "a Ray of this machine {what}: {address}, {}\nTo use it:  {own} run PLAN --engine ray\nTo stop it: {own} cluster down\n",
        slots_of(answer)
    )
}

fn status_text(answer: &Value, own: &str) -> String {
    let Some(address) = answer.text("address") else {
        return format!("no Ray of this machine runs\nTo start one:  {own} cluster up\n");
    };
    let nodes = answer.items_at("nodes");
    let mut text = format!("{address}: {}\n", count_phrase(nodes.len() as u64, "node"));
    for node in &nodes {
        let part = |key: &str| node.text(key).unwrap_or_default();
        let (name, place, slots) = (part("node"), part("address"), slots_of(node));
        let _ = write!(text, "  {name:20} {place:16} {slots}");
        match node.text("build") {
            Some(build) => {
                let _ = write!(text, "  {build}  {}", part("processor"));
            }
            None => text.push_str("  no build"),
        }
        if let Some(why) = node.text("why") {
            let _ = write!(text, "\n    may not compute: {why}");
        }
        text.push('\n');
    }
    text
}
