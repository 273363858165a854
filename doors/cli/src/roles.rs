//! `mathchain roles`: the roles of the configuration and the built-in ones.

use super::prelude::*;

#[derive(Debug, Subcommand)]
pub(super) enum RolesCommand {
    /// List the roles, with their purpose and the number of their tools
    List,
}

/// Lists the roles.
pub(super) fn list_roles(
    global: &GlobalArgs,
    RolesCommand::List: &RolesCommand,
) -> Result<ExitCode> {
    let toolkit = open::read_only(global, false)?;
    let dispatcher = toolkit.dispatcher();
    let policy = dispatcher.policy();
    let mut rows = Vec::new();
    for (name, purpose) in policy.roles() {
        let context = CallContext {
            role: Some(name.to_owned()),
            ..CallContext::default()
        };
        let visible = dispatcher.visible(&toolkit.caller(&context))?;
        let count = visible.iter().filter(|one| one.hidden.is_none()).count();
        rows.push((name, purpose, count));
    }
    let data = rows.iter().map(|(name, purpose, count)| {
        object! { "role" => *name, "description" => *purpose, "tools" => *count }
    });
    output::print_data(global, &Value::array(data.collect()), || {
        let mut table = human::TextTable::new(["role", "tools", "purpose"]);
        let width = human::terminal_width().saturating_sub(32);
        for (name, purpose, count) in &rows {
            let lines = human::wrap_paragraph(purpose, width, 0);
            for (line, words) in lines.split('\n').enumerate() {
                let first = |text: String| if line == 0 { text } else { String::new() };
                table.push(vec![
                    first((*name).to_owned()),
                    first(count.to_string()),
                    words.to_owned(),
                ]);
            }
        }
        table.lines(2)
    })
}
