//! Formulas of LaTeX as text, MathML and pictures.

#[cfg(test)]
mod tests;

use plots::{PathStep, PictureContent, PictureFormat, PlotColour, PlotScene, SceneItem};
use symbolic::typeset::{
    FormulaError, FormulaLimits, FormulaNode, FormulaOutline, TextAlphabet, draw_formula,
    formula_line, formula_mathml, formula_text, read_formula,
};
use tool_core::object;

use crate::prelude::*;

/// Largest picture in pixels, across or down.
const PIXELS_MAX: f64 = 4096.0;

/// Draw a LaTeX formula: in two dimensions as text, in one line, as MathML, or as a picture in a mathematical font.
///
/// Fractions, roots, sums and integrals with limits, matrices, cases, aligned equations, accents, brackets that grow, Greek and other alphabets of
/// mathematics. A command that is not known stays visible and is listed.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The formula, with or without `$` around it; at most 20,000 bytes.
    pub latex: String,
    /// What is made.
    #[value(default)]
    pub format: FormulaFormat,
    /// Height of letters of a picture in pixels.
    #[value(default = "BoundedInteger::<6, 200>::of::<28>")]
    pub size: BoundedInteger<6, 200>,
    /// Whether a picture is light on nearly black.
    #[value(default)]
    pub dark: bool,
}

/// What is made of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "lowercase")]
pub(crate) enum FormulaFormat {
    /// Characters of Unicode in two dimensions.
    #[default]
    Unicode,
    /// Characters of ASCII in two dimensions.
    Ascii,
    /// One line of Unicode, with the brackets that it needs.
    Linear,
    /// Presentation MathML for a page.
    Mathml,
    /// A picture of paths, with the text of `unicode`.
    Svg,
    /// A picture of pixels, with the text of `unicode`.
    Png,
}

/// A drawn formula.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct Output {
    /// The formula as text, lines joined by newlines; with `mathml` the element.
    pub rendered: String,
    /// The formula in one line, of the characters of the format.
    pub linear: String,
    /// The LaTeX.
    pub original: String,
    /// The format.
    pub format: FormulaFormat,
    /// The picture: `{"$media": "image/png", "base64": ..}` or `{"$resource": "formula:picture.svg", "mime_type": .., "text": ..}`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "format": ["svg", "png"] }))]
    pub picture: Option<Value>,
    /// Commands that are not known, which the drawing shows as they are written, and characters without a glyph in a picture.
    pub unknown: Vec<String>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("render_math", "Draw a formula")
        .category(Category::Data)
        .tags(&[
            "latex", "formula", "equation", "mathml", "picture", "terminal",
        ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "an integral": r#"{"latex": "\\int_0^\\infty \\frac{x^3}{e^x-1}\\,dx = \\frac{\\pi^4}{15}"}"# => concat!(
            r#"{"rendered": "⌠∞   x³        π⁴\n⎮  ────── dx = ──\n⌡0 eˣ − 1      15", "linear": "∫₀^∞ x³/(eˣ − 1) dx = π⁴/15", "#,
            r#""original": "\\int_0^\\infty \\frac{x^3}{e^x-1}\\,dx = \\frac{\\pi^4}{15}", "format": "unicode", "unknown": []}"#,
        );
        "in one line": r#"{"latex": "\\sqrt{a^2+b^2}", "format": "linear"}"# =>
            r#"{"rendered": "√(a² + b²)", "linear": "√(a² + b²)", "original": "\\sqrt{a^2+b^2}", "format": "linear", "unknown": []}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        // The layout of a formula of the longest text takes a few milliseconds.
        ctx.check()?;
        let reading = read_formula(&args.latex, FormulaLimits::default())
            .map_err(|err| formula_error(&err))?;
        let formula = &reading.formula;
        ctx.check()?;
        let alphabet = match args.format {
            FormulaFormat::Ascii => TextAlphabet::Ascii,
            _ => TextAlphabet::Unicode,
        };
        let linear = formula_line(formula, alphabet);
        let rendered = match args.format {
            FormulaFormat::Linear => linear.clone(),
            FormulaFormat::Mathml => formula_mathml(formula, &args.latex),
            _ => formula_text(formula, alphabet),
        };
        let mut unknown = reading.unknown;
        let picture = match args.format {
            FormulaFormat::Svg | FormulaFormat::Png => {
                let (picture, missing) = draw_picture(&args, formula, ctx)?;
                unknown.extend(missing.into_iter().map(String::from));
                Some(picture)
            }
            _ => None,
        };
        Ok(Output {
            rendered,
            linear,
            original: args.latex,
            format: args.format,
            picture,
            unknown,
        })
    }
}

