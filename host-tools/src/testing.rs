//! Shared helpers of the tests.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use tool_core::capability::{Alarm, Clock, State};
use tool_core::{Ctx, Entry, StopFlag, ToolError, Value, json};

/// A clock with a fixed time.
pub(crate) struct Fixed(pub(crate) u64);

struct Silent;

impl Alarm for Silent {}

impl Clock for Fixed {
    fn unix_ms(&self) -> u64 {
        self.0
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }

    fn alarm(&self, _: Duration, _: StopFlag) -> Box<dyn Alarm> {
        Box::new(Silent)
    }
}

/// State in memory.
#[derive(Default)]
pub(crate) struct Memory(Mutex<BTreeMap<String, Value>>);

impl State for Memory {
    fn get(&self, key: &str) -> Result<Option<Value>, ToolError> {
        Ok(self.0.lock().unwrap().get(key).cloned())
    }

    fn update(
        &self,
        key: &str,
        change: &mut dyn FnMut(Option<Value>) -> Result<Value, ToolError>,
    ) -> Result<Value, ToolError> {
        let mut values = self.0.lock().unwrap();
        let value = change(values.get(key).cloned())?;
        values.insert(key.to_owned(), value.clone());
        Ok(value)
    }
}

/// Calls a tool of a family.
pub(crate) fn call(
    family: &[Entry],
    ctx: &Ctx,
    tool: &str,
    args: &str,
) -> Result<Value, ToolError> {
    let args = json::parse(args, json::Limits::default()).unwrap();
    let found = family
        .iter()
        .map(|entry| entry.tool())
        .find(|found| found.spec().id == tool);
    found.unwrap().decode(&args)?.run(ctx)
}
