//! A display list as a PDF file of one page, with the glyphs it needs and their characters, so that its text can be searched and copied.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::svg::glyphs_of;
use crate::colour::PlotColour;
use crate::font::{ASCENT, CAP_HEIGHT, DESCENT, FONT, text_width};
use crate::scene::{
    PathStep, PlotScene, PointCloud, PointShape, SINGLE_MAX, SceneBox, SceneItem, SceneStroke,
    TextAnchor, TextRun,
};

/// Points of a page for a pixel of a picture.
const POINTS_PER_PIXEL: f64 = 0.75;

/// The distance of the control points of a quarter of a circle.
const QUARTER: f64 = 0.552_284_749_8;

/// Distance of one font unit's thousandth: widths in files are thousandths of the size.
const THOUSAND: f64 = 1000.0;

/// The page as it is written.
#[derive(Default)]
struct PageContent {
    text: String,
    /// Opacities in use, each a resource of the page.
    opacities: BTreeSet<u8>,
    /// The colours and the width that are set.
    fill: Option<PlotColour>,
    stroke: Option<SceneStroke>,
    opacity: u8,
}

impl PageContent {
    fn number(&mut self, value: f64) {
        let mut text = String::new();
        short(&mut text, value);
        self.text.push_str(&text);
        self.text.push(' ');
    }

    fn numbers(&mut self, values: &[f64], operator: &str) {
        for value in values {
            self.number(*value);
        }
        self.text.push_str(operator);
        self.text.push('\n');
    }

    fn set_opacity(&mut self, alpha: u8) {
        if self.opacity != alpha {
            self.opacity = alpha;
            self.opacities.insert(alpha);
            let _ = writeln!(self.text, "/A{alpha} gs");
        }
    }

    fn set_fill(&mut self, colour: PlotColour) {
        self.set_opacity(colour.alpha);
        if self.fill != Some(colour) {
            self.fill = Some(colour);
            self.numbers(
                &colour.channels.map(|channel| f64::from(channel) / 255.0),
                "rg",
            );
        }
    }

    fn set_stroke(&mut self, stroke: &SceneStroke) {
        self.set_opacity(stroke.colour.alpha);
        if self.stroke.as_ref() == Some(stroke) {
            return;
        }
        self.numbers(
            &stroke
                .colour
                .channels
                .map(|channel| f64::from(channel) / 255.0),
            "RG",
        );
        self.numbers(&[stroke.width], "w");
        self.text.push('[');
        for length in &stroke.dashes {
            self.number(*length);
        }
        self.text.push_str("] 0 d\n");
        self.stroke = Some(stroke.clone());
    }

    /// Paints the path that `add` writes: filled, then outlined, each with its own opacity.
    fn paint(
        &mut self,
        fill: Option<PlotColour>,
        stroke: Option<&SceneStroke>,
        add: impl Fn(&mut Self),
    ) {
        if let Some(fill) = fill {
            self.set_fill(fill);
            add(self);
            self.text.push_str("f\n");
        }
        if let Some(stroke) = stroke {
            self.set_stroke(stroke);
            add(self);
            self.text.push_str("S\n");
        }
    }

    fn add_steps(&mut self, steps: &[PathStep]) {
        for step in steps {
            match step {
                PathStep::Move(x, y) => self.numbers(&[*x, *y], "m"),
                PathStep::Line(x, y) => self.numbers(&[*x, *y], "l"),
                PathStep::Close => self.text.push_str("h\n"),
            }
        }
    }

    fn add_box(&mut self, place: &SceneBox) {
        self.numbers(&[place.left, place.top, place.width, place.height], "re");
    }

