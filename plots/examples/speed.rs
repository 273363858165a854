//! How long plots of many points take: `cargo run --release -p plots --example speed`.
//!
//! Each figure is the least processor time of five (of Linux; elsewhere the time of a clock): reading of the specification, statistics and
//! layout, or the pixels and the file.
#![expect(clippy::print_stdout, reason = "a program for a terminal")]
#![expect(
    clippy::disallowed_methods,
    reason = "the processor time of a process is in a file"
)]

use std::sync::Arc;
use std::time::Instant;

use plots::{DataTable, PlotColumn, PreparedDrawing, read_specification_text};

fn table(rows: usize) -> Arc<DataTable> {
    let mut state = 7_u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(u32::MAX >> 1)
    };
    let x: Vec<f64> = (0..rows).map(|row| row as f64).collect();
    let mut level = 0.0;
    let walk: Vec<f64> = (0..rows)
        .map(|_| {
            level += random() - 0.5;
            level
        })
        .collect();
    let cloud: Vec<f64> = walk
        .iter()
        .map(|_| random() + random() + random())
        .collect();
    let columns = vec![
        PlotColumn::of_numbers("x", x),
        PlotColumn::of_numbers("walk", walk),
        PlotColumn::of_numbers("cloud", cloud),
    ];
    Arc::new(DataTable::new(columns).expect("columns of one length"))
}

/// Milliseconds of processor time of this process, which has one thread.
fn processor_ms(start: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text
        .split(' ')
        .next()
        .and_then(|first| first.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64() * 1e3, |time| time / 1e6)
}

fn time<T>(name: &str, work: impl Fn() -> T) {
    let fastest = (0..5)
        .map(|_| {
            let begin = Instant::now();
            let start = processor_ms(begin);
            std::hint::black_box(work());
            processor_ms(begin) - start
        })
        .min_by(f64::total_cmp)
        .unwrap_or_default();
    println!("{name:<48} {fastest:>8.1} ms");
}

fn main() {
    for rows in [1_000_000, 10_000_000] {
        let data = table(rows);
        for (mark, y) in [("line", "walk"), ("point", "cloud"), ("histogram", "")] {
            let y = if y.is_empty() {
                String::new()
            } else {
                format!(r#","y":{{"field":"{y}"}}"#)
            };
            let x = if mark == "histogram" { "cloud" } else { "x" };
            let text = format!(
                r#"{{"mark":"{mark}","encoding":{{"x":{{"field":"{x}"}}{y}}},"width":1600,"height":1000}}"#
            );
            let scene = || {
                let reading = read_specification_text(&text, Some(Arc::clone(&data)));
                PreparedDrawing::new(&reading.expect("it reads").specification)
                    .expect("it draws")
                    .scene()
            };
            time(&format!("{mark} of {rows}: scene"), scene);
            if rows == 1_000_000 {
                let drawn = scene();
                time(&format!("{mark} of {rows}: pixels, 1600 x 1000"), || {
                    drawn.to_raster()
                });
                time(&format!("{mark} of {rows}: PNG, 1600 x 1000"), || {
                    drawn.to_png()
                });
                println!("{:<48} {:>8} bytes", "", drawn.to_png().len());
            }
        }
    }
}
