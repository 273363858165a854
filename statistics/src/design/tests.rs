use numerics::NoWatch;

use super::*;

fn table() -> ModelColumns {
    let labels = |text: &'static str| {
        let labels = text.chars().map(|label| (label != '-').then_some(label));
        let labels: Vec<Option<String>> = labels.map(|label| label.map(String::from)).collect();
        ModelColumn::Categories(CategoryColumn::from_labels(
            labels.iter().map(Option::as_deref),
        ))
    };
    let columns = vec![
        (
            "y",
            ModelColumn::Numbers(vec![1.0, 3.0, 2.0, 5.0, 4.0, 7.0, 6.0, 9.0]),
        ),
        (
            "x",
            ModelColumn::Numbers(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
        ),
        (
            "z",
            ModelColumn::Numbers(vec![1.0, f64::NAN, 1.0, 2.0, 1.0, 3.0, 2.0, 5.0]),
        ),
        (
            "n",
            ModelColumn::Numbers(vec![3.0, 1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 1.0]),
        ),
        ("a", labels("qpqpqpqp")),
        ("b", labels("tuvtuvtu")),
        ("e", labels("kkkkkkkk")),
    ];
    let columns = columns
        .into_iter()
        .map(|(name, column)| (name.to_owned(), column));
    ModelColumns::new(columns.collect()).unwrap()
}

fn frame(text: &str) -> Result<ModelFrame, DesignError> {
    let formula = Formula::parse(text, &["y", "x", "a"]).unwrap();
    ModelFrame::new(formula, &table(), &[], &NoWatch)
}

fn names(text: &str) -> Vec<String> {
    frame(text).unwrap().design.names
}

fn column<'a>(frame: &'a ModelFrame, name: &str) -> &'a [f64] {
    let at = frame
        .design
        .names
        .iter()
        .position(|known| known == name)
        .unwrap();
    frame.design.matrix.column(at)
}

/// Names and numbers of columns as patsy 1.0 gives them, but for the order of the terms, which is R's.
#[test]
fn columns_are_those_of_patsy() {
    for (text, expected) in [
        ("y ~ x", "Intercept x"),
        ("x", "Intercept x"),
        ("y ~ 0 + x", "x"),
        ("y ~ x - 1", "x"),
        ("y ~ 1", "Intercept"),
        ("y ~ a", "Intercept a[T.q]"),
        ("y ~ a - 1", "a[p] a[q]"),
        ("y ~ a*x", "Intercept a[T.q] x a[T.q]:x"),
        ("y ~ a:x", "Intercept a[p]:x a[q]:x"),
        ("y ~ x:a + x", "Intercept x x:a[T.q]"),
        (
            "y ~ a*b",
            "Intercept a[T.q] b[T.u] b[T.v] a[T.q]:b[T.u] a[T.q]:b[T.v]",
        ),
        (
            "y ~ a:b - 1",
            "a[p]:b[t] a[q]:b[t] a[p]:b[u] a[q]:b[u] a[p]:b[v] a[q]:b[v]",
        ),
        (
            "y ~ a + a:b",
            "Intercept a[T.q] a[p]:b[T.u] a[q]:b[T.u] a[p]:b[T.v] a[q]:b[T.v]",
        ),
        ("y ~ a/x", "Intercept a[T.q] a[p]:x a[q]:x"),
        (
            "y ~ (x + n + a)^2 - x:n",
            "Intercept x n a[T.q] x:a[T.q] n:a[T.q]",
        ),
        ("y ~ C(n)", "Intercept C(n)[T.2] C(n)[T.3]"),
        ("y ~ C(b, ref='u')", "Intercept C(b)[T.t] C(b)[T.v]"),
        (
            "y ~ C(b, Treatment(reference='u'))",
            "Intercept C(b)[T.t] C(b)[T.v]",
        ),
        ("y ~ .", "Intercept x a[T.q]"),
        ("y ~ I(x**2) + log( x )", "Intercept I(x^2) log(x)"),
        ("y ~ poly(x,2)", "Intercept poly(x, 2)1 poly(x, 2)2"),
        ("y ~ x + x + x:x", "Intercept x"),
        ("y ~ `x`*2", ""),
    ] {
        if expected.is_empty() {
            assert!(Formula::parse(text, &[]).is_err(), "{text}");
            continue;
        }
        let found = names(text);
        let found: Vec<String> = found.iter().map(|name| name.replace(", ", ",")).collect();
        assert_eq!(found.join(" "), expected.replace(", ", ","), "{text}");
    }
}

