# The part of `statistics_tools.py` that R computes: cases as lines of JSON on standard output, tables first. Only packages of R itself are used.

options(digits = 17, warn = -1)
number <- function(x) ifelse(is.na(x), "null", sprintf("%.17g", as.numeric(x)))
list_of <- function(x) paste0("[", paste(x, collapse = ","), "]")
text <- function(x) paste0('"', x, '"')
column <- function(x) list_of(if (is.numeric(x)) number(x) else text(as.character(x)))
version <- paste0("R ", R.version$major, ".", R.version$minor)

table_of <- function(name, frame) {
  columns <- sapply(names(frame), function(key) paste0(text(key), ":", column(frame[[key]])))
  cat('{"table":', text(name), ',"columns":{', paste(columns, collapse = ","), "}}\n", sep = "")
}

check <- function(at, expected, tolerance = 1e-10) {
  expected <- if (is.character(expected)) text(expected) else list_of(number(expected))
  paste0('{"at":', text(at), ',"expected":', expected, ',"tolerance":', tolerance, "}")
}

case <- function(title, tool, table, args, source, ...) {
  cat('{"title":', text(title), ',"tool":', text(tool), ',"table":', text(table), ',"args":{', args, '},"checks":',
    list_of(c(...)), ',"source":', text(paste0(version, " ", source)), "}\n", sep = "")
}

by_appearance <- function(labels) match(labels, unique(labels)) - 1
plain <- function(frame) { names(frame) <- tolower(gsub(".", "_", names(frame), fixed = TRUE)); frame }

# Components
arrests <- plain(USArrests)
cars <- plain(mtcars[, c("mpg", "disp", "hp", "wt", "qsec")])
trees_frame <- plain(trees)
table_of("arrests", arrests)
table_of("attitude", attitude)
table_of("cars", cars)
table_of("trees", trees_frame)
for (set in list(list("arrests", arrests, c(FALSE, TRUE)), list("attitude", attitude, c(FALSE, TRUE)), list("cars", cars, TRUE), list("trees", trees_frame, TRUE))) {
  for (scaled in set[[3]]) {
    fit <- prcomp(set[[2]], scale. = scaled)
    largest <- apply(fit$rotation, 2, function(v) v[which.max(abs(v))])
    rotation <- sweep(fit$rotation, 2, sign(largest), "*")
    scores <- sweep(fit$x, 2, sign(largest), "*")
    variance <- fit$sdev^2
    last <- nrow(scores) - 1
    case(paste("components of", set[[1]], if (scaled) "standardised" else "as they are"), "pca", set[[1]], paste0('"standardise":', tolower(scaled)), "prcomp",
      check("/components/0/variance", variance[1]), check("/components/1/variance", variance[2]), check("/components/1/cumulative", sum(variance[1:2]) / sum(variance)),
      check("/loadings/0/coefficients", rotation[1, ], 1e-9), check("/loadings/2/coefficients", rotation[3, ], 1e-9),
      check("/scores/0", scores[1, ], 1e-9), check(paste0("/scores/", last), scores[last + 1, ], 1e-9))
  }
}

# Means of clusters: the least sum of 100 starts of Hartigan and Wong's method
faithful_frame <- plain(faithful)
table_of("faithful", faithful_frame)
set.seed(46)
for (set in list(list("faithful", faithful_frame, 2, FALSE), list("faithful", faithful_frame, 3, TRUE), list("arrests", arrests, 4, TRUE), list("attitude", attitude, 2, FALSE),
                 list("trees", trees_frame, 3, TRUE), list("cars", cars, 3, TRUE))) {
  x <- if (set[[4]]) scale(set[[2]]) else as.matrix(set[[2]])
  fit <- kmeans(x, set[[3]], nstart = 100, iter.max = 100)
  sizes <- as.vector(table(by_appearance(fit$cluster)))
  case(paste(set[[3]], "means of", set[[1]]), "kmeans", set[[1]], paste0('"k":', set[[3]], ',"starts":50,"seed":1,"standardise":', tolower(set[[4]])), "kmeans",
    check("/inertia", fit$tot.withinss), check("/total", fit$totss), check("/between_share", fit$betweenss / fit$totss), check("/labels", by_appearance(fit$cluster)),
    check("/clusters/0/n", sizes[1]), check("/clusters/1/n", sizes[2]))
}

