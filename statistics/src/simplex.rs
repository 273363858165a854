//! Nelder and Mead's simplex for functions of a few variables, where a derivative is not at hand.

/// The best vertex of a simplex that starts with this step in each direction: reflection, expansion, contraction and shrinking with the usual factors
/// (J. A. Nelder and R. Mead, Computer Journal 7, 1965), until values and vertices agree to about 1e-10.
pub(crate) fn minimise_simplex(cost: &dyn Fn(&[f64]) -> f64, start: &[f64], step: f64) -> Vec<f64> {
    let d = start.len();
    let rounds = 250 * d;
    let mut vertices: Vec<(f64, Vec<f64>)> = vec![(cost(start), start.to_vec())];
    for i in 0..d {
        let mut moved = start.to_vec();
        moved[i] += step;
        vertices.push((cost(&moved), moved));
    }
    for _ in 0..rounds {
        vertices.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (best, worst) = (vertices[0].0, vertices[d].0);
        if is_small(&vertices) && (worst - best).abs() <= 1e-12 * (best.abs() + 1e-300) {
            break;
        }
        let centre: Vec<f64> = (0..d)
            .map(|i| vertices[..d].iter().map(|(_, v)| v[i]).sum::<f64>() / d as f64)
            .collect();
        let along = |factor: f64| {
            let point: Vec<f64> = centre
                .iter()
                .zip(&vertices[d].1)
                .map(|(c, w)| c + factor * (w - c))
                .collect();
            (cost(&point), point)
        };
        let reflected = along(-1.0);
        let next = if reflected.0 < best {
            let expanded = along(-2.0);
            if expanded.0 < reflected.0 {
                expanded
            } else {
                reflected
            }
        } else if reflected.0 < vertices[d - 1].0 {
            reflected
        } else {
            let contracted = along(if reflected.0 < worst { -0.5 } else { 0.5 });
            if contracted.0 < worst.min(reflected.0) {
                contracted
            } else {
                shrink(&mut vertices, cost);
                continue;
            }
        };
        vertices[d] = next;
    }
    vertices.sort_by(|a, b| a.0.total_cmp(&b.0));
    vertices.swap_remove(0).1
}

/// All vertices half way to the first.
fn shrink(vertices: &mut [(f64, Vec<f64>)], cost: &dyn Fn(&[f64]) -> f64) {
    let first = vertices[0].1.clone();
    for (value, vertex) in &mut vertices[1..] {
        for (x, b) in vertex.iter_mut().zip(&first) {
            *x = 0.5 * (*x + b);
        }
        *value = cost(vertex);
    }
}

fn is_small(vertices: &[(f64, Vec<f64>)]) -> bool {
    let first = &vertices[0].1;
    let near = |vertex: &[f64]| {
        let pairs = vertex.iter().zip(first);
        pairs.fold(0.0_f64, |most, (a, b)| {
            most.max((a - b).abs() / b.abs().max(1.0))
        }) < 1e-9
    };
    vertices.iter().all(|(_, vertex)| near(vertex))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_valley_of_rosenbrock_ends_at_one_and_one() {
        let cost = |x: &[f64]| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2);
        let least = minimise_simplex(&cost, &[-1.2, 1.0], 0.5);
        assert!(
            (least[0] - 1.0).abs() < 1e-6 && (least[1] - 1.0).abs() < 1e-6,
            "{least:?}"
        );
    }
}
