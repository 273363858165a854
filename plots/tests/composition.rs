//! Several plots in one picture: texts apart, panels that line up, places within the picture.

use super::{json, overlaps};
use plots::{
    CompositionPart, CompositionReading, PartPlace, PictureReading, PlotComposition, PlotError,
    PlotTheme, PreparedDrawing, read_picture, read_specification,
};

fn part(text: &str, place: PartPlace) -> CompositionPart {
    CompositionPart {
        specification: read_specification(&json(text), None).unwrap().specification,
        place,
    }
}

fn picture(parts: Vec<CompositionPart>, width: u32, height: u32) -> PlotComposition {
    PlotComposition {
        title: "A title above all parts".to_owned(),
        subtitle: "and a line below it".to_owned(),
        width,
        height,
        theme: PlotTheme::Light,
        parts,
    }
}

const WIDE: &str = r#"{"data":{"values":[{"x":1,"y":1000000},{"x":2,"y":3000000}]},"mark":"line","encoding":{"x":{"field":"x"},"y":{"field":"y"}}}"#;
const NARROW: &str = r#"{"data":{"values":[{"x":1,"y":1},{"x":2,"y":3}]},"mark":"bar","encoding":{"x":{"field":"x"},"y":{"field":"y"},
    "color":{"field":"y","type":"nominal","title":"a legend"}}}"#;

#[test]
fn panels_of_parts_line_up() {
    let parts = vec![
        part(WIDE, PartPlace::of_cell(0, 2, 0, 1)),
        part(NARROW, PartPlace::of_cell(1, 2, 0, 1)),
    ];
    let drawing = PreparedDrawing::compose(&picture(parts, 600, 600)).unwrap();
    let scene = drawing.scene();
    let [above, below] = scene.panels[..] else {
        panic!("{:?}", scene.panels);
    };
    assert!(
        (above.left - below.left).abs() < 1e-9,
        "{above:?} {below:?}"
    );
    assert!(
        (above.width - below.width).abs() < 1e-9,
        "{above:?} {below:?}"
    );
    assert!(above.top + above.height < below.top);
    let alone = part(NARROW, PartPlace::of_cell(0, 1, 0, 1)).specification;
    let alone = PreparedDrawing::new(&alone).unwrap().scene();
    assert!(
        alone.panels[0].left < below.left,
        "the labels of the other part are wider"
    );
    assert!(
        drawing
            .description()
            .contains("2 plots. Line chart of y over x")
    );
    let words = drawing.to_text(80, 20);
    assert!(words.starts_with("A title above all parts\n"), "{words}");
    assert!(
        words.lines().all(|line| line.chars().count() <= 80),
        "{words}"
    );
}

#[test]
fn texts_of_parts_are_apart_in_every_size() {
    for (width, height) in [
        (1, 1),
        (60, 40),
        (200, 150),
        (480, 360),
        (960, 420),
        (1600, 1000),
    ] {
        for (rows, columns) in [(1, 1), (1, 2), (2, 1), (2, 3), (4, 4)] {
            let parts = (0..rows * columns).map(|cell| {
                let text = if cell % 2 == 0 { WIDE } else { NARROW };
                part(
                    text,
                    PartPlace::of_cell(cell / columns, rows, cell % columns, columns),
                )
            });
            let drawing = PreparedDrawing::compose(&picture(parts.collect(), width, height));
            let scene = drawing.unwrap().scene();
            assert_eq!(
                overlaps(&scene),
                [],
                "{width} x {height}, {rows} x {columns}"
            );
            assert_eq!(scene.panels.len(), rows * columns);
            for panel in &scene.panels {
                assert!(panel.left >= 0.0 && panel.left + panel.width <= f64::from(width) + 1e-6);
                assert!(panel.top >= 0.0 && panel.top + panel.height <= f64::from(height) + 1e-6);
            }
            let _ = (
                scene.to_svg(),
                scene.to_pdf(),
                scene.to_png(),
                scene.to_html(),
            );
        }
    }
}

#[test]
fn what_cannot_be_composed_is_an_error() {
    let none = PreparedDrawing::compose(&picture(Vec::new(), 100, 100)).unwrap_err();
    assert!(matches!(none, PlotError::TooMany { .. }));
    let one = || vec![part(WIDE, PartPlace::of_cell(0, 1, 0, 1))];
    let large = PreparedDrawing::compose(&picture(one(), 5000, 100)).unwrap_err();
    assert_eq!(large.place(), "/width");
    let small = PreparedDrawing::compose(&picture(one(), 100, 0)).unwrap_err();
    assert_eq!(small.place(), "/height");
}

