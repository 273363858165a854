//! The binary as its users meet it: processes, pipes, exit codes.

mod agents;
mod anomalies;
mod answers;
mod approving;
#[cfg(target_os = "linux")]
mod borders;
mod call;
mod caller;
mod chains;
#[cfg(target_os = "linux")]
mod cluster;
mod counts;
#[cfg(target_os = "linux")]
mod data;
#[cfg(target_os = "linux")]
mod doors;
mod exports;
mod generations;
#[cfg(target_os = "linux")]
mod git;
#[cfg(target_os = "linux")]
mod http;
mod keys;
#[cfg(unix)]
mod load;
#[cfg(target_os = "linux")]
mod mcp;
#[cfg(target_os = "linux")]
mod openapi;
mod operator;
mod otel;
#[cfg(target_os = "linux")]
mod pipeline;
mod plans;
#[cfg(target_os = "linux")]
mod plugins;
mod policy;
mod ported;
#[cfg(target_os = "linux")]
mod programs;
#[cfg(target_os = "linux")]
mod prompts;
#[cfg(target_os = "linux")]
mod ray;
mod reading;
mod receipts;
mod records;
#[cfg(target_os = "linux")]
mod roots;
mod runs;
mod serve;
#[cfg(target_os = "linux")]
mod servers;
#[cfg(target_os = "linux")]
mod session;
#[cfg(target_os = "linux")]
mod setup;
#[cfg(target_os = "linux")]
mod signals;
mod state;
mod support;
#[cfg(target_os = "linux")]
mod symbolic;
#[cfg(target_os = "linux")]
mod terminal;
#[cfg(target_os = "linux")]
mod trust;
#[cfg(target_os = "linux")]
mod undoing;
mod web;
#[cfg(target_os = "linux")]
mod workflow;