# Trees. Centroid and median linkage of R take squared distances and give squared heights.
for (set in list(list("complete", "complete", "euclidean", FALSE), list("average", "average", "euclidean", TRUE), list("single", "single", "euclidean", TRUE),
                 list("ward", "ward.D2", "euclidean", TRUE), list("weighted", "mcquitty", "euclidean", TRUE), list("centroid", "centroid", "euclidean", TRUE),
                 list("median", "median", "euclidean", TRUE), list("complete", "complete", "manhattan", TRUE), list("average", "average", "maximum", FALSE))) {
  x <- if (set[[4]]) scale(arrests) else as.matrix(arrests)
  distances <- dist(x, set[[3]])
  squared <- set[[1]] %in% c("centroid", "median")
  tree <- hclust(if (squared) distances^2 else distances, set[[2]])
  heights <- if (squared) sqrt(tree$height) else tree$height
  metric <- if (set[[3]] == "maximum") "chebyshev" else set[[3]]
  checks <- c(check("/merges/0/height", heights[1]), check("/merges/20/height", heights[21]), check("/merges/47/height", heights[48]), check("/merges/48/height", heights[49]))
  if (!squared) {
    checks <- c(checks, check("/labels", by_appearance(cutree(tree, 4))), check("/cophenetic", cor(distances, cophenetic(tree))))
  }
  case(paste("tree of arrests,", set[[1]], "linkage,", metric), "hierarchical_clustering", "arrests",
    paste0('"linkage":', text(set[[1]]), ',"metric":', text(metric), ',"clusters":4,"standardise":', tolower(set[[4]])), "hclust, cutree, cophenetic", checks)
}

# Neighbours
for (set in list(list("euclidean", "euclidean", 0, TRUE), list("manhattan", "manhattan", 0, FALSE), list("chebyshev", "maximum", 0, TRUE), list("minkowski", "minkowski", 4, TRUE))) {
  x <- if (set[[4]]) scale(arrests) else as.matrix(arrests)
  distances <- as.matrix(dist(x, set[[2]], p = if (set[[3]] > 0) set[[3]] else 2))
  diag(distances) <- Inf
  checks <- c()
  for (row in c(1, 10, 50)) {
    nearest <- order(distances[row, ])[1:3]
    for (rank in 1:3) {
      at <- paste0("/pairs/", 3 * (row - 1) + rank - 1)
      checks <- c(checks, check(paste0(at, "/neighbour"), nearest[rank] - 1), check(paste0(at, "/distance"), distances[row, nearest[rank]]))
    }
  }
  power <- if (set[[3]] > 0) paste0(',"power":', set[[3]]) else ""
  case(paste("neighbours of arrests,", set[[1]]), "nearest_neighbours", "arrests", paste0('"k":3,"metric":', text(set[[1]]), power, ',"standardise":', tolower(set[[4]])), "dist", checks)
}
distances <- as.matrix(dist(as.matrix(arrests)))
case("neighbours of arrests within 20", "nearest_neighbours", "arrests", '"radius":20', "dist", check("/counts", rowSums(distances <= 20) - 1))