fn formula_error(err: &FormulaError) -> ToolError {
    let (reason, hint) = match err {
        FormulaError::TooLong { .. } | FormulaError::TooDeep(_) => {
            ("limit", "draw its parts in calls of their own")
        }
        FormulaError::NotClosed(_) => ("syntax", "close it; braces and environments come in pairs"),
        FormulaError::NotOpened(_) => (
            "syntax",
            "begin it, or leave it out; a brace itself is `\\{`",
        ),
        FormulaError::NoArgument(_) => ("syntax", "write the argument in braces"),
        FormulaError::TwoScripts(_) => ("syntax", "group by braces, as in `{a^b}^c`"),
    };
    ToolError::invalid("/latex", err).reason(reason).hint(hint)
}

/// The picture as a member of the answer, and the characters without a glyph.
fn draw_picture(
    args: &Args,
    formula: &FormulaNode,
    ctx: &Ctx,
) -> Result<(Value, Vec<char>), ToolError> {
    let outline = draw_formula(formula, args.size.get() as f64);
    let (width, height) = (outline.width.ceil(), outline.height.ceil());
    if width > PIXELS_MAX || height > PIXELS_MAX {
        refuse!(invalid "/size", "limit"; "the picture would have {width} by {height} pixels, at most {PIXELS_MAX} each way"; "pass a smaller `size`, or draw its parts");
    }
    ctx.reserve((width * height * 8.0) as u64)?;
    let picture = match args.format {
        FormulaFormat::Svg => {
            let (ink, ground) = match args.dark {
                true => ("#e8e8e8", "#16181d"),
                false => ("#1a1a1a", "#ffffff"),
            };
            object! {
                "$resource" => "formula:picture.svg",
                "mime_type" => "image/svg+xml",
                "text" => outline.to_svg(&args.latex, ink, Some(ground)),
            }
        }
        _ => {
            let content = to_scene(&outline, args).to_picture(PictureFormat::Png);
            let PictureContent::Base64(data) = content else {
                return Err(ToolError::new(
                    ErrorCode::Internal,
                    "a picture of pixels is no text",
                ));
            };
            object! { "$media" => "image/png", "base64" => data }
        }
    };
    ctx.check()?;
    Ok((picture, outline.missing))
}

/// The outlines as a display list.
fn to_scene(outline: &FormulaOutline, args: &Args) -> PlotScene {
    let grey = |level: u8| PlotColour {
        channels: [level; 3],
        alpha: 255,
    };
    let (ink, ground) = match args.dark {
        true => (grey(0xE8), grey(0x18)),
        false => (grey(0x1A), grey(0xFF)),
    };
    let items = outline.paths.iter().map(|path| {
        let mut steps = Vec::new();
        for polygon in path.polygons() {
            for (index, [x, y]) in polygon.into_iter().enumerate() {
                steps.push(match index {
                    0 => PathStep::Move(x, y),
                    _ => PathStep::Line(x, y),
                });
            }
            steps.push(PathStep::Close);
        }
        SceneItem::Path {
            steps,
            fill: Some(ink),
            stroke: None,
        }
    });
    PlotScene {
        width: outline.width.ceil() as u32,
        height: outline.height.ceil() as u32,
        background: ground,
        title: String::new(),
        description: String::new(),
        items: items.collect(),
        panels: Vec::new(),
        hover: Vec::new(),
        dropped_texts: 0,
    }
}