fn composed(text: &str) -> CompositionReading {
    match read_picture(&json(text), Some(super::homes(60))).unwrap() {
        PictureReading::Composition(reading) => reading,
        PictureReading::Plot(plot) => panic!("{plot:?}"),
    }
}

const AREA: &str = r#"{"mark":"point","encoding":{"x":{"field":"area"},"y":{"field":"price"}}}"#;

/// Vega-Lite's own example of a composition: two plots below each other, of which the upper has two beside each other.
#[test]
fn concatenations_are_placed_as_they_are_written() {
    let reading = composed(&format!(
        r#"{{"title":"Homes","vconcat":[{{"hconcat":[{AREA},{{"width":720,"mark":"bar","encoding":{{"x":{{"field":"city"}},"y":{{"aggregate":"count"}}}}}}]}},{AREA}],"spacing":3}}"#
    ));
    let picture = &reading.composition;
    assert_eq!((picture.width, picture.height), (1080, 600));
    assert_eq!((picture.title.as_str(), picture.parts.len()), ("Homes", 3));
    let places: Vec<[f64; 4]> = picture
        .parts
        .iter()
        .map(|part| {
            [
                part.place.left,
                part.place.top,
                part.place.width,
                part.place.height,
            ]
        })
        .collect();
    // 360 and 720 of 1080 across, 300 of 600 down; the plot below keeps its own width.
    let third = 1.0 / 3.0;
    let expected = [
        [0.0, 0.0, third, 0.5],
        [third, 0.0, 2.0 * third, 0.5],
        [0.0, 0.5, third, 0.5],
    ];
    for (found, expected) in places.iter().flatten().zip(expected.iter().flatten()) {
        assert!((found - expected).abs() < 1e-12, "{places:?}");
    }
    assert_eq!(reading.ignored, ["/spacing"]);
    let scene = PreparedDrawing::compose(picture).unwrap().scene();
    assert_eq!(overlaps(&scene), []);
    let wrapped = composed(&format!(
        r#"{{"concat":[{AREA},{AREA},{AREA}],"columns":2}}"#
    ));
    let parts = &wrapped.composition.parts;
    assert_eq!(
        (wrapped.composition.width, wrapped.composition.height),
        (720, 600)
    );
    assert!((parts[2].place.left, parts[2].place.top) == (0.0, 0.5));
}

#[test]
fn faults_of_parts_are_told_at_their_place() {
    let read = |text: &str| read_picture(&json(text), Some(super::homes(9)));
    for (text, place) in [
        (r#"{"hconcat":[]}"#, "/hconcat"),
        (r#"{"hconcat":{"mark":"bar"}}"#, "/hconcat"),
        (r#"{"vconcat":[{"mark":"blob"}]}"#, "/vconcat/0/mark"),
        (r#"{"hconcat":[{"vconcat":[3]}]}"#, "/hconcat/0/vconcat/0"),
    ] {
        assert_eq!(read(text).unwrap_err().place(), place, "{text}");
    }
    let deep = (0..12).fold(AREA.to_owned(), |inner, _| {
        format!(r#"{{"hconcat":[{inner}]}}"#)
    });
    assert!(matches!(
        read(&deep).unwrap_err(),
        PlotError::TooMany { .. }
    ));
    let many = format!(r#"{{"concat":[{}]}}"#, [AREA; 101].join(","));
    assert!(matches!(
        read(&many).unwrap_err(),
        PlotError::TooMany { most: 100, .. }
    ));
    // A field that is not there is found when the part is prepared.
    let unknown = composed(r#"{"hconcat":[{"mark":"point","encoding":{"x":{"field":"areas"}}}]}"#);
    let err = PreparedDrawing::compose(&unknown.composition).unwrap_err();
    assert!(err.place().starts_with("/hconcat/0/"), "{err:?}");
    // Large pictures keep their shape.
    let wide = composed(&format!(r#"{{"hconcat":[{}]}}"#, [AREA; 20].join(",")));
    assert_eq!(
        (wide.composition.width, wide.composition.height),
        (4096, 170)
    );
}
