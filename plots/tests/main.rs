//! Plots from specification to file.

mod bad_input;
mod composition;
mod files;
mod overlaps;
mod reading;

use std::sync::Arc;

use plots::{DataTable, PlotColumn, PlotError, PlotScene, PreparedDrawing, read_specification};
use serde_json::Value as Json;

/// A table of homes that is the same in every run.
fn homes(rows: usize) -> Arc<DataTable> {
    let numbers = |seed: u64, low: f64, high: f64| -> Vec<f64> {
        let mut state = seed;
        (0..rows)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                low + (high - low) * ((state >> 33) as f64 / f64::from(u32::MAX >> 1))
            })
            .collect()
    };
    let area = numbers(1, 30.0, 200.0);
    let noise = numbers(2, -60.0, 60.0);
    let price: Vec<f64> = area
        .iter()
        .zip(&noise)
        .map(|(area, noise)| 4.0 * area + noise + 50.0)
        .collect();
    let cities = ["Lyon", "Porto", "Graz", "Malmö"];
    let city = (0..rows).map(|row| Some(cities[row % 4]));
    let dates: Vec<String> = (0..rows)
        .map(|row| format!("{}-{:02}-{:02}", 2021 + row % 4, 1 + row % 12, 1 + row % 28))
        .collect();
    let columns = vec![
        PlotColumn::of_numbers("area", area),
        PlotColumn::of_numbers("price", price),
        PlotColumn::of_texts("city", city),
        PlotColumn::of_texts("sold", dates.iter().map(|date| Some(date.as_str()))),
        PlotColumn::of_numbers(
            "rooms",
            (0..rows)
                .map(|row| (1 + row % 6) as f64)
                .collect::<Vec<_>>(),
        ),
    ];
    Arc::new(DataTable::new(columns).unwrap())
}

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

fn draw(text: &str, data: Option<Arc<DataTable>>) -> Result<PlotScene, PlotError> {
    let reading = read_specification(&json(text), data)?;
    Ok(PreparedDrawing::new(&reading.specification)?.scene())
}

/// The pairs of texts that overlap.
fn overlaps(scene: &PlotScene) -> Vec<(String, String)> {
    let runs: Vec<_> = scene.texts().collect();
    let mut found = Vec::new();
    for (index, one) in runs.iter().enumerate() {
        for other in &runs[index + 1..] {
            if one.bounds().overlaps(&other.bounds()) {
                found.push((one.text.clone(), other.text.clone()));
            }
        }
    }
    found
}
