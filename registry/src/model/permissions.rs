//! Verdicts on calls that no rule matches.

use tool_core::{Decode, Describe, Encode};

/// Verdicts on calls that no rule matches.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Default, Decode, Describe)]
#[value(default)]
pub struct PermissionTable {
    /// What it is for, in words; decides nothing
    #[value(skip_encoding)]
    pub description: String,
    /// Use of the network
    pub network: NetworkPermission,
    /// Files
    pub filesystem: FilesystemPermission,
    /// Programs
    pub shell: ShellPermission,
    /// Pure work
    pub compute: ComputePermission,
    /// Items of workflows
    pub workflow: WorkflowPermission,
}

/// Use of the network.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Default, Decode, Describe)]
#[value(default)]
pub struct NetworkPermission {
    /// What it is for, in words; decides nothing
    #[value(skip_encoding)]
    pub description: String,
    /// `true`: every use needs approval, listed hosts too; `false` without `allowed_hosts`: none does
    pub requires_approval: Option<bool>,
    /// Hosts that need no approval, others do; `*.example.org` is any below it, `*` any host
    pub allowed_hosts: Vec<String>,
    /// Private and loopback addresses that may be reached at all, such as `127.0.0.1:8080`
    pub allow_private: Vec<String>,
}

/// Use of files.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode, Describe)]
#[value(default)]
pub struct FilesystemPermission {
    /// What it is for, in words; decides nothing
    #[value(skip_encoding)]
    pub description: String,
    /// Whether changes need approval
    pub requires_approval: bool,
    /// Paths of the workspace that are read without approval
    pub allowed_paths: Vec<String>,
}

impl Default for FilesystemPermission {
    fn default() -> Self {
        Self {
            description: String::new(),
            requires_approval: true,
            allowed_paths: vec![".".to_owned()],
        }
    }
}

/// Use of programs.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode, Describe)]
#[value(default)]
pub struct ShellPermission {
    /// What it is for, in words; decides nothing
    #[value(skip_encoding)]
    pub description: String,
    /// Whether running a program needs approval
    pub requires_approval: bool,
}

impl Default for ShellPermission {
    fn default() -> Self {
        Self {
            description: String::new(),
            requires_approval: true,
        }
    }
}

/// Items of workflows: requests, chains of tasks, feedback, locks.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Default, Decode, Describe)]
#[value(default)]
pub struct WorkflowPermission {
    /// What it is for, in words; decides nothing
    #[value(skip_encoding)]
    pub description: String,
    /// Whether transitions need approval; roles and state machines restrict them anyway
    pub requires_approval: bool,
}

/// Pure work.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Default, Decode, Describe)]
#[value(default)]
pub struct ComputePermission {
    /// What it is for, in words; decides nothing
    #[value(skip_encoding)]
    pub description: String,
    /// Whether pure calls need approval
    pub requires_approval: bool,
}
