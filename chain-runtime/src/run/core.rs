//! State that the threads of a run share under its lock: the machine, its commands, waiting threads.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::time::Duration;

use tool_core::ToolError;

use super::events::{CallUnit, MachineCommand, RunEvent};
use super::machine::RunMachine;
use super::order::RunOrder;

pub(super) struct RunCore<'a> {
    pub(super) machine: RunMachine<'a>,
    /// Whether there is an observer of settled steps.
    is_observed: bool,
    queue: VecDeque<MachineCommand>,
    order: RunOrder,
    /// Number of commands in the queue that may take long.
    lasting: usize,
    /// Waits, the next one first.
    pub(super) timers: BinaryHeap<Reverse<(Duration, CallUnit)>>,
    /// Start of the first attempt of calls with a deadline.
    pub(super) begun: HashMap<CallUnit, Duration>,
    pub(super) threads: usize,
    pub(super) idle: usize,
    pub(super) told_to_stop: bool,
    /// Whether the machine was notified that the process ends.
    pub(super) halted: bool,
    /// Whether the run is over.
    pub(super) is_over: bool,
    /// Why the run could not be recorded.
    pub(super) broken: Option<ToolError>,
}

impl<'a> RunCore<'a> {
    /// Creates the state with the first commands of a machine.
    pub(super) fn begin(machine: RunMachine<'a>, is_observed: bool) -> Self {
        let mut core = Self {
            machine,
            is_observed,
            queue: VecDeque::new(),
            order: RunOrder::current(),
            lasting: 0,
            timers: BinaryHeap::new(),
            begun: HashMap::new(),
            threads: 0,
            idle: 0,
            told_to_stop: false,
            halted: false,
            is_over: false,
            broken: None,
        };
        let commands = core.machine.begin();
        core.push(commands);
        core
    }

    /// Feeds an event to the machine.
    pub(super) fn feed(&mut self, event: RunEvent) {
        let commands = self.machine.step(event);
        self.push(commands);
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn push(&mut self, commands: impl IntoIterator<Item = MachineCommand>) {
        for command in commands {
            if self.is_observed || is_lasting_command(&command) {
                self.lasting += usize::from(is_lasting_command(&command));
                self.queue.push_back(command);
            }
        }
    }

    /// Removes a queued command to record the end of the run.
    pub(super) fn take_write_end(&mut self) -> bool {
        let found = self
            .queue
            .iter()
            .position(|one| *one == MachineCommand::WriteEnd);
        let taken = found.and_then(|index| self.queue.remove(index));
        self.lasting -= usize::from(taken.is_some());
        taken.is_some()
    }

    /// The next command, and whether those after it justify one more thread.
    pub(super) fn pop(&mut self) -> Option<(MachineCommand, bool)> {
        let next = self.order.pick(self.queue.len());
        let command = self.queue.remove(next)?;
        let lasts = is_lasting_command(&command);
        self.lasting -= usize::from(lasts);
        // A thread that is soon done takes one of them itself.
        let served = self.idle + usize::from(!lasts);
        Some((command, self.lasting > served))
    }
}

/// Whether a command may take long enough to justify a thread of its own.
fn is_lasting_command(command: &MachineCommand) -> bool {
    !matches!(command, MachineCommand::Settled(_))
}