/// R: `poly(1:5, 2)`, with the sign that R gives; on eight numbers the columns are orthogonal to 1 and to each other.
#[test]
fn polynomials_are_those_of_r() {
    let data = ModelColumns::new(vec![(
        "x".to_owned(),
        ModelColumn::Numbers(vec![1.0, 2.0, 3.0, 4.0, 5.0]),
    )])
    .unwrap();
    let formula = Formula::parse("poly(x, 2)", &[]).unwrap();
    let frame = ModelFrame::new(formula, &data, &[], &NoWatch).unwrap();
    let first = [
        -0.632455532033676,
        -0.316227766016838,
        0.0,
        0.316227766016838,
        0.632455532033676,
    ];
    let second = [
        0.534522483824849,
        -0.267261241912424,
        -0.534522483824849,
        -0.267261241912424,
        0.534522483824849,
    ];
    for (found, expected) in [(1, first), (2, second)] {
        for (found, expected) in frame.design.matrix.column(found).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14);
        }
    }
    // (6 - 3) / sqrt(10), and ((6 - 3)^2 - 2) / sqrt(14), as R's predict.
    let new = ModelColumns::new(vec![("x".to_owned(), ModelColumn::Numbers(vec![6.0]))]).unwrap();
    let row = frame.plan.new_matrix(&new, &NoWatch).unwrap().matrix.high;
    assert!((row[1] - 0.948_683_298_050_514).abs() < 1e-13);
    assert!((row[2] - 7.0 / 14.0_f64.sqrt()).abs() < 1e-13);
}

#[test]
fn rows_with_missing_cells_are_left_out_and_counted() {
    let found = frame("y ~ z").unwrap();
    assert_eq!((found.rows.len(), found.missing), (7, 1));
    assert_eq!(found.response.as_ref().unwrap().values[1], 2.0);
    assert_eq!(frame("y ~ x").unwrap().missing, 0);
}

#[test]
fn powers_are_kept_in_doubled_precision() {
    let data =
        ModelColumns::new(vec![("x".to_owned(), ModelColumn::Numbers(vec![0.1, 0.3]))]).unwrap();
    let formula = Formula::parse("0 + I(x^2) + I(x*x)", &[]).unwrap();
    let frame = ModelFrame::new(formula, &data, &[], &NoWatch).unwrap();
    let low = frame.design.matrix.low.unwrap();
    // 0.1 * 0.1 in doubles is 0.010000000000000002; the rest leaves a rest that a fused multiply-add gives exactly.
    assert_eq!(frame.design.matrix.high[0], 0.1 * 0.1);
    let rest = 0.1_f64.mul_add(0.1, -(0.1 * 0.1));
    assert!(rest != 0.0 && low[0] == rest && low[2] == rest);
}

#[test]
fn means_of_the_fitted_rows_serve_new_ones() {
    let found = frame("y ~ scale(x) + center(n)").unwrap();
    assert!((column(&found, "scale(x)")[0] + 3.5 / 6.0_f64.sqrt()).abs() < 1e-14);
    let new = ModelColumns::new(vec![
        ("x".to_owned(), ModelColumn::Numbers(vec![4.5])),
        ("n".to_owned(), ModelColumn::Numbers(vec![2.0])),
    ])
    .unwrap();
    let row = found.plan.new_matrix(&new, &NoWatch).unwrap().matrix.high;
    assert_eq!(row, [1.0, 0.0, 0.0]);
}