# Limits of outliers
for (set in list(list("trees", trees_frame), list("cars", cars), list("attitude", attitude))) {
  checks <- c()
  for (at in 1:2) {
    x <- set[[2]][[at]]
    ends <- median(x) + c(-3.5, 3.5) * mad(x, constant = 1 / qnorm(0.75))
    fences <- quantile(x, c(0.25, 0.75)) + c(-1.5, 1.5) * IQR(x)
    place <- paste0("/methods/", 3 * (at - 1))
    other <- paste0("/methods/", 3 * (at - 1) + 1)
    checks <- c(checks, check(paste0(place, "/low"), ends[1]), check(paste0(place, "/high"), ends[2]), check(paste0(place, "/outliers"), sum(x < ends[1] | x > ends[2])),
      check(paste0(other, "/low"), fences[1]), check(paste0(other, "/high"), fences[2]), check(paste0(other, "/outliers"), sum(x < fences[1] | x > fences[2])))
  }
  case(paste("limits of outliers of", set[[1]]), "outliers", set[[1]], '"seed":1', "mad, quantile, IQR", checks)
}

# Series
series <- list(air = AirPassengers, accidents = USAccDeaths, nile = Nile, huron = LakeHuron, hormone = lh, nottem = nottem)
for (name in names(series)) table_of(name, data.frame(y = as.vector(series[[name]])))
exact <- list(reltol = 1e-14, maxit = 2000)
arima_case <- function(name, order, seasonal = NULL, logs = FALSE, ahead = 6) {
  x <- series[[name]]
  y <- if (logs) log(x) else x
  period <- if (is.null(seasonal)) 1 else 12
  fit <- if (is.null(seasonal)) arima(y, order, method = "ML", optim.control = exact) else
    arima(y, order, seasonal = list(order = seasonal, period = 12), method = "ML", optim.control = exact)
  forecast <- predict(fit, ahead)
  back <- if (logs) exp else identity
  errors <- sqrt(diag(fit$var.coef))
  names_of <- sub("intercept", "mean", names(coef(fit)))
  checks <- c()
  for (at in seq_along(coef(fit))) {
    place <- paste0("/parameters/", at - 1)
    checks <- c(checks, check(paste0(place, "/name"), names_of[at]), check(paste0(place, "/estimate"), coef(fit)[at], 2e-4), check(paste0(place, "/standard_error"), errors[at], 5e-3))
  }
  z <- qnorm(0.975)
  for (step in c(1, ahead)) {
    place <- paste0("/forecast/", step - 1)
    checks <- c(checks, check(paste0(place, "/mean"), back(forecast$pred[step]), 2e-5), check(paste0(place, "/low_95"), back(forecast$pred[step] - z * forecast$se[step]), 1e-4),
      check(paste0(place, "/high_95"), back(forecast$pred[step] + z * forecast$se[step]), 1e-4))
  }
  args <- paste0('"y":"y","period":', period, ',"model":"arima","order":', list_of(order), if (is.null(seasonal)) "" else paste0(',"seasonal_order":', list_of(seasonal)),
    ',"transform":', text(if (logs) "log" else "none"), ',"forecast":', ahead, ',"hold_out":0')
  title <- paste0("ARIMA(", paste(order, collapse = ","), ")", if (is.null(seasonal)) "" else paste0("(", paste(seasonal, collapse = ","), ")"), " of ", name)
  # R starts a differenced series with a large variance, not with none known: 1e-5 of the likelihood.
  likely <- if (order[2] > 0) 2e-5 else 1e-6
  case(title, "time_series", name, args, "arima, predict", check("/fit/log_likelihood", fit$loglik, likely), check("/fit/aic", fit$aic, likely),
    check("/fit/sigma", sqrt(fit$sigma2), 2e-4), checks)
}
arima_case("air", c(0, 1, 1), c(0, 1, 1), TRUE, 12)
arima_case("accidents", c(0, 1, 1), c(0, 1, 1), FALSE, 12)
arima_case("nile", c(0, 1, 1))
arima_case("nile", c(1, 0, 1))
arima_case("huron", c(2, 0, 0))
arima_case("huron", c(1, 1, 0))
arima_case("hormone", c(1, 0, 0))
arima_case("hormone", c(3, 0, 0))
arima_case("hormone", c(1, 0, 1))
arima_case("nottem", c(1, 0, 0), c(2, 1, 0), FALSE, 12)

