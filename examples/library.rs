//! The toolkit as a library: a call as a narrowed role, and what the policy says.

#![expect(clippy::print_stdout, reason = "an example prints")]

use mathchain::{Context, Layer, ToolError, Toolkit, parse};

fn main() -> Result<(), ToolError> {
    let toolkit = Toolkit::builder().build()?;
    let math = Context::default()
        .role("worker_math")
        .narrow(Layer::read_only());
    let answer = toolkit.call_with(
        &math,
        "matrix_solve",
        &parse(r#"{"A":[[3,1],[1,2]],"b":[9,8]}"#)?,
    );
    println!("{}", answer.to_value());
    let why = toolkit.explain(&math, "write_file", None)?;
    println!("write_file as worker_math: {}", why.decision.reason);
    Ok(())
}