    fn add_circle(&mut self, x: f64, y: f64, radius: f64) {
        let away = QUARTER * radius;
        self.numbers(&[x + radius, y], "m");
        for (sx, sy) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)] {
            // From one axis to the next.
            let (from, to) = if sx * sy > 0.0 {
                ((sx * radius, 0.0), (0.0, sy * radius))
            } else {
                ((0.0, sy * radius), (sx * radius, 0.0))
            };
            let control = |end: (f64, f64)| {
                if end.1 == 0.0 {
                    (end.0, sy * away)
                } else {
                    (sx * away, end.1)
                }
            };
            let (a, b) = (control(from), control(to));
            self.numbers(
                &[x + a.0, y + a.1, x + b.0, y + b.1, x + to.0, y + to.1],
                "c",
            );
        }
        self.text.push_str("h\n");
    }

    fn points(&mut self, cloud: &PointCloud) {
        if cloud.shape == PointShape::Circle
            && cloud.stroke.is_none()
            && cloud.centres.len() > SINGLE_MAX
        {
            let Some(fill) = cloud.fill else {
                return;
            };
            self.set_stroke(&SceneStroke::plain(fill, 2.0 * cloud.radius));
            self.text.push_str("1 J\n");
            for (x, y, length) in cloud.runs() {
                self.numbers(&[x, y], "m");
                self.numbers(&[x + f64::from(length), y], "l");
            }
            self.text.push_str("S\n0 J\n");
            return;
        }
        for [x, y] in &cloud.centres {
            let (x, y) = (f64::from(*x), f64::from(*y));
            self.paint(cloud.fill, cloud.stroke.as_ref(), |page| {
                match cloud.shape {
                    PointShape::Circle => page.add_circle(x, y, cloud.radius),
                    shape => {
                        for (index, (dx, dy)) in shape.corners().iter().enumerate() {
                            page.numbers(
                                &[x + dx * cloud.radius, y + dy * cloud.radius],
                                if index == 0 { "m" } else { "l" },
                            );
                        }
                        page.text.push_str("h\n");
                    }
                }
            });
        }
    }

    fn text(&mut self, run: &TextRun) {
        self.set_fill(run.colour);
        let length = text_width(&run.text, run.size);
        let before = match run.anchor {
            TextAnchor::Start => 0.0,
            TextAnchor::Middle => length / 2.0,
            TextAnchor::End => length,
        };
        self.text.push_str("BT\n/F0 ");
        self.numbers(&[run.size], "Tf");
        // The page has y downwards; letters are turned back.
        if run.is_vertical {
            self.numbers(&[0.0, -1.0, -1.0, 0.0, run.x, run.y + before], "Tm");
        } else {
            self.numbers(&[1.0, 0.0, 0.0, -1.0, run.x - before, run.y], "Tm");
        }
        self.text.push('<');
        for one in run.text.chars() {
            let _ = write!(self.text, "{:04x}", FONT.glyph(one));
        }
        self.text.push_str("> Tj\nET\n");
    }
}

/// A number with at most three digits after the point.
fn short(into: &mut String, value: f64) {
    let thousandths = libm::round(value * THOUSAND);
    if !thousandths.is_finite() || thousandths.abs() > 1e12 {
        into.push('0');
        return;
    }
    let number = thousandths as i64;
    if number < 0 {
        into.push('-');
    }
    let (whole, rest) = (number.unsigned_abs() / 1000, number.unsigned_abs() % 1000);
    let _ = write!(into, "{whole}");
    if rest > 0 {
        let digits = format!("{rest:03}");
        let _ = write!(into, ".{}", digits.trim_end_matches('0'));
    }
}

/// A text as UTF-16 in hexadecimal digits, as names in a PDF file are.
fn utf16(text: &str) -> String {
    let digits = text.encode_utf16().map(|unit| format!("{unit:04x}"));
    format!("<feff{}>", digits.collect::<String>())
}

/// The objects of a file.
#[derive(Default)]
struct PdfObjects {
    file: Vec<u8>,
    places: Vec<usize>,
}

impl PdfObjects {
    fn add(&mut self, content: &str) {
        self.places.push(self.file.len());
        let number = self.places.len();
        self.file
            .extend(format!("{number} 0 obj\n{content}\nendobj\n").bytes());
    }

    fn add_stream(&mut self, entries: &str, content: &[u8]) {
        self.places.push(self.file.len());
        let number = self.places.len();
        let packed = miniz_oxide::deflate::compress_to_vec_zlib(content, 6);
        self.file.extend(
            format!(
                "{number} 0 obj\n<<{entries}/Filter/FlateDecode/Length {}>>\nstream\n",
                packed.len()
            )
            .bytes(),
        );
        self.file.extend(packed);
        self.file.extend(b"\nendstream\nendobj\n");
    }

    fn finish(mut self, info: usize) -> Vec<u8> {
        let start = self.file.len();
        let count = self.places.len() + 1;
        let mut end = format!("xref\n0 {count}\n0000000000 65535 f \n");
        for place in &self.places {
            let _ = writeln!(end, "{place:010} 00000 n ");
        }
        let _ = write!(
            end,
            "trailer\n<</Size {count}/Root 1 0 R/Info {info} 0 R>>\nstartxref\n{start}\n%%EOF\n"
        );
        self.file.extend(end.bytes());
        self.file
    }
}