for (name in c("nile", "huron", "hormone", "accidents")) {
  x <- as.vector(series[[name]])
  r <- acf(x, lag.max = 10, plot = FALSE)$acf[-1]
  partial <- pacf(x, lag.max = 10, plot = FALSE)$acf
  checks <- c()
  for (lag in c(1, 2, 5, 10)) {
    place <- paste0("/correlations/", lag - 1)
    checks <- c(checks, check(paste0(place, "/lag"), lag), check(paste0(place, "/series"), r[lag]), check(paste0(place, "/partial"), partial[lag]))
  }
  case(paste("autocorrelations of", name), "time_series", name, '"y":"y","period":1,"transform":"none","model":"arima","order":[1,0,0],"forecast":0,"hold_out":0', "acf, pacf", checks)
}

# Two strengths of Hyndman and Athanasopoulos (2021), section 4.3, from the parts of STL
for (name in c("accidents", "air")) {
  x <- if (name == "air") log(series[[name]]) else series[[name]]
  parts <- stl(x, s.window = 11, robust = TRUE, inner = 1, outer = 15)$time.series
  strength <- function(part) max(0, 1 - var(parts[, "remainder"]) / var(parts[, part] + parts[, "remainder"]))
  logs <- if (name == "air") "log" else "none"
  case(paste("parts of", name), "time_series", name,
    paste0('"y":"y","period":12,"transform":', text(logs), ',"model":"arima","order":[1,0,0],"forecast":0,"hold_out":0,"columns":true'), "stl",
    check("/strength/trend", strength("trend"), 1e-6), check("/strength/season", strength("seasonal"), 1e-6))
}

# Analysis of variance
breaks <- plain(warpbreaks)
teeth <- plain(ToothGrowth)
teeth$dose <- factor(paste0("d", teeth$dose))
field <- plain(npk)
field$block <- factor(paste0("b", field$block))
for (key in c("n", "p", "k")) field[[key]] <- factor(paste0(key, field[[key]]))
plants <- plain(PlantGrowth)
chicks <- plain(chickwts)
sprays <- plain(InsectSprays)
uneven <- breaks[-c(1, 2, 3, 12, 20, 21, 40), ]
table_of("breaks", breaks)
table_of("uneven", uneven)
table_of("teeth", teeth)
table_of("field", field)
table_of("plants", plants)
table_of("chicks", chicks)
table_of("sprays", sprays)

terms_checks <- function(squares, df, f, p) {
  checks <- c()
  for (at in seq_along(squares)) {
    place <- paste0("/terms/", at - 1)
    checks <- c(checks, check(paste0(place, "/squares"), squares[at]), check(paste0(place, "/df"), df[at]))
    if (!is.na(f[at])) checks <- c(checks, check(paste0(place, "/f"), f[at]), check(paste0(place, "/p"), p[at], 1e-8))
  }
  checks
}
anova_case <- function(title, name, frame, formula) {
  fit <- anova(lm(as.formula(formula), frame))
  case(title, "anova", name, paste0('"formula":', text(formula), ',"type":1,"post_hoc":"none"'), "lm, anova", terms_checks(fit[["Sum Sq"]], fit$Df, fit[["F value"]], fit[["Pr(>F)"]]))
}
anova_case("wool and tension", "breaks", breaks, "breaks ~ wool * tension")
anova_case("wool and tension, cells uneven, first type", "uneven", uneven, "breaks ~ wool * tension")
anova_case("supplement and dose", "teeth", teeth, "len ~ supp * dose")
anova_case("blocks and fertilisers", "field", field, "yield ~ block + n + p + k")
anova_case("feeds", "chicks", chicks, "weight ~ feed")
full <- lm(breaks ~ wool * tension, uneven, contrasts = list(wool = "contr.sum", tension = "contr.sum"))
third <- drop1(full, . ~ ., test = "F")[-1, ]
case("wool and tension, cells uneven, third type", "anova", "uneven", '"formula":"breaks ~ wool * tension","type":3,"post_hoc":"none"', "drop1 with contr.sum",
  terms_checks(third[["Sum of Sq"]], third$Df, third[["F value"]], third[["Pr(>F)"]]))
