//! `mathchain trust`: what the configuration of a folder gives, and the user's agreement to it.

use std::path::Path;

use super::asking;
use super::human::escape_invisible;
use super::prelude::*;
use mathchain::trust::{TrustItem, TrustRecord};
use mathchain_servers::people::changes;

#[derive(Debug, Args)]
#[command(
    after_help = "A folder's configuration may narrow what tools do by itself. What it gives counts once you agreed to it: programs that run as you, secrets, servers, plugins, `allow` rules. The agreement is recorded outside of the folder, and holds for exactly what was shown. Without a terminal it needs --yes. Examples:
  mathchain trust --show
  mathchain trust --revoke
  mathchain trust --yes"
)]
pub(super) struct TrustCommand {
    /// Show what is given and what of it is agreed to; change nothing
    #[arg(long, conflicts_with_all = ["revoke", "yes"])]
    show: bool,
    /// Take the agreement to everything back
    #[arg(long, conflicts_with = "yes")]
    revoke: bool,
    /// Agree without being asked, as in continuous integration
    #[arg(short, long)]
    yes: bool,
}

/// Shows what the folder of this run gives, asks once, and records the answer.
pub(super) fn review_trust(global: &GlobalArgs, trust: &TrustCommand) -> Result<ExitCode> {
    let (folder, given) = open::folder_trust_items(global)?;
    let mut record = TrustRecord::of(&folder);
    if trust.show {
        return print_all(global, &folder, &given, &record);
    }
    if trust.revoke {
        record.take_back(given.iter().cloned())?;
        return print_all(global, &folder, &given, &record);
    }
    let new: Vec<&TrustItem> = given.iter().filter(|one| !record.has(one)).collect();
    if !new.is_empty() && !trust.yes {
        let text: String = new
            .iter()
            .map(|one| table_difference(one, &record))
            .collect();
        let text = format!("{} gives:\n{text}", folder.display());
        let what = "what a folder gives";
        if !asking::ask_yes_no(&text, "agree to exactly this?", what)? {
            return Err(tool_error!(ApprovalDeclined;
                "nothing was recorded: what `{}` gives does not count", folder.display();
                "its tools work as without it; remove the tables, or run `mathchain trust` again"));
        }
    }
    if !given.is_empty() {
        record.replace(given.iter().cloned())?;
    }
    print_all(global, &folder, &given, &record)
}

/// Agrees to all that a folder gives, for a command that wrote it by the user's hand.
pub(super) fn trust_folder(global: &GlobalArgs) -> Result<()> {
    let (folder, given) = open::folder_trust_items(global)?;
    match given.is_empty() {
        true => Ok(()),
        false => TrustRecord::of(&folder).agree(given),
    }
}

/// A table as it is shown before it is agreed to: whole, or how it differs from what was agreed to.
fn table_difference(given: &TrustItem, record: &TrustRecord) -> String {
    let (before, now) = (
        escape_invisible(record.before(&given.what)),
        escape_invisible(&given.shown),
    );
    let what = escape_invisible(&given.what);
    match changes::unified_diff(&before, &now).filter(|_| !before.is_empty()) {
        Some(difference) => format!("[{what}] changed\n{difference}"),
        None => format!("[{what}]\n{}", indent_text(&now)),
    }
}

fn indent_text(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn print_all(
    global: &GlobalArgs,
    folder: &Path,
    given: &[TrustItem],
    record: &TrustRecord,
) -> Result<ExitCode> {
    let items = given.iter().map(|one| {
        object! {
            "table" => one.what.as_str(), "agreed" => record.has(one), "gives" => one.shown.as_str(),
        }
    });
    let data = object! {
        "folder" => folder.display().to_string(), "given" => Value::array(items.collect()),
    };
    output::print_data(global, &data, || {
        if given.is_empty() {
            let folder = folder.display();
            return format!("{folder} gives nothing that needs your agreement\n");
        }
        let mut text = format!("{}:\n", folder.display());
        for one in given {
            let state = match record.has(one) {
                true => "agreed",
                false => "not agreed",
            };
            let _ = writeln!(text, "[{}] {state}", escape_invisible(&one.what));
            text.push_str(&indent_text(&escape_invisible(&one.shown)));
        }
        text
    })
}
