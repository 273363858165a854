//! The files of a plot: read back, and the same in every run.

use super::{draw, homes};
use plots::PlotScene;

const SPECIFICATION: &str = r#"{"title":"Price & <size> of homes – αβγ","mark":"point","fit":"linear",
    "encoding":{"x":{"field":"area","title":"Area (m²)"},"y":{"field":"price"},"color":{"field":"city"}}}"#;

fn scene() -> PlotScene {
    draw(SPECIFICATION, Some(homes(60))).unwrap()
}

/// A digest of bytes that differs where they do (FNV-1a).
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "with `UPDATE` the test writes its golden file"
)]
fn bytes_are_the_same_on_every_machine() {
    // Taken once; another machine, another order of features or another library shows here.
    let found = [
        fingerprint(scene().to_svg().as_bytes()),
        fingerprint(&scene().to_raster().channels),
        fingerprint(&scene().to_png()),
        fingerprint(&scene().to_pdf()),
        fingerprint(scene().to_html().as_bytes()),
    ];
    let expected: Vec<u64> = include_str!("fingerprints.txt")
        .lines()
        .map(|line| u64::from_str_radix(line, 16).unwrap())
        .collect();
    if std::env::var_os("UPDATE").is_some() {
        let lines: Vec<String> = found.iter().map(|sum| format!("{sum:016x}\n")).collect();
        std::fs::write("tests/fingerprints.txt", lines.concat()).unwrap();
        return;
    }
    assert_eq!(
        found.to_vec(),
        expected,
        "review the pictures, then UPDATE=1"
    );
}

#[test]
fn an_svg_has_its_text_its_font_and_its_names() {
    let svg = scene().to_svg();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(
        svg.contains("role=\"img\"")
            && svg.contains("aria-label=\"Price &amp; &lt;size&gt; of homes – αβγ\"")
    );
    assert!(
        svg.contains("<title>Price &amp; &lt;size&gt; of homes – αβγ</title>")
            && svg.contains("<desc>")
    );
    assert!(svg.contains(">Area (m²)</text>") && svg.contains("url(data:font/ttf;base64,"));
    assert_eq!(svg.matches("<circle").count(), 60 + 4);
    assert_eq!(svg.matches('<').count(), svg.matches('>').count());
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn a_reader_of_xml_finds_every_text_and_point() {
    let scene = scene();
    let svg = scene.to_svg();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let of_name = |name: &'static str| {
        let all = document.root_element().descendants();
        all.filter(move |node| node.has_tag_name(("http://www.w3.org/2000/svg", name)))
    };
    let mut found: Vec<&str> = of_name("text").filter_map(|node| node.text()).collect();
    let mut expected: Vec<&str> = scene.texts().map(|run| run.text.as_str()).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let inside = |node: &roxmltree::Node<'_, '_>| {
        let number = |name| {
            node.attribute(name)
                .and_then(|text| text.parse::<f64>().ok())
        };
        matches!((number("cx"), number("cy")), (Some(x), Some(y)) if (0.0..=720.0).contains(&x) && (0.0..=450.0).contains(&y))
    };
    assert_eq!(of_name("circle").filter(inside).count(), 60 + 4);
}

#[test]
fn a_png_holds_the_pixels() {
    let scene = scene();
    let (raster, png) = (scene.to_raster(), scene.to_png());
    let data = png.windows(4).position(|name| name == b"IDAT").unwrap();
    let length = u32::from_be_bytes(png[data - 4..data].try_into().unwrap()) as usize;
    let rows =
        miniz_oxide::inflate::decompress_to_vec_zlib(&png[data + 4..data + 4 + length]).unwrap();
    let line = 3 * raster.width as usize;
    let mut above = vec![0_u8; line];
    for (row, expected) in rows.chunks(line + 1).zip(raster.channels.chunks(line)) {
        assert_eq!(row[0], 2);
        for (byte, above) in row[1..].iter().zip(&mut above) {
            *above = above.wrapping_add(*byte);
        }
        assert_eq!(above, expected);
    }
    // Corners are background, and somewhere there is a point of the first colour.
    assert_eq!(raster.channels[..3], [255, 255, 255]);
    assert!(
        raster
            .channels
            .chunks(3)
            .any(|pixel| pixel[0] < 60 && pixel[2] > 150)
    );
}

#[test]
fn a_pdf_has_places_that_are_right() {
    let pdf = scene().to_pdf();
    let text = String::from_utf8_lossy(&pdf);
    let start: usize = text
        .rsplit("startxref\n")
        .next()
        .unwrap()
        .lines()
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(pdf[start..].starts_with(b"xref\n0 11\n"));
    let table = String::from_utf8_lossy(&pdf[start..]).into_owned();
    for (number, line) in table.lines().skip(3).take(10).enumerate() {
        let place: usize = line[..10].parse().unwrap();
        assert!(
            pdf[place..].starts_with(format!("{} 0 obj\n", number + 1).as_bytes()),
            "{line}"
        );
    }
}

#[test]
fn a_page_loads_nothing_and_admits_its_own_script_alone() {
    let page = scene().to_html();
    assert!(page.contains("default-src 'none'; script-src 'sha256-"));
    for outside in [
        "http://",
        "https://",
        "src=\"",
        "javascript:",
        "onclick",
        "style=\"",
    ] {
        let found = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!found.contains(outside), "{outside}");
    }
    assert!(
        page.contains("<html lang=\"en\">")
            && page.contains("<figcaption>Price &amp; &lt;size&gt;")
    );
    // One point that tells its values for each of the rows, and those of the fitted lines.
    assert!(page.matches("Area (m\u{b2}): ").count() >= 60);
}

#[test]
fn a_description_has_marks_axes_ranges_extremes_and_trend() {
    let words = scene().description;
    for part in [
        "Scatter plot of price over Area (m²)",
        "coloured by city (Graz, Lyon, Malmö, Porto)",
        "60 rows",
        "The x axis shows Area (m²) from 3",
        "lowest",
        "highest",
        "R² = 0.",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
}

#[test]
fn a_plot_in_characters_has_its_size() {
    let reading = plots::read_specification(&super::json(SPECIFICATION), Some(homes(60))).unwrap();
    let drawing = plots::PreparedDrawing::new(&reading.specification).unwrap();
    for (width, height) in [(10, 2), (40, 8), (80, 16), (200, 50)] {
        let text = drawing.to_text(width, height);
        assert!(
            text.lines().all(|line| line.chars().count() <= width),
            "{width}\n{text}"
        );
        assert!(text.lines().count() >= height + 2, "{text}");
    }
    let text = drawing.to_text(80, 16);
    assert!(
        text.contains("o Graz   x Lyon   + Malmö   * Porto") && text.contains("Area (m²)"),
        "{text}"
    );
}