second <- drop1(lm(breaks ~ wool + tension, uneven))[-1, ]
error <- sum(resid(full)^2) / full$df.residual
f <- second[["Sum of Sq"]] / second$Df / error
case("wool and tension, cells uneven, second type", "anova", "uneven", '"formula":"breaks ~ wool * tension","type":2,"post_hoc":"none"', "drop1 of the model without interaction",
  terms_checks(second[["Sum of Sq"]], second$Df, f, pf(f, second$Df, full$df.residual, lower.tail = FALSE)))
tukey_checks <- function(tukey, groups) {
  checks <- c()
  pairs <- strsplit(rownames(tukey), "-", fixed = TRUE)
  ours <- combn(groups, 2)
  for (at in seq_len(ncol(ours))) {
    row <- which(sapply(pairs, function(pair) setequal(pair, ours[, at])))
    turn <- if (pairs[[row]][1] == ours[1, at]) 1 else -1
    ends <- sort(turn * tukey[row, c("lwr", "upr")])
    place <- paste0("/comparisons/", at - 1)
    checks <- c(checks, check(paste0(place, "/difference"), turn * tukey[row, "diff"]), check(paste0(place, "/low"), ends[1], 1e-6), check(paste0(place, "/high"), ends[2], 1e-6),
      # `ptukey` is good to about 1e-11.
      check(paste0(place, "/p"), tukey[row, "p adj"], if (tukey[row, "p adj"] < 1e-6) 1e-3 else 1e-6))
  }
  checks
}
for (set in list(list("plants", plants, "weight", "group"), list("breaks", breaks, "breaks", "tension"), list("chicks", chicks, "weight", "feed"))) {
  formula <- paste(set[[3]], "~", set[[4]])
  tukey <- TukeyHSD(aov(as.formula(formula), set[[2]]))[[1]]
  case(paste("Tukey's comparisons of", set[[1]]), "anova", set[[1]], paste0('"formula":', text(formula), ',"post_hoc":"tukey"'), "TukeyHSD",
    tukey_checks(tukey, unique(as.character(set[[2]][[set[[4]]]]))))
}

# Repeated measures: the reaction times of the help pages of SSD, mauchly.test and anova.mlm
invisible(capture.output(example(SSD, echo = FALSE)))
times <- data.frame(subject = rep(paste0("s", 1:10), 6), condition = rep(paste0("c", 1:6), each = 10), time = as.vector(reacttime))
table_of("times", times)
spherical <- anova(lm(reacttime ~ 1), X = ~1, test = "Spherical")
mauchly <- mauchly.test(lm(reacttime ~ 1), X = ~1)
# The p value of Anderson (2003), section 10.7.4: `mauchly.test` has the number of conditions in the place of that of contrasts once, and 0.04765 for 0.04758.
mauchly_p <- local({
  p <- 5
  n <- 9
  rho <- 1 - (2 * p^2 + p + 2) / (6 * p * n)
  second <- (p + 2) * (p - 1) * (p - 2) * (2 * p^3 + 6 * p^2 + 3 * p + 2) / (288 * (n * p * rho)^2)
  z <- -n * rho * log(mauchly$statistic)
  tails <- pchisq(z, p * (p + 1) / 2 - 1 + c(0, 4), lower.tail = FALSE)
  tails[1] + second * (tails[2] - tails[1])
})
case("reaction times within subjects", "anova", "times", '"formula":"time ~ condition","subject":"subject"', "anova.mlm, mauchly.test",
  check("/terms/0/f", spherical$F[1]), check("/terms/0/p", spherical[["G-G Pr"]][1], 1e-8), check("/assumptions/0/statistic", mauchly$statistic), check("/assumptions/0/p", mauchly_p, 1e-8))
case("reaction times compared", "compare_groups", "times", '"value":"time","group":"condition","subject":"subject"', "anova.mlm",
  check("/statistic", spherical$F[1]), check("/p", spherical[["G-G Pr"]][1], 1e-8))
