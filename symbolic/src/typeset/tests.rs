//! Formulas as text, as MathML and as outlines.

use super::*;

fn read(latex: &str) -> FormulaNode {
    let reading = read_formula(latex, FormulaLimits::default());
    reading
        .unwrap_or_else(|err| panic!("{latex}: {err}"))
        .formula
}

fn drawn(latex: &str) -> String {
    formula_text(&read(latex), TextAlphabet::Unicode)
}

fn line(latex: &str) -> String {
    formula_line(&read(latex), TextAlphabet::Unicode)
}

#[test]
fn parts_are_stacked() {
    for (latex, expected) in [
        (
            r"\int_0^\infty \frac{x^3}{e^x-1}\,dx",
            "⌠∞   x³\n⎮  ────── dx\n⌡0 eˣ − 1",
        ),
        (
            r"\sum_{n=1}^{\infty} \frac{1}{n^2}",
            "  ∞\n ⎽⎽⎽  1\n ╲    ──\n ╱    n²\n ⎺⎺⎺\nn = 1",
        ),
        (
            r"x = \frac{-b \pm \sqrt{b^2-4ac}}{2a}",
            "           ________\n    −b ± ╲╱b² − 4ac\nx = ───────────────\n          2a",
        ),
        (r"\sqrt[3]{x+1}", "3 _____\n╲╱x + 1"),
        (
            r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
            "⎛ a  b ⎞\n⎝ c  d ⎠",
        ),
        (r"e^{-\frac{x}{2}}", "  x\n −─\n  2\ne"),
        (r"\hat{x} + \bar{y}", "x\u{302} + y\u{304}"),
        (r"\frac{a}{b} \frac{c}{d}", "a c\n─ ─\nb d"),
        (
            r"\begin{aligned} a &= b \\ &= c + d \end{aligned}",
            "a = b\n  = c + d",
        ),
        (r"\boxed{x}", "┌───┐\n│ x │\n└───┘"),
        (r"\underbrace{a+b}_{n}", "a + b\n╰─┬─╯\n  n"),
    ] {
        assert_eq!(drawn(latex), expected, "{latex}\n{}", drawn(latex));
    }
}

#[test]
fn a_line_has_the_brackets_that_it_needs() {
    for (latex, expected) in [
        (r"\frac{a+b}{c}", "(a + b)/c"),
        (r"\frac{1}{n^2}", "1/n²"),
        (r"\frac{a}{bc}", "a/(bc)"),
        (r"\sqrt{x}", "√x"),
        (r"\sqrt{x+1}", "√(x + 1)"),
        (r"{(a+b)}^2", "((a + b))²"),
        (r"x^{n+1}", "xⁿ⁺¹"),
        (r"x^{\alpha}", "x^α"),
        (r"x^{ab c_1}", "x^(abc₁)"),
        (r"-x + y", "−x + y"),
        (r"\left|\frac{a}{b}\right|", "|a/b|"),
        (r"\sin x \cos 2y", "sin x cos 2y"),
        (r"\sin\frac{x}{2}", "sin (x/2)"),
        (r"\frac{a}{n!}(x-a)", "a/(n!) (x − a)"),
        (r"k_B T", "k_B T"),
        (r"\mathbb{R}^n", "ℝⁿ"),
        (r"f''(x)", "f″(x)"),
        (r"a \not= b", "a ≠ b"),
        (r"\text{if } x > 0", "if x > 0"),
        (r"$x$", "x"),
    ] {
        assert_eq!(line(latex), expected, "{latex}");
    }
    let ascii = formula_line(&read(r"\alpha \le \sqrt{\beta}"), TextAlphabet::Ascii);
    assert_eq!(ascii, "alpha <= sqrt(beta)");
}

#[test]
fn what_is_not_known_stays_visible() {
    let reading = read_formula(
        r"\foo{x} + \foo y \begin{bar} z \end{bar}",
        FormulaLimits::default(),
    );
    let reading = reading.unwrap();
    assert_eq!(reading.unknown, ["\\foo", "\\begin{bar}"]);
    assert!(formula_text(&reading.formula, TextAlphabet::Unicode).contains("\\foo"));
}

#[test]
fn faults_are_named() {
    let fault = |latex: &str| read_formula(latex, FormulaLimits::default()).unwrap_err();
    assert_eq!(
        fault(r"\frac{1}"),
        FormulaError::NoArgument("\\frac".to_owned())
    );
    assert_eq!(fault("{a"), FormulaError::NotClosed("{".to_owned()));
    assert_eq!(fault("a}"), FormulaError::NotOpened("}".to_owned()));
    assert_eq!(
        fault(r"\left( a"),
        FormulaError::NotClosed("\\left".to_owned())
    );
    assert_eq!(fault("a_1_2"), FormulaError::TwoScripts("sub"));
    for deep in [
        "{".repeat(99),
        r"\sqrt".repeat(99),
        r"\hat".repeat(99),
        r"x^".repeat(99),
    ] {
        let _ = fault(&deep);
    }
}

