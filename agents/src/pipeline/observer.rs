//! [`PipelineObserver`]: who is told how a pipeline goes, while it runs.

use super::event::PhaseEvent;
use super::gates::GateQuestion;
use super::machine::PipelineMachine;
use super::record::AgentUsage;
use crate::spawn::AgentProgress;

/// Is told how a pipeline goes; everything is recorded whether or not anybody listens.
pub trait PipelineObserver: Send {
    /// Something happened, and is recorded.
    fn happened(&mut self, event: &PhaseEvent) {
        let _ = event;
    }

    /// An agent said something.
    fn progressed(&mut self, phase: &str, agent: &str, said: &AgentProgress) {
        let _ = (phase, agent, said);
    }

    /// A gate waits for a person.
    fn asked(&mut self, question: &GateQuestion) {
        let _ = question;
    }

    /// What was used is beyond the limits of the pipeline, which stops.
    fn over_limits(&mut self, used: &AgentUsage) {
        let _ = used;
    }

    /// The driver has looked at waits, gates and the clock; it does so about ten times a second.
    fn looked(&mut self, machine: &PipelineMachine) {
        let _ = machine;
    }

    /// The pipeline has ended.
    fn closed(&mut self) {}
}

/// Nobody is told.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoObserver;

impl PipelineObserver for NoObserver {}