case("ranks of reaction times", "anova", "times", '"formula":"time ~ condition","subject":"subject"', "friedman.test; exact p values are for less than these",
  check("/robust/test", "Friedman test"), check("/robust/statistic", friedman.test(reacttime)$statistic))

# Groups compared: the test that is chosen
sleepers <- plain(sleep)
sleepers$group <- factor(paste0("drug", sleepers$group))
ozone <- plain(airquality[!is.na(airquality$Ozone), ])
ozone$month <- factor(paste0("m", ozone$month))
table_of("sleepers", sleepers)
table_of("ozone", data.frame(ozone = ozone$ozone, month = ozone$month))
welch <- t.test(extra ~ group, sleepers)
case("two drugs", "compare_groups", "sleepers", '"value":"extra","group":"group"', "t.test", check("/test", "Welch two-sample t test"), check("/statistic", welch$statistic), check("/df", welch$parameter),
  check("/p", welch$p.value), check("/estimate/low", welch$conf.int[1]), check("/estimate/high", welch$conf.int[2]),
  check("/assumptions/0/statistic", shapiro.test(sleepers$extra[1:10])$statistic, 1e-6), check("/assumptions/0/p", shapiro.test(sleepers$extra[1:10])$p.value, 1e-4))
pairs <- t.test(sleepers$extra[1:10], sleepers$extra[11:20], paired = TRUE)
# One difference is 0 and left out of the test, and all others have one sign; ties do not change this tail. The estimate is that of all differences:
# `wilcox.test` leaves the 0 out there too, and has -1.4.
differences <- sleepers$extra[1:10] - sleepers$extra[11:20]
sums <- outer(differences, differences, "+") / 2
case("two drugs of the same people", "compare_groups", "sleepers", '"value":"extra","group":"group","subject":"id"', "psignrank, t.test", check("/statistic", 0),
  check("/p", 2 * psignrank(0, 9)), check("/estimate/value", median(sums[upper.tri(sums, diag = TRUE)])), check("/robust/statistic", pairs$statistic), check("/robust/df", pairs$parameter),
  check("/robust/p", pairs$p.value))
one_way <- oneway.test(weight ~ group, plants, var.equal = TRUE)
welch <- oneway.test(weight ~ group, plants)
case("plants", "compare_groups", "plants", '"value":"weight","group":"group"', "oneway.test, TukeyHSD", check("/statistic", one_way$statistic), check("/p", one_way$p.value),
  check("/robust/statistic", welch$statistic), check("/robust/df/1", welch$parameter[2]), check("/robust/p", welch$p.value),
  tukey_checks(TukeyHSD(aov(weight ~ group, plants))[[1]], unique(as.character(plants$group))))
ranks <- kruskal.test(count ~ spray, sprays)
welch <- oneway.test(count ~ spray, sprays)
case("sprays", "compare_groups", "sprays", '"value":"count","group":"spray"', "kruskal.test, oneway.test", check("/test", "Kruskal-Wallis test"), check("/statistic", ranks$statistic),
  check("/p", ranks$p.value, 1e-8), check("/robust/statistic", welch$statistic), check("/robust/p", welch$p.value, 1e-8))
ranks <- kruskal.test(ozone ~ month, ozone)
case("ozone of months", "compare_groups", "ozone", '"value":"ozone","group":"month"', "kruskal.test", check("/statistic", ranks$statistic), check("/p", ranks$p.value, 1e-8))
one_way <- oneway.test(weight ~ feed, chicks, var.equal = TRUE)
case("chicks", "compare_groups", "chicks", '"value":"weight","group":"feed"', "oneway.test", check("/statistic", one_way$statistic), check("/p", one_way$p.value, 1e-8))
two <- t.test(len ~ supp, teeth)
case("teeth", "compare_groups", "teeth", '"value":"len","group":"supp"', "t.test", check("/statistic", -two$statistic), check("/p", two$p.value))
