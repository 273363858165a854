//! Statistics against anofox: `hypothesis_test`, `anova`, `correlation`, `contingency`, the models and `survival`, called with JSON as a user calls them, beside
//! `anofox-statistics` and `anofox-regression` on several hundred random data sets each, of 3 to 200 rows: with ties, heavy tails, skewed, shifted, of unequal groups.
//!
//!     cargo test --manifest-path tests/anofox/Cargo.toml -- --nocapture     # the pairs of each number, and how much of its tolerance is used
//!
//! Statistics and estimates agree to a relative 1e-9, p values to 1e-8 (also of 1e-100), ends of intervals to 1e-8; where a tolerance is wider, it says why.
//! `Comparison::end` also fails where a wrong number would pass.
//!
//! # What is not compared
//! Where both differ, R's documentation, SciPy, statsmodels and exact values decided.
//!
//! | number | ours | anofox |
//! |---|---|---|
//! | interval of kappa | Fleiss, Cohen and Everitt (1969), as statsmodels | leaves out the pairs that disagree |
//! | chi-squared of two rows and columns, corrected, where counts differ by less than 1/2 from the expected ones | corrected by no more than the difference, as R and SciPy: 0 | corrected beyond 0 |
//! | p of Games and Howell, fewer than 10 degrees of freedom | Student's p for two groups, SciPy's for more | nodes of R's `ptukey`: 3 digits, or 1e-5 |
//! | p of Anderson and Darling, k samples | the limit by Imhof's integral | the curve of `kSamples` through simulated levels |
//! | p of Kolmogorov and Smirnov, large samples | exact up to 4 million pairs | R's limit beyond 10,000 |
//! | exact p of ranks with ties, of Spearman and Kendall | counted | normal, Student |
//! | shift and its interval where p is not exact | median of the differences and order statistics | R's search for the shift of z = 0, to 1e-4 |
//! | one-sided intervals of Yuen, Brunner and Munzel | of one side | of both sides |
//! | interval of Spearman's rho | error of Bonett and Wright (2000) | error of Pearson's r |
//! | interval of a difference of proportions | Newcombe's (1998) | Wald's, as R |
//! | errors of probit and cloglog | with probabilities up to 0 and 1, as statsmodels | probabilities are kept away from both: 4 digits |
//! | ridge part of an elastic net | over the deviations of the columns | over that of the response too, as glmnet; equal for a response of deviation 1 |
//! | errors of quantiles | Powell's kernel, homogeneous | `iid` and `nid` of quantreg |

#[cfg(test)]
mod associations;
#[cfg(test)]
mod call;
#[cfg(test)]
mod comparison;
#[cfg(test)]
mod counts;
#[cfg(test)]
mod draws;
#[cfg(test)]
mod means;
#[cfg(test)]
mod models;
#[cfg(test)]
mod ranks;
#[cfg(test)]
mod times;
