//! What the threads of a run share under its lock: the machine, the commands it gave, who waits.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::time::Duration;

use tool_core::ToolError;

use super::machine::{Command, Event, Machine, Unit};

pub(super) struct Core<'a> {
    pub(super) machine: Machine<'a>,
    queue: VecDeque<Command>,
    /// How many in the queue may take long.
    pub(super) lasting: usize,
    /// Waits, the next one first.
    pub(super) timers: BinaryHeap<Reverse<(Duration, Unit)>>,
    /// When the first attempt of a call with a deadline began.
    pub(super) begun: HashMap<Unit, Duration>,
    pub(super) threads: usize,
    pub(super) idle: usize,
    pub(super) told_to_stop: bool,
    /// Why the run could not be written.
    pub(super) broken: Option<ToolError>,
}

impl<'a> Core<'a> {
    /// With the first commands of a machine.
    pub(super) fn begin(machine: Machine<'a>) -> Self {
        let mut core = Self {
            machine,
            queue: VecDeque::new(),
            lasting: 0,
            timers: BinaryHeap::new(),
            begun: HashMap::new(),
            threads: 0,
            idle: 0,
            told_to_stop: false,
            broken: None,
        };
        let commands = core.machine.begin();
        core.push(commands);
        core
    }

    /// Gives the machine an event.
    pub(super) fn feed(&mut self, event: Event) {
        let commands = self.machine.step(event);
        self.push(commands);
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn push(&mut self, commands: impl IntoIterator<Item = Command>) {
        for command in commands {
            self.lasting += usize::from(lasts(&command));
            self.queue.push_back(command);
        }
    }

    pub(super) fn pop(&mut self) -> Option<Command> {
        let command = self.queue.pop_front()?;
        self.lasting -= usize::from(lasts(&command));
        Some(command)
    }
}

/// Whether a command may take so long that a thread of its own is worth its start.
fn lasts(command: &Command) -> bool {
    !matches!(command, Command::Settled(_))
}
