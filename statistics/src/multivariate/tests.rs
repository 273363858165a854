//! Rows as points: against comparing everything with everything, and other identities.

use numerics::{Interruption, NoWatch, Watch};

use super::*;

/// Numbers without a pattern, from a linear congruence.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let next = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(next).collect()
}

fn columns(rows: usize, count: usize, seed: u64) -> Vec<Vec<f64>> {
    (0..count)
        .map(|column| numbers(rows, seed + column as u64))
        .collect()
}

fn plain(columns: &[Vec<f64>]) -> PointTable {
    PointTable::new(columns, ColumnScaling::Plain, &NoWatch).unwrap()
}

const METRICS: [DistanceMetric; 4] = [
    DistanceMetric::Euclidean,
    DistanceMetric::Manhattan,
    DistanceMetric::Chebyshev,
    DistanceMetric::Minkowski(3.0),
];

/// All rows sorted by distance, then number.
fn by_comparing(
    points: &PointTable,
    metric: DistanceMetric,
    point: &[f64],
    but: Option<usize>,
) -> Vec<(f64, usize)> {
    let rows = (0..points.rows()).filter(|row| Some(*row) != but);
    let mut found: Vec<(f64, usize)> = rows
        .map(|row| (metric.compare(point, points.row(row)), row))
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    found
}

#[test]
fn the_tree_finds_what_comparing_all_finds() {
    // Numbers on a grid of 5 have many ties, and rows that coincide.
    let on_grid = |columns: Vec<Vec<f64>>| -> Vec<Vec<f64>> {
        let round = |column: Vec<f64>| column.into_iter().map(|x| (x * 5.0).floor()).collect();
        columns.into_iter().map(round).collect()
    };
    for table in [
        columns(400, 3, 1),
        on_grid(columns(400, 2, 7)),
        vec![vec![2.5; 100]; 2],
        columns(120, 20, 3),
    ] {
        let points = plain(&table);
        for metric in METRICS {
            let index = NeighbourIndex::new(&points, metric, &NoWatch).unwrap();
            for row in (0..points.rows()).step_by(7) {
                let expected = by_comparing(&points, metric, points.row(row), Some(row));
                let found = index.nearest(points.row(row), 9, Some(row));
                let rows: Vec<usize> = found.iter().map(|one| one.row).collect();
                let first: Vec<usize> = expected[..9].iter().map(|one| one.1).collect();
                assert_eq!(rows, first, "{metric:?} row {row}");
                let radius = metric.distance(expected[20].0) * (1.0 + 1e-12);
                let within = index.within(points.row(row), radius, Some(row));
                let most = metric.compared(radius);
                let near = expected.iter().filter(|one| one.0 <= most).count();
                assert_eq!(within.len(), near);
            }
        }
    }
}

#[test]
fn directions_have_cosines() {
    let points = plain(&[vec![1.0, 3.0, 0.0, -2.0], vec![0.0, 3.0, 1e-3, 0.0]]);
    let unit = points.clone().for_metric(DistanceMetric::Cosine).unwrap();
    let index = NeighbourIndex::new(&unit, DistanceMetric::Cosine, &NoWatch).unwrap();
    let found = index.nearest(unit.row(0), 3, Some(0));
    let distances: Vec<f64> = found.iter().map(|one| one.distance).collect();
    assert!((distances[0] - (1.0 - 0.5_f64.sqrt())).abs() < 1e-15);
    assert!((distances[1] - 1.0).abs() < 1e-15 && (distances[2] - 2.0).abs() < 1e-15);
    let zero = plain(&[vec![1.0, 0.0], vec![1.0, 0.0]]);
    assert_eq!(
        zero.to_directions().unwrap_err(),
        MultivariateError::ZeroRow { row: 1 }
    );
}

