//! The logarithms of densities and probabilities, as texts of the language.
//!
//! A call takes the place of the template's nodes, so that values, bounds and derivatives are those of its formula. Arguments are in the
//! order and parametrisation of Stan (Stan Functions Reference, "Continuous Distributions on R" and the chapters after it); outside
//! the support the value is minus infinity.

/// The logarithm of a density.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LogDensity {
    pub(crate) name: &'static str,
    /// Its operands.
    pub(crate) names: &'static [&'static str],
    /// The value as an expression of these; `support(condition, value)` is minus infinity where the condition does not hold.
    pub(crate) text: &'static str,
}

/// Every template.
pub(crate) fn density_templates() -> impl Iterator<Item = &'static LogDensity> {
    ALL.iter().chain(DISTRIBUTIONS)
}

macro_rules! densities {
    ($(#[$doc:meta])* $list:ident: $($name:ident($($operand:ident),+) = $text:literal;)+) => {
        $(#[$doc])*
        pub(crate) static $list: &[LogDensity] = &[$(LogDensity {
            name: stringify!($name),
            names: &[$(stringify!($operand)),+],
            text: $text,
        }),+];
    };
}

densities! {
    /// Every density.
    ALL:
    normal_lpdf(y, mu, sigma) = "-((y - mu) / sigma)**2 / 2 - log(sigma) - log(2*pi)/2";
    std_normal_lpdf(y) = "-y**2 / 2 - log(2*pi)/2";
    lognormal_lpdf(y, mu, sigma) = "support(y > 0, -((log(y) - mu) / sigma)**2 / 2 - log(y) - log(sigma) - log(2*pi)/2)";
    student_t_lpdf(y, nu, mu, sigma) = "support(nu > 0, lgamma((nu + 1) / 2) - lgamma(nu / 2) - log(pi * nu) / 2 - log(sigma)
        - (nu + 1) / 2 * log1p(((y - mu) / sigma)**2 / nu))";
    cauchy_lpdf(y, mu, sigma) = "-log(pi) - log(sigma) - log1p(((y - mu) / sigma)**2)";
    laplace_lpdf(y, mu, sigma) = "-abs(y - mu) / sigma - log(2 * sigma)";
    logistic_lpdf(y, mu, sigma) = "z = (y - mu) / sigma; -z - log(sigma) - 2 * logaddexp(0, -z)";
    gumbel_lpdf(y, mu, beta) = "z = (y - mu) / beta; -z - exp(-z) - log(beta)";
    half_normal_lpdf(y, sigma) = "support(y >= 0, -(y / sigma)**2 / 2 - log(sigma) - log(pi/2)/2)";
    half_cauchy_lpdf(y, sigma) = "support(y >= 0, log(2/pi) - log(sigma) - log1p((y / sigma)**2))";
    exponential_lpdf(y, rate) = "support(y >= 0, log(rate) - rate * y)";
    gamma_lpdf(y, shape, rate) = "support((y > 0) * (shape > 0), shape * log(rate) - lgamma(shape) + (shape - 1) * log(y) - rate * y)";
    inv_gamma_lpdf(y, shape, scale) = "support((y > 0) * (shape > 0), shape * log(scale) - lgamma(shape) - (shape + 1) * log(y) - scale / y)";
    chi_square_lpdf(y, nu) = "support((y > 0) * (nu > 0), (nu / 2 - 1) * log(y) - y / 2 - nu / 2 * log(2) - lgamma(nu / 2))";
    weibull_lpdf(y, shape, scale) = "support((y > 0) * (shape > 0), log(shape) - log(scale) + (shape - 1) * log(y / scale) - (y / scale)**shape)";
    pareto_lpdf(y, low, shape) = "support((y >= low) * (low > 0), log(shape) + shape * log(low) - (shape + 1) * log(y))";
    beta_lpdf(y, a, b) = "support((y > 0) * (y < 1) * (a > 0) * (b > 0),
        lgamma(a + b) - lgamma(a) - lgamma(b) + (a - 1) * log(y) + (b - 1) * log1p(-y))";
    uniform_lpdf(y, low, high) = "support((y >= low) * (y <= high) * (low < high), -log(high - low))";
    bernoulli_lpmf(k, p) = "support(((k == 0) + (k == 1)) * (p >= 0) * (p <= 1), if(k == 1, log(p), log1p(-p)))";
    bernoulli_logit_lpmf(k, logit) = "support((k == 0) + (k == 1), -logaddexp(0, (1 - 2*k) * logit))";
    binomial_lpmf(k, n, p) = "support((k >= 0) * (k <= n) * (k == floor(k)) * (n == floor(n)) * (p >= 0) * (p <= 1), lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
        + if(k == 0, 0, k * log(p)) + if(k == n, 0, (n - k) * log1p(-p)))";
    binomial_logit_lpmf(k, n, logit) = "support((k >= 0) * (k <= n) * (k == floor(k)) * (n == floor(n)), lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
        - k * logaddexp(0, -logit) - (n - k) * logaddexp(0, logit))";
    poisson_lpmf(k, rate) = "support((k >= 0) * (k == floor(k)) * (rate >= 0), if(k == 0, 0, k * log(rate)) - rate - lgamma(k + 1))";
    poisson_log_lpmf(k, lograte) = "support((k >= 0) * (k == floor(k)), k * lograte - exp(lograte) - lgamma(k + 1))";
    neg_binomial_2_lpmf(k, mu, phi) = "support((k >= 0) * (k == floor(k)) * (mu > 0) * (phi > 0), lgamma(k + phi) - lgamma(k + 1) - lgamma(phi)
        + k * (log(mu) - log(mu + phi)) - phi * log1p(mu / phi))";
    geometric_lpmf(k, p) = "support((k >= 0) * (k == floor(k)) * (p > 0) * (p <= 1), log(p) + if(k == 0, 0, k * log1p(-p)))";
}

