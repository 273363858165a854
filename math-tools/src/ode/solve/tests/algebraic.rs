//! Mass matrices and differential-algebraic systems.

use super::from_json;

/// Robertson's problem with the conservation of mass as an algebraic equation, as in the documentation of SUNDIALS IDA and of ode15s:
/// the same end values as the differential form (Mazzia and Magherini, Test Set for IVP Solvers).
#[test]
fn robertson_with_an_algebraic_equation() {
    for (method, limit) in [
        ("auto", 1e-8),
        ("radau", 1e-8),
        ("bdf", 1e-6),
        ("rodas4", 1e-6),
    ] {
        let (output, _) = from_json(&format!(
            r#"{{"y0":[1,0,0],"t_span":[0,1e11],"method":"{method}","rtol":1e-8,"atol":[1e-14,1e-20,1e-14],
                "system":["-0.04*y0+1e4*y1*y2","0.04*y0-1e4*y1*y2-3e7*y1**2","y0+y1+y2-1"],
                "mass":[[1,0,0],[0,1,0],[0,0,0]],"t_eval":[1e11]}}"#
        ))
        .unwrap();
        assert!(
            output.completed,
            "{method}: {:?} at {}",
            output.reason, output.t_end
        );
        let end = [
            0.208_334_014_970_12e-7,
            0.833_336_077_033_44e-13,
            0.999_999_979_166_650,
        ];
        for (found, expected) in output.y[0].iter().zip(end) {
            assert!(
                (found / expected - 1.0).abs() < limit,
                "{method}: {:?}",
                output.y[0]
            );
        }
    }
}

/// M y' = A y with a full regular M is the same as y' = M^-1 A y.
#[test]
fn regular_mass_matrices() {
    for method in ["auto", "radau", "bdf", "rodas4"] {
        let (output, _) = from_json(&format!(
            r#"{{"y0":[1,2],"t_span":[0,2],"method":"{method}","system":["-y0","-3*y1"],"mass":[[2,1],[1,2]],
                "rtol":1e-8,"atol":1e-10,"t_eval":[2]}}"#
        ))
        .unwrap();
        let (direct, _) = from_json(
            r#"{"y0":[1,2],"t_span":[0,2],"system":["(-2*y0+3*y1)/3","(y0-6*y1)/3"],"rtol":1e-12,"atol":1e-14,"t_eval":[2]}"#,
        )
        .unwrap();
        for (found, expected) in output.y[0].iter().zip(&direct.y[0]) {
            assert!(
                (found - expected).abs() < 3e-7,
                "{method}: {found} {expected}"
            );
        }
    }
    // Of second order: 2 y'' = -8 y swings with the frequency 2.
    let (output, _) = from_json(
        r#"{"y0":[1],"v0":[0],"t_span":[0,1],"system":"-8*y","mass":[[2]],"rtol":1e-9,"atol":1e-12,"t_eval":[1]}"#,
    )
    .unwrap();
    assert!((output.y[0][0] - 2.0_f64.cos()).abs() < 1e-8);
}

/// A singular matrix that is not diagonal: the sum of both equations is algebraic, y0 + y1 = 1.
#[test]
fn singular_matrices_need_not_be_diagonal() {
    let text = |y0: &str| {
        format!(
            r#"{{"y0":{y0},"t_span":[0,1],"system":["-y0","y0+1-y0-y1"],"mass":[[1,-1],[-1,1]],"rtol":1e-9,"atol":1e-12,"t_eval":[1]}}"#
        )
    };
    // y0' - y1' = -y0 and -y0 + 1 - y1 = 0 give 2 y0' = -y0.
    let (output, _) = from_json(&text("[0.5,0.5]")).unwrap();
    assert!(
        (output.y[0][0] - 0.5 * (-0.5_f64).exp()).abs() < 1e-8,
        "{:?}",
        output.y
    );
    assert!((output.y[0][0] + output.y[0][1] - 1.0).abs() < 1e-8);
    let err = from_json(&text("[0.5,0.7]")).unwrap_err();
    assert_eq!(
        (err.path(), err.reason_str()),
        (Some("/y0"), Some("inconsistent"))
    );
}

#[test]
fn what_a_mass_matrix_cannot_be() {
    for (more, path, reason) in [
        (r#""mass":[[1,0]]"#, "/mass", Some("shape")),
        (r#""mass":[[0,0],[0,0]]"#, "/mass", None),
        (r#""mass":[[1,0],[0,0]],"method":"dop853""#, "/method", None),
        (r#""mass":[[1,0],[0,0]]"#, "/y0", Some("inconsistent")),
    ] {
        let text = format!(r#"{{"y0":[1,2],"t_span":[0,1],"system":["-y0","y0-y1"],{more}}}"#);
        let err = from_json(&text).unwrap_err();
        assert_eq!(
            (err.path(), err.reason_str()),
            (Some(path), reason),
            "{text}: {err:?}"
        );
    }
    // y1 is free: index 2.
    let err = from_json(
        r#"{"y0":[0,1],"t_span":[0,1],"system":["y1","y0-sin(t)"],"mass":[[1,0],[0,0]]}"#,
    )
    .unwrap_err();
    assert_eq!(
        (err.path(), err.reason_str()),
        (Some("/mass"), Some("index"))
    );
}

/// y' = -k y + z with 0 = z - c y^2 is y' = -k y + c y^2: the same derivatives by parameters, of z by the chain rule; at the start z has one.
#[test]
fn derivatives_with_algebraic_equations_are_those_of_the_equations_without() {
    let tail = r#""t_span":[0,2],"parameters":{"k":0.7,"c":0.3},"sensitivities":["k","c"],"rtol":1e-9,"atol":1e-12,"t_eval":[0,1,2]"#;
    let (plain, _) = from_json(&format!(r#"{{"y0":[2],"system":"-k*y+c*y**2",{tail}}}"#)).unwrap();
    let plain_by = plain.sensitivities.unwrap();
    for method in ["auto", "bdf"] {
        // The second matrix has y' on both sides: what is algebraic is the difference of the equations.
        for (mass, second) in [
            ("[[1,0],[0,0]]", "y1-c*y0**2"),
            ("[[1,0],[1,0]]", "-k*y0+y1+3*(y1-c*y0**2)"),
        ] {
            let output = from_json(&format!(
                r#"{{"y0":[2,1.2],"system":["-k*y0+y1","{second}"],"mass":{mass},"method":"{method}",{tail}}}"#
            ));
            if method == "bdf" && mass == "[[1,0],[1,0]]" {
                assert_eq!(output.err().unwrap().path(), Some("/method"));
                continue;
            }
            let (output, _) = output.unwrap();
            assert!(output.completed, "{method} {mass}");
            let by = output.sensitivities.unwrap();
            for (row, y) in plain.y.iter().enumerate() {
                for (index, (by, plain_by)) in by.iter().zip(&plain_by).enumerate() {
                    let moved = plain_by.y[row][0];
                    let own = if index == 1 { y[0] * y[0] } else { 0.0 };
                    let z = own + 0.6 * y[0] * moved;
                    let found = &by.y[row];
                    assert!(
                        (found[0] - moved).abs() < 1e-6 && (found[1] - z).abs() < 1e-6,
                        "{method} {mass} {row} {index}: {found:?}, {moved} {z}"
                    );
                }
            }
        }
    }
}