/// By moving every row to every other cluster: no single move helps a good partition of separate groups.
#[test]
fn means_fit_their_rows_and_starts_do_not_change_them() {
    let mut table = columns(90, 2, 5);
    for (row, value) in table[0].iter_mut().enumerate() {
        *value += f64::from(row as u32 % 3) * 4.0;
    }
    for (row, value) in table[1].iter_mut().enumerate() {
        *value += f64::from(u8::from(row % 3 == 1)) * 4.0;
    }
    let points = plain(&table);
    let request = KMeansRequest {
        points: &points,
        clusters: 3,
        starts: 5,
        iterations_max: 300,
        seed: 1,
    };
    let fit = fit_kmeans(request, &NoWatch).unwrap();
    assert!(fit.converged && fit.agreeing == 5 && fit.sizes == [30, 30, 30]);
    assert!((0..90).all(|row| fit.labels[row] == row % 3));
    for (cluster, centre) in fit.centres.chunks(2).enumerate() {
        let rows = (0..30).map(|k| points.row(3 * k + cluster)[0]);
        assert!((rows.sum::<f64>() / 30.0 - centre[0]).abs() < 1e-14);
    }
    let other = KMeansRequest {
        seed: 99,
        ..request
    };
    assert!(
        (fit_kmeans(other, &NoWatch).unwrap().inertia() - fit.inertia()).abs()
            < 1e-12 * fit.inertia()
    );
    let whole = KMeansRequest {
        clusters: 1,
        ..request
    };
    let whole = fit_kmeans(whole, &NoWatch).unwrap();
    assert!((whole.inertia() / fit.total - 1.0).abs() < 1e-12);
}

#[test]
fn there_are_no_more_clusters_than_rows_that_differ() {
    let points = plain(&[vec![1.0, 1.0, 2.0, 2.0, 2.0], vec![0.0; 5]]);
    let request = |clusters| KMeansRequest {
        points: &points,
        clusters,
        starts: 3,
        iterations_max: 50,
        seed: 4,
    };
    let fit = fit_kmeans(request(2), &NoWatch).unwrap();
    assert_eq!(
        (fit.labels.as_slice(), fit.inertia()),
        ([0, 0, 1, 1, 1].as_slice(), 0.0)
    );
    let expected = MultivariateError::Clusters {
        clusters: 3,
        distinct: 2,
    };
    assert_eq!(fit_kmeans(request(3), &NoWatch).unwrap_err(), expected);
}

/// A row drawn into many cells: an empty cluster takes the farthest row.
#[test]
fn as_many_clusters_as_rows_leave_no_squares() {
    let points = plain(&columns(40, 2, 11));
    let request = KMeansRequest {
        points: &points,
        clusters: 40,
        starts: 1,
        iterations_max: 100,
        seed: 3,
    };
    let fit = fit_kmeans(request, &NoWatch).unwrap();
    assert_eq!(fit.sizes, vec![1; 40]);
    assert!(fit.inertia() < 1e-28 && fit.labels == (0..40).collect::<Vec<_>>());
}

const LINKAGES: [LinkageMethod; 7] = [
    LinkageMethod::Single,
    LinkageMethod::Complete,
    LinkageMethod::Average,
    LinkageMethod::Weighted,
    LinkageMethod::Ward,
    LinkageMethod::Centroid,
    LinkageMethod::Median,
];

fn all_distances(points: &PointTable) -> CondensedDistances {
    let rows: Vec<usize> = (0..points.rows()).collect();
    CondensedDistances::new(points, &rows, DistanceMetric::Euclidean, &NoWatch).unwrap()
}

/// The heights of the last merges by the definitions of the methods, on two groups.
#[test]
fn trees_have_every_row_once() {
    for method in LINKAGES {
        for table in [
            columns(50, 3, 2),
            vec![vec![1.0; 12]; 2],
            vec![vec![0.0, 5.0]],
        ] {
            let points = plain(&table);
            let distances = all_distances(&points);
            let tree = link_clusters(distances.clone(), method, &NoWatch).unwrap();
            let mut order = tree.leaf_order();
            order.sort_unstable();
            assert_eq!(order, (0..points.rows()).collect::<Vec<_>>());
            assert_eq!(tree.merges().last().unwrap().size, points.rows());
            for count in [1, 2, points.rows()] {
                let labels = tree.cut_by_number(count);
                assert_eq!(labels.iter().max(), Some(&(count - 1)), "{method:?}");
            }
            let correlation = tree.cophenetic_correlation(&distances, &NoWatch).unwrap();
            assert!(correlation.is_none_or(|value| (0.0..=1.0).contains(&value)));
            assert_eq!(correlation.is_none(), points.rows() != 50, "{method:?}");
        }
    }
}

