//! [`ItemCommand`]: every command as one value, and what it decides.

use crate::actor::DecisionContext;
use crate::commands::{Command, with_commands};
use crate::event::WorkflowEvent;
use crate::fault::WorkflowFault;
use crate::state::WorkflowState;

/// Defines [`ItemCommand`] from the list of commands.
macro_rules! define_commands {
    ($($module:ident:
        $(transition $transition:ident)? $(command $command:ident)? $(=> $event:ident)? $(tool $tool:ident)? $(other $other:ident)?;
    )+) => {
        $($(use crate::commands::$transition;)?)+
        $($(use crate::commands::$command;)?)+

        /// A command with its arguments.
        #[derive(Debug, Clone, PartialEq)]
        pub enum ItemCommand {
            $(
                $(#[doc = concat!("See [`", stringify!($transition), "`].")] $transition($transition),)?
                $(#[doc = concat!("See [`", stringify!($command), "`].")] $command($command),)?
            )+
        }

        $(
            $(impl From<$transition> for ItemCommand {
                fn from(command: $transition) -> Self {
                    Self::$transition(command)
                }
            })?
            $(impl From<$command> for ItemCommand {
                fn from(command: $command) -> Self {
                    Self::$command(command)
                }
            })?
        )+

        impl ItemCommand {
            /// Its id, as [`Command::ID`].
            pub const fn id(&self) -> &'static str {
                match self {
                    $(
                        $(Self::$transition(_) => $transition::ID,)?
                        $(Self::$command(_) => $command::ID,)?
                    )+
                }
            }

            fn decide(&self, state: &WorkflowState, context: &DecisionContext<'_>) -> Result<Vec<WorkflowEvent>, WorkflowFault> {
                match self {
                    $(
                        $(Self::$transition(command) => command.decide(state, context),)?
                        $(Self::$command(command) => command.decide(state, context),)?
                    )+
                }
            }
        }
    };
}

with_commands!(define_commands);

/// The events of a command, in order: mostly one, none where the state is as wanted already.
///
/// # Errors
/// Why the command is refused.
pub fn decide_command(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    command: &ItemCommand,
) -> Result<Vec<WorkflowEvent>, WorkflowFault> {
    command.decide(state, context)
}
