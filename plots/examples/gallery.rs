//! Draws the specifications of a folder: `cargo run -p plots --example gallery -- docs/gallery`.
//!
//! Beside each `NAME.json` it writes `NAME.svg`. With a second folder it writes into that one, files of all kinds and
//! `NAME.scene.json`, which `docs/gallery/compare` and `plots/tests/read_back.py` read: panels, texts and marks of the display list, in pixels.
#![expect(clippy::print_stdout, reason = "a program for a terminal")]
#![expect(
    clippy::disallowed_methods,
    reason = "a program reads and writes files"
)]

use std::error::Error;
use std::path::{Path, PathBuf};

use plots::{
    PathStep, PlotScene, PreparedDrawing, SceneBox, SceneItem, TextAnchor, read_specification_text,
};
use serde_json::{Value as Json, json};

fn box_of(place: &SceneBox) -> Json {
    json!([place.left, place.top, place.width, place.height])
}

fn item_of(item: &SceneItem) -> Option<Json> {
    Some(match item {
        SceneItem::Rectangle { place, .. } => json!({"rectangle": box_of(place)}),
        SceneItem::Path { steps, fill, .. } => {
            let points: Vec<[f64; 2]> = steps
                .iter()
                .filter_map(|step| match *step {
                    PathStep::Move(x, y) | PathStep::Line(x, y) => Some([x, y]),
                    PathStep::Close => None,
                })
                .collect();
            json!({"path": points, "is_filled": fill.is_some()})
        }
        SceneItem::Points(cloud) => json!({"points": cloud.centres}),
        SceneItem::Text(run) => json!({
            "text": run.text, "role": format!("{:?}", run.role), "place": [run.x, run.y], "box": box_of(&run.bounds()),
            "anchor": match run.anchor { TextAnchor::Start => "start", TextAnchor::Middle => "middle", TextAnchor::End => "end" },
        }),
        SceneItem::Clip(_) | SceneItem::EndClip => return None,
    })
}

fn scene_of(scene: &PlotScene, ignored: &[String]) -> Json {
    let items: Vec<Json> = scene.items.iter().filter_map(item_of).collect();
    let panels: Vec<Json> = scene.panels.iter().map(box_of).collect();
    json!({"panels": panels, "items": items, "ignored": ignored, "dropped": scene.dropped_texts, "description": scene.description})
}

fn draw_file(path: &Path, into: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let reading = read_specification_text(&std::fs::read_to_string(path)?, None)?;
    let drawing = PreparedDrawing::new(&reading.specification)?;
    let scene = drawing.scene();
    let beside = |ending: &str| -> PathBuf {
        let name = path.with_extension(ending);
        match (into, name.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => name,
        }
    };
    let svg = scene.to_svg();
    std::fs::write(beside("svg"), &svg)?;
    if into.is_some() {
        std::fs::write(beside("png"), scene.to_png())?;
        std::fs::write(beside("pdf"), scene.to_pdf())?;
        std::fs::write(beside("html"), scene.to_html())?;
        let text = scene_of(&scene, &reading.ignored).to_string();
        std::fs::write(beside("scene.json"), text)?;
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    println!(
        "{name}: {} bytes of SVG, {} texts without room, ignored {:?}",
        svg.len(),
        scene.dropped_texts,
        reading.ignored
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().unwrap_or_else(|| "docs/gallery".into());
    let into = arguments.next();
    if let Some(into) = &into {
        std::fs::create_dir_all(into)?;
    }
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    for path in &paths {
        draw_file(path, into.as_deref()).map_err(|err| format!("{}: {err}", path.display()))?;
    }
    Ok(())
}