/// On a line: rows 0, 1, 3, 7 join in this order, and the heights follow from the definitions.
#[test]
fn heights_are_those_of_the_definitions() {
    let points = plain(&[vec![0.0, 1.0, 3.0, 7.0]]);
    let heights = |method| -> Vec<f64> {
        let tree = link_clusters(all_distances(&points), method, &NoWatch).unwrap();
        let merges = tree.merges().iter();
        merges
            .map(|merge| points.in_units(merge.height, DistanceMetric::Euclidean))
            .collect()
    };
    let near = |method, expected: [f64; 3]| {
        for (found, expected) in heights(method).iter().zip(expected) {
            assert!(
                (found - expected).abs() < 1e-14,
                "{method:?} {found} {expected}"
            );
        }
    };
    near(LinkageMethod::Single, [1.0, 2.0, 4.0]);
    near(LinkageMethod::Complete, [1.0, 3.0, 7.0]);
    near(LinkageMethod::Average, [1.0, 2.5, 17.0 / 3.0]);
    near(LinkageMethod::Weighted, [1.0, 2.5, 5.25]);
    near(LinkageMethod::Centroid, [1.0, 2.5, 7.0 - 4.0 / 3.0]);
    near(LinkageMethod::Median, [1.0, 2.5, 7.0 - 1.75]);
    // sqrt(2 n m / (n + m)) times the distance of the means.
    let ward = |n: f64, m: f64, distance: f64| (2.0 * n * m / (n + m)).sqrt() * distance;
    near(
        LinkageMethod::Ward,
        [1.0, ward(2.0, 1.0, 2.5), ward(3.0, 1.0, 7.0 - 4.0 / 3.0)],
    );
}

#[test]
fn dense_places_do_not_depend_on_the_order_of_rows() {
    let mut table = columns(150, 2, 21);
    for (row, value) in table[0].iter_mut().enumerate() {
        *value += f64::from(u8::from(row % 2 == 0)) * 1.6;
    }
    let density = |table: &[Vec<f64>]| {
        let points = plain(table);
        let request = DensityRequest {
            points: &points,
            metric: DistanceMetric::Euclidean,
            radius: points.from_units(0.11, DistanceMetric::Euclidean),
            least: 4,
        };
        cluster_by_density(request, &NoWatch).unwrap()
    };
    let found = density(&table);
    let reversed: Vec<Vec<f64>> = table
        .iter()
        .map(|column| column.iter().rev().copied().collect())
        .collect();
    let turned = density(&reversed);
    assert_eq!(found.clusters, turned.clusters);
    for a in 0..150 {
        assert_eq!(found.is_core[a], turned.is_core[149 - a]);
        assert_eq!(found.labels[a].is_none(), turned.labels[149 - a].is_none());
        for b in 0..a {
            let same = |labels: &[Option<usize>], a: usize, b: usize| labels[a] == labels[b];
            assert_eq!(
                same(&found.labels, a, b),
                same(&turned.labels, 149 - a, 149 - b)
            );
        }
    }
    assert!(found.labels.iter().any(Option::is_none) && found.clusters >= 2);
}

#[test]
fn knees_and_densities_of_equal_rows() {
    assert_eq!(knee_of(&[1.0, 1.0, 1.0, 1.1, 9.0]), Some(1.1));
    assert_eq!(knee_of(&[0.0, 0.0]), Some(0.0));
    assert_eq!(knee_of(&[]), None);
    let points = plain(&[vec![3.0; 30]]);
    let request = DensityRequest {
        points: &points,
        metric: DistanceMetric::Manhattan,
        radius: 0.0,
        least: 5,
    };
    let found = cluster_by_density(request, &NoWatch).unwrap();
    assert!(found.clusters == 1 && found.labels.iter().all(|label| *label == Some(0)));
}

