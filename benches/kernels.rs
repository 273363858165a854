//! Tools as the runtime calls them, without door, policy and audit: decode checked values, run, encode.

use benches::{arguments, matrix, uniform};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use tool_core::{AnyTool, Ctx, Value, convert::to_value};

/// As the binaries do.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn tool(id: &str) -> &'static dyn AnyTool {
    let entries = math_tools::FAMILIES.iter().flat_map(|family| family.iter());
    entries
        .map(|entry| entry.tool())
        .find(|tool| tool.spec().id == id)
        .expect("a tool of that name")
}

fn run(id: &str, args: &Value) -> Value {
    tool(id)
        .decode(args)
        .and_then(|call| call.run(&Ctx::default()))
        .expect("runs")
}

fn linear_algebra(criterion: &mut Criterion) {
    for id in ["matrix_solve", "matrix_eigenvalues", "matrix_svd"] {
        let mut group = criterion.benchmark_group(id);
        group.sample_size(10);
        for n in [4, 16, 100, 300, 500] {
            let mut members = vec![("A", to_value(&matrix(n)).expect("finite"))];
            if id == "matrix_solve" {
                members.push(("b", Value::vector(uniform(n))));
            }
            let args = Value::object(members);
            group.bench_with_input(BenchmarkId::from_parameter(n), &args, |bencher, args| {
                bencher.iter(|| run(id, args))
            });
        }
        group.finish();
    }
}

fn expressions(criterion: &mut Criterion) {
    use math_tools::expression::{Expression, ExpressionScope};
    let mut group = criterion.benchmark_group("expression sin(x0)*exp(-x1**2)");
    let text = "sin(x0)*exp(-x1**2)";
    group.bench_function("parse", |bencher| {
        bencher.iter(|| Expression::parse(text, &ExpressionScope::point(2)).expect("parses"))
    });
    let expression = Expression::parse(text, &ExpressionScope::point(2)).expect("parses");
    let mut evaluator = expression.evaluator();
    group.bench_function("one point", |bencher| {
        bencher.iter(|| evaluator.eval(&[0.3, 0.7]))
    });
    let (x0, x1, mut out) = (uniform(1024), uniform(1024), vec![0.0; 1024]);
    group.throughput(criterion::Throughput::Elements(1024));
    group.bench_function("1024 points", |bencher| {
        bencher.iter(|| evaluator.eval_block(&[&x0, &x1], &mut out))
    });
    group.finish();
}

/// Value and gradient of expressions of ten variables, at one point and over blocks.
fn gradients(criterion: &mut Criterion) {
    use math_tools::expression::{Expression, ExpressionScope, ExpressionSystem, LANES};
    const N: usize = 10;
    let rosenbrock: Vec<String> = (0..N - 1)
        .map(|i| format!("100*(x{}-x{i}**2)**2+(1-x{i})**2", i + 1))
        .collect();
    let density: Vec<String> = (0..N)
        .map(|i| format!("log(1+exp(x{i}*x{}))-sin(x{i})**2/2", (i + 1) % N))
        .collect();
    let slots: Vec<usize> = (0..N).collect();
    let columns: Vec<Vec<f64>> = (0..N).map(|i| uniform(LANES + i)[i..].to_vec()).collect();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let point = uniform(N);
    for (name, text) in [
        ("Rosenbrock-10", rosenbrock.join("+")),
        ("logistic-10", density.join("+")),
    ] {
        let mut group = criterion.benchmark_group(format!("gradient {name}"));
        let expression = Expression::parse(&text, &ExpressionScope::point(N)).expect("parses");
        let value = ExpressionSystem::values([&expression]);
        let both = ExpressionSystem::value_and_gradient(&expression, &slots).expect("is smooth");
        for (kind, system, outputs) in [("value", &value, 1), ("value and gradient", &both, N + 1)]
        {
            let mut evaluator = system.evaluator();
            let mut out = vec![0.0; outputs];
            group.bench_function(format!("{kind}, one point"), |bencher| {
                bencher.iter(|| evaluator.point(&point, &mut out));
            });
            let mut blocks = vec![vec![0.0; LANES]; outputs];
            group.bench_function(format!("{kind}, {LANES} points"), |bencher| {
                bencher.iter(|| {
                    let mut out: Vec<&mut [f64]> =
                        blocks.iter_mut().map(Vec::as_mut_slice).collect();
                    evaluator.block(&columns, &mut out);
                });
            });
        }
        group.finish();
    }
}

