//! Calls and faults of tools, for the tests of many.

use tool_core::{Ctx, ErrorCode, Tool, ToolError, convert, json};

/// Calls a tool with arguments as JSON.
pub(crate) fn run_in<T: Tool>(args: &str, ctx: &Ctx) -> Result<T::Output, ToolError> {
    let value = json::parse_json(args, json::JsonLimits::default()).expect("JSON");
    let args = convert::from_value(&value)
        .map_err(|problem| ToolError::invalid(problem.path, problem.message))?;
    T::run(args, ctx)
}

/// As [`run_in`], without capabilities.
pub(crate) fn run<T: Tool>(args: &str) -> Result<T::Output, ToolError> {
    run_in::<T>(args, &Ctx::default())
}

/// As [`run`], with the warnings of the call.
pub(crate) fn run_warned<T: Tool>(args: &str) -> Result<(T::Output, String), ToolError> {
    let ctx = Ctx::default();
    Ok((run_in::<T>(args, &ctx)?, ctx.take_warnings().join("\n")))
}

/// Each of these calls is refused for the argument at the path, with the words.
pub(crate) fn assert_refused<T: Tool>(calls: &[(impl AsRef<str>, &str, &str)]) {
    for (args, path, words) in calls {
        let args = args.as_ref();
        let answer = run::<T>(args);
        let error = answer
            .err()
            .unwrap_or_else(|| panic!("{args} was accepted"));
        assert_eq!(
            (error.code(), error.path()),
            (ErrorCode::InvalidArgs, Some(*path)),
            "{args}: {error:?}"
        );
        assert!(error.message().contains(words), "{args}: {error:?}");
    }
}