#[test]
fn offsets_responses_and_random_terms() {
    let found = frame("log(y) ~ x + offset(log(x)) + (x | a) + (1 | a/b)").unwrap();
    let response = found.response.unwrap();
    assert_eq!(
        (response.name.as_str(), response.values[1]),
        ("log(y)", 3.0_f64.ln())
    );
    assert_eq!(found.offset.unwrap()[2], 3.0_f64.ln());
    let names: Vec<&str> = found.random.iter().map(|term| term.name.as_str()).collect();
    assert_eq!(names, ["(x | a)", "(1 | a)", "(1 | a:b)"]);
    assert_eq!(found.random[0].matrix.names, ["Intercept", "x"]);
    assert_eq!(found.random[2].levels.len(), 6);
    let pair = frame("cbind(x, n) ~ 1").unwrap().response.unwrap();
    assert_eq!(pair.second.unwrap()[0], 3.0);
    let levels = frame("a ~ x").unwrap().response.unwrap();
    assert_eq!((levels.values[0], levels.levels.unwrap().len()), (1.0, 2));
    let split = Formula::parse("y ~ x + (x || a)", &[]).unwrap();
    assert_eq!(split.random.len(), 2);
    assert!(!split.random[1].has_intercept);
}

#[test]
fn faults_of_the_text_have_their_place() {
    for (text, place, words) in [
        ("y ~ x +", 8, "expected a term, found the end"),
        ("y ~ ", 5, "no terms"),
        ("y ~ x ++ z", 8, "expected a term, found `+`"),
        ("y ~ 3*x", 5, "only 0 and 1"),
        ("y ~ sine(x)", 5, "unknown function `sine`"),
        ("y ~ (x", 7, "expected `)`"),
        ("y ~ x)", 6, "expected `+`"),
        ("y ~ x & z", 7, "unexpected character `&`"),
        ("y ~ `x", 5, "the quote is not closed"),
        ("y ~ poly(x, 1.5)", 13, "a degree from 1 to 60"),
        ("y ~ C(x, blue)", 10, "ref="),
        ("y ~ x:((1|a))", 8, "not allowed"),
        ("y ~ I()", 7, "expected a number or the name"),
    ] {
        let fault = Formula::parse(text, &[]).unwrap_err();
        assert!(fault.to_string().contains(words), "{text}: {fault}");
        assert_eq!(fault.place, place, "{text}: {fault}");
    }
}

#[test]
fn depth_and_size_have_limits() {
    for text in [
        format!("y ~ {}x{}", "(".repeat(5000), ")".repeat(5000)),
        format!("y ~ I({}x)", "-".repeat(9000)),
        format!("y ~ I(x{})", "+x".repeat(4000)),
        format!("y ~ {}", "(".repeat(9000)),
        "y ~ (a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q+r+s+t)^10".to_owned(),
        "x+".repeat(10_000),
    ] {
        assert!(Formula::parse(&text, &[]).is_err());
    }
}

#[test]
fn faults_of_the_data_are_named() {
    for (text, words) in [
        ("y ~ w", "no column `w`"),
        (
            "y ~ log(a)",
            "column `a` holds categories, and log(a) needs numbers",
        ),
        ("y ~ log(x - 3)", "`log(x - 3)` is not finite in row 0"),
        ("y ~ z + log(x - 3)", "not finite in row 0"),
        ("y ~ z + log(x)+ I(1/(x - 3))", "not finite in row 2"),
        ("y ~ e", "`e` has the single level `k`"),
        (
            "y ~ C(b, ref='w')",
            "no level `w`: the levels are `t`, `u`, `v`",
        ),
        (
            "y ~ poly(n, 3)",
            "needs at least 4 distinct numbers, found 3",
        ),
        ("y ~ scale(I(x - x))", "cannot be scaled"),
    ] {
        let fault = frame(text).unwrap_err().to_string();
        assert!(fault.contains(words), "{text}: {fault}");
    }
    let empty = ModelColumns::new(vec![("x".to_owned(), ModelColumn::Numbers(vec![f64::NAN]))]);
    let formula = Formula::parse("x", &[]).unwrap();
    let fault = ModelFrame::new(formula, &empty.unwrap(), &[], &NoWatch).unwrap_err();
    assert_eq!(
        fault,
        DesignError::NoRows {
            rows: 1,
            missing: 1
        }
    );
}

#[test]
fn new_levels_are_refused() {
    let found = frame("y ~ b").unwrap();
    let new = ModelColumns::new(vec![(
        "b".to_owned(),
        ModelColumn::Categories(CategoryColumn::from_labels([Some("u"), Some("w")])),
    )]);
    let fault = found.plan.new_matrix(&new.unwrap(), &NoWatch).unwrap_err();
    assert!(fault.to_string().contains("no level `w`"));
}