/// Scores times directions give the centred columns back, and variances sum up.
#[test]
fn components_rebuild_the_columns() {
    for (rows, count) in [(30, 4), (4, 7), (2, 3), (5, 1)] {
        let mut table = columns(rows, count, 31);
        table[0].iter_mut().for_each(|x| *x = *x * 50.0 + 1e6);
        for scaling in [ColumnScaling::Plain, ColumnScaling::Standard] {
            let pca = fit_pca(&table, scaling, &NoWatch).unwrap();
            let size = pca.directions.len();
            assert_eq!(size, count.min(rows - 1), "{rows} {count}");
            let scores = pca.scores(size, &NoWatch).unwrap();
            for (row, scores) in scores.chunks(size).enumerate() {
                for (column, cells) in table.iter().enumerate() {
                    let parts = scores.iter().zip(&pca.directions);
                    let image: f64 = parts.map(|(s, direction)| s * direction[column]).sum();
                    let unit = match scaling {
                        ColumnScaling::Plain => 1.0,
                        ColumnScaling::Standard => pca.deviations[column],
                    };
                    let expected = (cells[row] - pca.means[column]) / unit;
                    assert!(
                        (image - expected).abs() < 1e-8,
                        "{rows} {count} {scaling:?}"
                    );
                }
            }
            assert!(pca.variance_error < 1e-12);
            assert!((pca.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn units_change_no_component() {
    let table = columns(25, 3, 41);
    let plain = fit_pca(&table, ColumnScaling::Plain, &NoWatch).unwrap();
    for exponent in [-600, -40, 40, 400] {
        let factor = 2.0_f64.powi(exponent);
        let scaled: Vec<Vec<f64>> = table
            .iter()
            .map(|column| column.iter().map(|x| x * factor).collect())
            .collect();
        let pca = fit_pca(&scaled, ColumnScaling::Plain, &NoWatch).unwrap();
        assert_eq!(pca.directions, plain.directions);
        assert_eq!(pca.shares, plain.shares);
        assert_eq!(pca.variances[0], plain.variances[0] * factor * factor);
    }
    let collinear = vec![
        table[0].clone(),
        table[0].iter().map(|x| 0.1 * x + 3.0).collect(),
    ];
    let pca = fit_pca(&collinear, ColumnScaling::Standard, &NoWatch).unwrap();
    assert_eq!((pca.directions.len(), pca.kaiser_count()), (1, 1));
    assert!(
        pca.directions[0]
            .iter()
            .all(|x| (x - 0.5_f64.sqrt()).abs() < 1e-12)
    );
    let constant = vec![vec![0.1; 9]; 2];
    for scaling in [ColumnScaling::Plain, ColumnScaling::Standard] {
        let err = fit_pca(&constant, scaling, &NoWatch).unwrap_err();
        assert_eq!(err, MultivariateError::Constant);
    }
}

/// The limits of two columns without correlation lie around 1, and grow with fewer rows.
#[test]
fn chance_has_components_too() {
    let limits =
        |rows| parallel_limits(rows, &[1.0, 1.0], ColumnScaling::Standard, 5, &NoWatch).unwrap();
    let (few, many) = (limits(12), limits(5000));
    assert!(few[0] > 1.3 && few[0] < 1.9 && many[0] < 1.06 && many[0] > 1.0);
    assert!(many[1] < 1.001 && few.len() == 2);
    // The larger of 1 + |r| and 1 - |r|, with |r| below its 95 % point for 12 rows (0.5760, R. A. Fisher and F. Yates, table VII).
    assert!((few[0] - 1.576).abs() < 0.06, "{few:?}");
}

/// B. Rosner, Technometrics 25, 1983, as in the NIST/SEMATECH e-handbook, section 1.3.5.17.3: three outliers, with these statistics and limits.
#[test]
fn rosner_has_three_outliers() {
    const DATA: [f64; 54] = [
        -0.25, 0.68, 0.94, 1.15, 1.20, 1.26, 1.26, 1.34, 1.38, 1.43, 1.49, 1.49, 1.55, 1.56, 1.58,
        1.65, 1.69, 1.70, 1.76, 1.77, 1.81, 1.91, 1.94, 1.96, 1.99, 2.06, 2.09, 2.10, 2.14, 2.15,
        2.23, 2.24, 2.26, 2.35, 2.37, 2.40, 2.47, 2.54, 2.62, 2.64, 2.90, 2.92, 2.92, 2.93, 3.21,
        3.26, 3.30, 3.59, 3.68, 4.30, 4.64, 5.34, 5.42, 6.01,
    ];
    let test = generalised_deviates(&DATA, 10, 0.05);
    let expected = [
        (3.118, 3.158),
        (2.942, 3.151),
        (3.179, 3.143),
        (2.810, 3.136),
    ];
    for (step, (statistic, limit)) in test.steps.iter().zip(expected) {
        assert!((step.statistic - statistic).abs() < 1e-3, "{step:?}");
        assert!((step.limit - limit).abs() < 2e-3, "{step:?}");
        assert_eq!(step.p < 0.05, step.statistic > step.limit);
    }
    assert_eq!((test.outliers, test.steps.len()), (3, 10));
}

#[test]
fn fences_and_scores_of_ties() {
    let values = [1.0, 2.0, 2.0, 2.0, 2.0, 3.0, 50.0];
    let scores = robust_scores(&values);
    assert!(scores.is_mean && scores.median == 2.0 && scores.scores[6] > 3.5);
    let constant = robust_scores(&[4.0; 5]);
    assert!(constant.scale == 0.0 && constant.scores == [0.0; 5]);
    let fences = tukey_fences(&values, 1.5);
    assert_eq!((fences.low, fences.high), (1.25, 3.25));
    let wide = tukey_fences(&[-1.7e308, -1.7e308, 1.7e308, 1.7e308], 1.5);
    assert_eq!((wide.low, wide.high), (f64::MIN, f64::MAX));
    assert!(generalised_deviates(&[3.0; 9], 3, 0.05).steps.is_empty());
}

/// The least determinant over all subsets of 8 of 13 rows, and the rows far away.
#[test]
fn the_subset_has_the_least_determinant() {
    let mut table = columns(13, 2, 77);
    for (column, offset) in [(0, 6.0), (1, -4.0)] {
        (10..13).for_each(|row| table[column][row] += offset);
    }
    let points = PointTable::new(&table, ColumnScaling::Standard, &NoWatch).unwrap();
    let robust = fit_mcd(&points, 8, &NoWatch).unwrap();
    let half = robust.subset.len();
    assert_eq!(half, 8);
    let determinant = |rows: &[usize]| {
        let mean = |column: usize| {
            rows.iter().map(|row| points.row(*row)[column]).sum::<f64>() / rows.len() as f64
        };
        let means = [mean(0), mean(1)];
        let product = |a: usize, b: usize| -> f64 {
            let parts = rows.iter().map(|row| {
                let cells = points.row(*row);
                (cells[a] - means[a]) * (cells[b] - means[b])
            });
            parts.sum()
        };
        product(0, 0) * product(1, 1) - product(0, 1).powi(2)
    };
    let found = determinant(&robust.subset);
    for mask in 0_u32..1 << 13 {
        if mask.count_ones() == 8 {
            let rows: Vec<usize> = (0..13).filter(|row| mask >> row & 1 == 1).collect();
            assert!(determinant(&rows) >= found * (1.0 - 1e-9), "{rows:?}");
        }
    }
    assert!(robust.squares[10..].iter().all(|square| *square > 50.0));
    let flat = vec![columns(30, 1, 3)[0].clone(), columns(30, 1, 3)[0].clone()];
    let flat = PointTable::new(&flat, ColumnScaling::Standard, &NoWatch).unwrap();
    let err = fit_mcd(&flat, 1, &NoWatch).unwrap_err();
    assert!(matches!(err, MultivariateError::Dependent(_)));
}

/// Groups of rows beyond 600: a fifth far away does not move the mean.
#[test]
fn large_samples_are_searched_in_groups() {
    let mut table = columns(1000, 3, 13);
    (0..200).for_each(|row| table[1][row] += 30.0);
    let points = PointTable::new(&table, ColumnScaling::Standard, &NoWatch).unwrap();
    let robust = fit_mcd(&points, 2, &NoWatch).unwrap();
    assert!(robust.subset.iter().all(|row| *row >= 200));
    assert!(robust.squares[..200].iter().all(|square| *square > 100.0));
    assert_eq!(robust, fit_mcd(&points, 2, &NoWatch).unwrap());
}

#[test]
fn rows_outside_are_sparser_than_their_neighbours() {
    let mut table = columns(60, 2, 51);
    (table[0][17], table[1][17]) = (5.0, 5.0);
    let factors = local_outlier_factors(&plain(&table), 8, &NoWatch).unwrap();
    assert!(factors[17] > 5.0);
    let others = (0..60).filter(|row| *row != 17);
    assert!(others.clone().all(|row| factors[row] < 2.0));
    let same = local_outlier_factors(&plain(&[vec![1.0; 12]]), 3, &NoWatch).unwrap();
    assert_eq!(same, [1.0; 12]);
    let mut doubled = vec![0.0; 20];
    doubled.push(9.0);
    let factors = local_outlier_factors(&plain(&[doubled]), 3, &NoWatch).unwrap();
    assert!(factors.iter().all(|factor| factor.is_finite()) && factors[20] > 1e6);
}

/// A caller who stops everything.
struct StopWatch;

impl Watch for StopWatch {
    fn check(&self) -> Result<(), Interruption> {
        Err(Interruption::Stopped)
    }
}

#[test]
fn work_ends_where_the_caller_says_so() {
    let stopped = MultivariateError::Interrupted(Interruption::Stopped);
    let points = plain(&columns(30, 2, 1));
    let request = KMeansRequest {
        points: &points,
        clusters: 2,
        starts: 1,
        iterations_max: 9,
        seed: 1,
    };
    assert_eq!(fit_kmeans(request, &StopWatch).unwrap_err(), stopped);
    assert_eq!(fit_mcd(&points, 1, &StopWatch).unwrap_err(), stopped);
    let distances = all_distances(&points);
    let err = link_clusters(distances, LinkageMethod::Ward, &StopWatch).unwrap_err();
    assert_eq!(err, stopped);
    let err = local_outlier_factors(&points, 3, &StopWatch).unwrap_err();
    assert_eq!(err, stopped);
}