/// Which characters the glyphs are.
fn unicode_map(scene: &PlotScene) -> String {
    let mut characters: BTreeMap<u16, char> = BTreeMap::new();
    for one in scene.texts().flat_map(|run| run.text.chars()) {
        characters.entry(FONT.glyph(one)).or_insert(one);
    }
    let mut map = "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /PlotSans def\n/CMapType 2 def\n\
        1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n"
        .to_owned();
    let entries: Vec<(u16, char)> = characters.into_iter().collect();
    for part in entries.chunks(100) {
        let _ = writeln!(map, "{} beginbfchar", part.len());
        for (glyph, character) in part {
            let mut units = [0; 2];
            let digits: String = character
                .encode_utf16(&mut units)
                .iter()
                .map(|unit| format!("{unit:04x}"))
                .collect();
            let _ = writeln!(map, "<{glyph:04x}> <{digits}>");
        }
        map.push_str("endbfchar\n");
    }
    map.push_str("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
    map
}

impl PlotScene {
    /// The picture as a PDF file of one page.
    #[must_use]
    pub fn to_pdf(&self) -> Vec<u8> {
        let (width, height) = (f64::from(self.width), f64::from(self.height));
        let mut page = PageContent {
            opacity: 255,
            ..PageContent::default()
        };
        page.numbers(
            &[
                POINTS_PER_PIXEL,
                0.0,
                0.0,
                -POINTS_PER_PIXEL,
                0.0,
                height * POINTS_PER_PIXEL,
            ],
            "cm",
        );
        page.text.push_str("1 j\n");
        page.paint(Some(self.background), None, |page| {
            page.add_box(&SceneBox::new(0.0, 0.0, width, height))
        });
        for item in &self.items {
            match item {
                SceneItem::Rectangle {
                    place,
                    fill,
                    stroke,
                } => page.paint(*fill, stroke.as_ref(), |page| page.add_box(place)),
                SceneItem::Path {
                    steps,
                    fill,
                    stroke,
                } => page.paint(*fill, stroke.as_ref(), |page| page.add_steps(steps)),
                SceneItem::Points(cloud) => page.points(cloud),
                SceneItem::Text(run) => page.text(run),
                SceneItem::Clip(place) => {
                    page.text.push_str("q\n");
                    page.add_box(place);
                    page.text.push_str("W n\n");
                }
                SceneItem::EndClip => {
                    page.text.push_str("Q\n");
                    // What was set within is set no more.
                    (page.fill, page.stroke, page.opacity) = (None, None, 0);
                    page.opacities.insert(255);
                    page.set_opacity(255);
                }
            }
        }
        let glyphs = glyphs_of(self);
        let mut objects = PdfObjects {
            file: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec(),
            places: Vec::new(),
        };
        objects.add(
            "<</Type/Catalog/Pages 2 0 R/Lang(en)/ViewerPreferences<</DisplayDocTitle true>>>>",
        );
        objects.add("<</Type/Pages/Kids[3 0 R]/Count 1>>");
        let states: String = page
            .opacities
            .iter()
            .map(|alpha| {
                let mut share = String::new();
                short(&mut share, f64::from(*alpha) / 255.0);
                format!("/A{alpha}<</ca {share}/CA {share}>>")
            })
            .collect();
        let (mut across, mut down) = (String::new(), String::new());
        short(&mut across, width * POINTS_PER_PIXEL);
        short(&mut down, height * POINTS_PER_PIXEL);
        objects.add(&format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 {across} {down}]/Contents 4 0 R/Resources<</Font<</F0 5 0 R>>/ExtGState<<{states}>>>>>>"
        ));
        objects.add_stream("", page.text.as_bytes());
        objects.add("<</Type/Font/Subtype/Type0/BaseFont/PLOTAA+PlotSans/Encoding/Identity-H/DescendantFonts[6 0 R]/ToUnicode 9 0 R>>");
        let widths: String = glyphs
            .iter()
            .map(|&glyph| {
                let width = libm::round(f64::from(FONT.advance(glyph)) * THOUSAND / FONT.units);
                format!("{glyph}[{width}]")
            })
            .collect();
        objects.add(&format!(
            "<</Type/Font/Subtype/CIDFontType2/BaseFont/PLOTAA+PlotSans/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>\
             /FontDescriptor 7 0 R/DW 600/W[{widths}]/CIDToGIDMap/Identity>>"
        ));
        let thousand = |share: f64| libm::round(share * THOUSAND);
        objects.add(&format!(
            "<</Type/FontDescriptor/FontName/PLOTAA+PlotSans/Flags 4/FontBBox[-1021 -463 1793 1232]/ItalicAngle 0/Ascent {}/Descent {}\
             /CapHeight {}/StemV 80/FontFile2 8 0 R>>",
            thousand(ASCENT),
            thousand(-DESCENT),
            thousand(CAP_HEIGHT),
        ));
        let font = FONT.subset(&glyphs);
        objects.add_stream(&format!("/Length1 {}", font.len()), &font);
        objects.add_stream("", unicode_map(self).as_bytes());
        objects.add(&format!(
            "<</Title{}/Subject{}/Producer(mathchain plots)>>",
            utf16(&self.title),
            utf16(&self.description)
        ));
        objects.finish(10)
    }
}
