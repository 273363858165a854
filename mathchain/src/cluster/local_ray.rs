//! The Ray of this machine, which runs of the engine `ray` use where no cluster is named: started, shown and ended by the package in Python.

use registry::model::RayConfig;
use tool_core::{Result, Value, json, tool_error};

use super::driver::{python_command, unstartable};
use super::ray::{check_address, failure, interpreter};

/// What is done with a Ray.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum RayCommand {
    /// It is started on this machine, where none runs; with so many slots, all processors where absent.
    Up(Option<u16>),
    /// Its nodes are shown: those of this address, else of the configured cluster, else of the Ray of this machine.
    #[default]
    Status,
    /// The one of this machine is ended, if `Up` or a run started it.
    Down,
}

/// Starts, shows or ends a Ray with the configured interpreter; gives what the package says of it.
///
/// # Errors
/// `precondition_failed` with reason `ray` where there is no interpreter, no package `mathchain[ray]`, or where no Ray answers; `invalid_args` for
/// an invalid address.
pub fn run_ray_command(command: &RayCommand, config: &RayConfig) -> Result<Value> {
    let verb = match command {
        RayCommand::Up(_) => "up",
        RayCommand::Status => "status",
        RayCommand::Down => "down",
    };
    let mut words: Vec<String> = ["-m", "mathchain.ray", verb, "--json"]
        .map(str::to_owned)
        .into();
    if let RayCommand::Up(slots) = command {
        let slots = slots.map(u64::from).or(config.slots);
        words.extend(slots.map(|slots| format!("--slots={slots}")));
    }
    if let (RayCommand::Status, Some(address)) = (command, &config.address) {
        check_address(address)?;
        words.push(format!("--address={address}"));
    }
    let python = interpreter(config);
    let ended = python_command(&python, &words)
        .output()
        .map_err(|err| unstartable(&python, &err))?;
    let said = String::from_utf8_lossy(&ended.stdout);
    let line = said.lines().rfind(|line| line.starts_with('{'));
    let answer = line.and_then(|line| json::parse_json(line, json::JsonLimits::default()).ok());
    let Some(answer) = answer else {
        let stderr = String::from_utf8_lossy(&ended.stderr);
        let last = stderr.lines().rfind(|line| !line.trim().is_empty());
        let last = last.map(|line| format!(": {}", line.trim()));
        let last = last.unwrap_or_default();
        return Err(tool_error!(PreconditionFailed, "ray";
            "`{} -m mathchain.ray {verb}` gave no answer ({}){last}", python.display(), ended.status;
            "`pip install 'mathchain[ray]'` into the interpreter that `python` in `[cluster.ray]` names"));
    };
    match answer.text("error") {
        Some(why) => Err(failure(why, answer.text("hint").map(str::to_owned))),
        None => Ok(answer),
    }
}
