//! [`LocalAgentHost`]: the files, variables and folders of this machine.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use agents::{AgentExchange, AgentFileText, AgentHost, MovedFile};
use tool_core::{Result, tool_error};

use super::border::WorkspaceBorder;
use super::exchange::PipeExchange;
use crate::{environment, io};

/// Folder below the state for what agents left in the workspace and must not.
const ASIDE: &str = "set-aside";

/// This machine.
pub(super) struct LocalAgentHost {
    border: WorkspaceBorder,
}

impl LocalAgentHost {
    /// The machine for a project with these protected paths and this state folder.
    pub(super) fn new(protected: Vec<PathBuf>, state: &Path) -> Self {
        Self {
            border: WorkspaceBorder {
                protected,
                aside: state.join(ASIDE),
            },
        }
    }
}

impl AgentHost for LocalAgentHost {
    fn open_exchange(&self) -> Result<Box<dyn AgentExchange>> {
        Ok(Box::new(PipeExchange::make()?))
    }

    fn variable_names(&self) -> Vec<String> {
        environment::variable_names()
    }

    fn variable(&self, name: &str) -> Option<String> {
        environment::read_variable(name)
    }

    fn has_home_file(&self, path: &str) -> bool {
        environment::home_folder().is_some_and(|home| home.join(path).is_file())
    }

    fn read_home_file(&self, path: &str, bytes_max: u64) -> Result<Vec<u8>> {
        let path = environment::home_folder().unwrap_or_default().join(path);
        let mut content = Vec::new();
        let read = std::fs::File::open(&path)
            .and_then(|file| file.take(bytes_max + 1).read_to_end(&mut content));
        read.map_err(|err| io::cannot_read(path.display(), &err))?;
        if content.len() as u64 > bytes_max {
            return Err(
                tool_error!(LimitExceeded; "`{}` has more than {bytes_max} bytes", path.display()),
            );
        }
        Ok(content)
    }

    fn read_text(&self, path: &Path) -> Result<String> {
        environment::read_named(path)
    }

    fn agent_files(&self, project: &Path) -> Result<Vec<AgentFileText>> {
        let texts = environment::agent_texts(project)?.into_iter();
        let text = |file: environment::AgentText| AgentFileText {
            path: file.path,
            text: file.text,
        };
        Ok(texts.map(text).collect())
    }

    fn protected_files(&self, workspace: &Path) -> BTreeSet<PathBuf> {
        self.border.protected_files(workspace)
    }

    fn set_aside(&self, workspace: &Path, before: &BTreeSet<PathBuf>) -> Vec<MovedFile> {
        self.border.set_aside(workspace, before)
    }
}
