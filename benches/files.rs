//! Reading, refusing and unpacking, in milliseconds; unpacking beside `tar` and `unzip`, which are run by name.
//!
//!     cargo bench -p benches --bench files

#![allow(clippy::print_stdout, reason = "figures are what it is for")]

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use host_sandbox::Workspace;
use tool_core::{CallBudget, Capabilities, Ctx, StopFlag, Value, json};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let files = Workspace::open(root).expect("a workspace");
    // One context serves all calls, and counts what each of them sets aside.
    let budget = CallBudget {
        memory_bytes: u64::MAX / 2,
        ..CallBudget::default()
    };
    let ctx = Ctx::new(StopFlag::new(), budget).with_capabilities(Capabilities {
        files: Some(Arc::new(files)),
        ..Capabilities::default()
    });
    let text = "a line of text, about sixty characters long, more or less\n";
    put(root, "text", text.repeat((1 << 20) / text.len()).as_bytes());
    report(
        "read a file of 1 MB",
        median(200, || {
            drop(call(
                &ctx,
                "read_file",
                r#"{"path":"text","max_bytes":2000000}"#,
            ))
        }),
    );
    report(
        "refuse a path",
        median(1000, || {
            let refused = try_call(&ctx, "read_file", r#"{"path":"a/../../outside"}"#);
            assert!(refused.is_err());
        }),
    );
    tree(root);
    for format in ["zip", "tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst"] {
        let args = format!(r#"{{"path":"a.{format}","from":"tree"}}"#);
        let start = Instant::now();
        drop(call(&ctx, "archive_create", &args));
        report(
            &format!("pack {format}"),
            start.elapsed().as_secs_f64() * 1e3,
        );
        let archive = root.join(format!("a.{format}"));
        let ours = best(7, root, || {
            drop(call(
                &ctx,
                "archive_extract",
                &format!(r#"{{"path":"a.{format}","to":"out"}}"#),
            ));
        });
        let theirs = best(7, root, || {
            std::fs::create_dir(root.join("out")).expect("a folder");
            let mut command = if format == "zip" {
                let mut unzip = Command::new("unzip");
                unzip
                    .arg("-q")
                    .arg(&archive)
                    .arg("-d")
                    .arg(root.join("out"));
                unzip
            } else {
                let mut tar = Command::new("tar");
                tar.arg("-xf").arg(&archive).arg("-C").arg(root.join("out"));
                tar
            };
            let status = command
                .stdin(Stdio::null())
                .status()
                .expect("tar and unzip are there");
            assert!(status.success());
        });
        println!(
            "unpack {format:<8} {ours:8.1} ms, beside {theirs:8.1} ms: {:.2}",
            ours / theirs
        );
    }
}

fn try_call(ctx: &Ctx, tool: &str, args: &str) -> Result<Value, tool_core::ToolError> {
    let args = json::parse_json(args, json::JsonLimits::default()).expect("JSON");
    let families = host_tools::FAMILIES.iter().copied().flatten();
    let found = families
        .map(|entry| entry.tool())
        .find(|found| found.spec().id == tool);
    found.expect("the tool").decode(&args)?.run(ctx)
}

fn call(ctx: &Ctx, tool: &str, args: &str) -> Value {
    try_call(ctx, tool, args).unwrap_or_else(|err| panic!("{err:?}"))
}

/// 1000 small files and some large ones, 64 MB in all: half text, half noise.
fn tree(root: &Path) {
    let mut noise = vec![0; 8 << 20];
    File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut noise))
        .expect("noise");
    for index in 0..1000 {
        let content = format!("file {index}\n").repeat(400);
        put(
            root,
            &format!("tree/{}/{index}.txt", index % 20),
            content.as_bytes(),
        );
    }
    for index in 0..4 {
        let words: String = (0..600_000)
            .map(|n: u64| format!("{:x} ", n.wrapping_mul(0x9e37_79b9_7f4a_7c15 + index) >> 44))
            .collect();
        put(root, &format!("tree/words{index}.txt"), words.as_bytes());
        put(root, &format!("tree/noise{index}.bin"), &noise);
    }
}

fn put(root: &Path, path: &str, content: &[u8]) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    File::create(path)
        .and_then(|mut file| file.write_all(content))
        .expect("a file");
}

fn report(what: &str, ms: f64) {
    println!("{what:<24} {ms:8.3} ms");
}

fn median(count: usize, mut run: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..count)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[count / 2]
}

/// The quickest of some runs that each make `out`.
fn best(count: usize, root: &Path, mut run: impl FnMut()) -> f64 {
    (0..count)
        .map(|_| {
            let start = Instant::now();
            run();
            let ms = start.elapsed().as_secs_f64() * 1e3;
            std::fs::remove_dir_all(root.join("out")).expect("removes");
            ms
        })
        .fold(f64::INFINITY, f64::min)
}