fn methods(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("methods");
    group.sample_size(10);
    for (name, id, args) in [
        (
            "solve_ode Lorenz",
            "solve_ode",
            r#"{"system":["10*(y1-y0)","y0*(28-y2)-y1","y0*y1-8/3*y2"],"y0":[1,1,1],"t_span":[0,10],"rtol":1e-9,"atol":1e-12}"#,
        ),
        (
            "solve_ode Van der Pol 1000",
            "solve_ode",
            r#"{"system":["y1","((1-y0**2)*y1-y0)*1e6"],"y0":[2,0],"t_span":[0,2],"rtol":1e-9,"atol":1e-12,"t_eval":[2]}"#,
        ),
        (
            "solve_ode Robertson",
            "solve_ode",
            r#"{"system":["-0.04*y0+1e4*y1*y2","0.04*y0-1e4*y1*y2-3e7*y1**2","3e7*y1**2"],"y0":[1,0,0],"t_span":[0,1e11],"rtol":1e-9,"atol":1e-17,"t_eval":[1e11]}"#,
        ),
        (
            "solve_ode HIRES",
            "solve_ode",
            r#"{"system":["-1.71*y0+0.43*y1+8.32*y2+0.0007","1.71*y0-8.75*y1","-10.03*y2+0.43*y3+0.035*y4","8.32*y1+1.71*y2-1.12*y3","-1.745*y4+0.43*y5+0.43*y6","-280*y5*y7+0.69*y3+1.71*y4-0.43*y5+0.69*y6","280*y5*y7-1.81*y6","-280*y5*y7+1.81*y6"],"y0":[1,0,0,0,0,0,0,0.0057],"t_span":[0,321.8122],"rtol":1e-9,"atol":1e-12,"t_eval":[321.8122]}"#,
        ),
        (
            "optimize Rosenbrock-2",
            "optimize",
            r#"{"objective":"rosenbrock","x0":[-1.2,1]}"#,
        ),
        (
            "monte_carlo_native 10^6",
            "monte_carlo_native",
            r#"{"function":"sin(x0)*exp(-x1**2)","bounds":[[0,3],[-3,3]],"n_samples":1000000}"#,
        ),
        (
            "mcmc 2-D, 4 x 10^4",
            "mcmc",
            r#"{"log_density":"-0.5*(x0**2+x1**2)","x0":[0,0],"n_samples":10000}"#,
        ),
        (
            "nuts 10-D Gaussian rho 0.9, 4 x 5000",
            "mcmc",
            r#"{"method":"nuts","log_density":"-0.5*x0**2 - 0.5*((x1-0.9*x0)**2 + (x2-0.9*x1)**2 + (x3-0.9*x2)**2 + (x4-0.9*x3)**2 + (x5-0.9*x4)**2 + (x6-0.9*x5)**2 + (x7-0.9*x6)**2 + (x8-0.9*x7)**2 + (x9-0.9*x8)**2)/0.19","x0":[0,0,0,0,0,0,0,0,0,0],"n_samples":5000,"return_samples":false}"#,
        ),
        (
            "bayesopt 1-D, 25 evaluations",
            "bayesopt",
            r#"{"bounds":[[0,5]],"objective":"-(x0-2)**2","n_iter":20}"#,
        ),
    ] {
        let args = arguments(args);
        group.bench_function(name, |bencher| bencher.iter(|| run(id, &args)));
    }
    let data = Value::object([("data", Value::vector(uniform(1_000_000)))]);
    group.bench_function("statistics 10^6", |bencher| {
        bencher.iter(|| run("statistics", &data))
    });
    group.finish();
}

criterion_group!(kernels, linear_algebra, expressions, gradients, methods);
criterion_main!(kernels);