densities! {
    /// Distribution functions, their complements, and quantiles.
    DISTRIBUTIONS:
    normal_cdf(y, mu, sigma) = "normcdf((y - mu) / sigma)";
    normal_ccdf(y, mu, sigma) = "normcdf((mu - y) / sigma)";
    normal_quantile(p, mu, sigma) = "mu + sigma * normppf(p)";
    student_t_cdf(y, nu, mu, sigma) = "tcdf((y - mu) / sigma, nu)";
    student_t_ccdf(y, nu, mu, sigma) = "tcdf((mu - y) / sigma, nu)";
    student_t_quantile(p, nu, mu, sigma) = "mu + sigma * tinv(p, nu)";
    chi_square_cdf(y, nu) = "gammainc(nu / 2, max(y, 0) / 2)";
    chi_square_ccdf(y, nu) = "gammaincc(nu / 2, max(y, 0) / 2)";
    chi_square_quantile(p, nu) = "2 * gammaincinv(nu / 2, p)";
    gamma_cdf(y, shape, rate) = "gammainc(shape, rate * max(y, 0))";
    gamma_ccdf(y, shape, rate) = "gammaincc(shape, rate * max(y, 0))";
    gamma_quantile(p, shape, rate) = "gammaincinv(shape, p) / rate";
    beta_cdf(y, a, b) = "betainc(a, b, clip(y, 0, 1))";
    beta_ccdf(y, a, b) = "betaincc(a, b, clip(y, 0, 1))";
    beta_quantile(p, a, b) = "betaincinv(a, b, p)";
    f_cdf(y, d1, d2) = "z = max(y, 0) * d1; betainc(d1 / 2, d2 / 2, z / (z + d2))";
    f_ccdf(y, d1, d2) = "z = max(y, 0) * d1; betainc(d2 / 2, d1 / 2, d2 / (z + d2))";
    f_quantile(p, d1, d2) = "z = betaincinv(d1 / 2, d2 / 2, p); w = betaincinv(d2 / 2, d1 / 2, 1 - p); d2 / d1 * if(p <= 0.5, z / (1 - z), (1 - w) / w)";
    poisson_cdf(k, rate) = "if(k < 0, 0, gammaincc(floor(k) + 1, rate))";
    poisson_ccdf(k, rate) = "if(k < 0, 1, gammainc(floor(k) + 1, rate))";
    fcdf(y, d1, d2) = "z = max(y, 0) * d1; betainc(d1 / 2, d2 / 2, z / (z + d2))";
    finv(p, d1, d2) = "z = betaincinv(d1 / 2, d2 / 2, p); w = betaincinv(d2 / 2, d1 / 2, 1 - p); d2 / d1 * if(p <= 0.5, z / (1 - z), (1 - w) / w)";
    chi2cdf(y, nu) = "gammainc(nu / 2, max(y, 0) / 2)";
    chi2inv(p, nu) = "2 * gammaincinv(nu / 2, p)";
}