#[test]
fn every_text_is_read_or_refused() {
    // Pieces in every order of three, in every form.
    let pieces = [
        "x",
        "^",
        "_",
        "{",
        "}",
        r"\frac",
        r"\sqrt",
        "[",
        "]",
        "&",
        r"\\",
        r"\left(",
        r"\right)",
        r"\sum",
        r"\begin{cases}",
        r"\end{cases}",
        r"\over",
        "'",
        r"\middle|",
        " ",
        "世",
        r"\",
    ];
    for a in pieces {
        for b in pieces {
            for c in pieces {
                let latex = format!("{a} {b} {c}");
                let Ok(reading) = read_formula(&latex, FormulaLimits::default()) else {
                    continue;
                };
                let text = formula_text(&reading.formula, TextAlphabet::Unicode);
                let _ = formula_text(&reading.formula, TextAlphabet::Ascii);
                let _ = formula_line(&reading.formula, TextAlphabet::Ascii);
                let _ = formula_mathml(&reading.formula, &latex);
                let outline = draw_formula(&reading.formula, 20.0);
                assert!(outline.width.is_finite() && outline.height > 0.0, "{latex}");
                assert!(!text.contains('\t'), "{latex}");
            }
        }
    }
}

#[test]
fn mathml_is_well_formed_and_escaped() {
    let text = formula_mathml(&read(r"a < \frac{b}{c} & \text{<i>}"), "a < b");
    assert!(
        text.contains("<mfrac><mrow><mi>b</mi></mrow><mrow><mi>c</mi></mrow></mfrac>"),
        "{text}"
    );
    assert!(text.contains("<mtext>&lt;i&gt;</mtext>") && text.contains("a &lt; b</annotation>"));
    let opened = text.matches('<').count();
    let closed = text.matches("</").count() + text.matches("/>").count();
    assert_eq!(opened, 2 * closed - text.matches("/>").count(), "{text}");
}

#[test]
fn outlines_lie_in_the_picture_and_scale() {
    for latex in [
        r"\int_0^1 \frac{x}{y}\,dx",
        r"\sqrt{\frac{a}{b}}",
        r"\hat{f}_n^2",
        r"\begin{vmatrix} a & b \\ c & d \end{vmatrix}",
        r"\underbrace{x}_{n}",
    ] {
        let small = draw_formula(&read(latex), 20.0);
        let large = draw_formula(&read(latex), 40.0);
        assert!(
            (large.width - 2.0 * small.width).abs() < 1e-9 * large.width,
            "{latex}"
        );
        assert!(small.missing.is_empty(), "{latex}: {:?}", small.missing);
        for [x, y] in small
            .paths
            .iter()
            .flat_map(|path| path.polygons())
            .flatten()
        {
            assert!(
                x >= 0.0 && x <= small.width && y >= 0.0 && y <= small.height,
                "{latex}: {x} {y}"
            );
        }
    }
    let svg = draw_formula(&read("x + x < y"), 20.0).to_svg("x < y", "#000", None);
    assert!(
        svg.contains("<title>x &lt; y</title>") && svg.contains("<use href="),
        "{svg}"
    );
}

/// Titles and formulas of `docs/gallery/math.md`, a line each.
const GALLERY: &str = include_str!("gallery.txt");

/// The page and its pictures are made anew with `UPDATE=1`.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a test reads and writes a page of the project"
)]
fn the_gallery_is_what_is_drawn() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/gallery");
    let is_update = std::env::var_os("UPDATE").is_some();
    let mut page = String::from(
        "# Gallery of formulas\n\nFor someone who wants to see what [`render_math`](../render-math.md) draws: a hundred formulas, each as LaTeX, as text in two \
         dimensions, and as the picture. The pictures are\n\n    mathchain call render_math --latex FORMULA --format svg --size 22 --save FILE.svg\n",
    );
    let mut count = 0;
    let mut files = Vec::new();
    for line in GALLERY.lines() {
        let Some((title, latex)) = line.split_once('\t') else {
            page.push_str(&format!("\n## {line}\n"));
            continue;
        };
        count += 1;
        let formula = read(latex);
        let name = format!("{count:03}.svg");
        let outline = draw_formula(&formula, 22.0);
        assert!(outline.missing.is_empty(), "{latex}: {:?}", outline.missing);
        files.push((
            name.clone(),
            outline.to_svg(latex, "#1a1a1a", Some("#ffffff")),
        ));
        let text = formula_text(&formula, TextAlphabet::Unicode);
        page.push_str(&format!(
            "\n### {title}\n\n![{title}](math/{name})\n\n```latex\n{latex}\n```\n\n```text\n{text}\n```\n"
        ));
    }
    files.push(("../math.md".to_owned(), page));
    assert_eq!(count, 100);
    for (name, content) in files {
        let path = folder.join("math").join(name);
        if is_update {
            std::fs::write(&path, content).expect("the gallery can be written");
            continue;
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == content,
            "{} differs; run with UPDATE=1",
            path.display()
        );
    }
}
