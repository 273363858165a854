//! Search of tools by everyday words: names, titles, tags and descriptions, with words of one stem and synonyms.

use tool_core::nearest::nearest_name;
use tool_core::{AnyTool, Category, Effect, Spec};

use crate::catalogue::Catalogue;

/// Wanted tools: an absent field does not narrow.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolQuery<'a> {
    /// Words; each must occur, or a word of its meaning, in the name, title, tags or description.
    pub text: &'a str,
    /// Category.
    pub category: Option<Category>,
    /// Tag.
    pub tag: Option<&'a str>,
    /// Effect that the tool declares.
    pub effect: Option<Effect>,
}

/// Words that say nothing about a tool.
const STOP_WORDS: [&str; 20] = [
    "a", "an", "and", "as", "by", "do", "for", "from", "how", "i", "in", "into", "it", "of", "on",
    "or", "the", "to", "with", "my",
];

/// Words of one meaning, for a search. What a single tool is also called stands in its tags.
const SYNONYMS: [&[&str]; 16] = [
    &["average", "mean"],
    &[
        "minimum", "minimize", "minimise", "maximum", "maximize", "optimize", "optimise",
    ],
    &["download", "fetch", "http"],
    &["save", "store", "write"],
    &["load", "open", "read"],
    &["integral", "integrate", "quadrature"],
    &["chart", "graph", "plot", "draw"],
    &["delete", "remove", "erase"],
    &["directory", "folder"],
    &["execute", "run"],
    &["find", "search", "grep"],
    &["dataframe", "spreadsheet", "table", "csv"],
    &["compress", "zip", "archive"],
    &["internet", "web"],
    &["command", "program", "shell", "bash"],
    &["stddev", "deviation", "variance"],
];

/// Words that no tool has, the tools that do such work, and what is not here.
const TOPICS: [(&[&str], &[&str], &str); 12] = [
    (
        &[
            "group by",
            "groupby",
            "group_by",
            "pivot",
            "join",
            "aggregate",
            "window function",
        ],
        &["sql_query", "json_query"],
        "`sql_query` groups and joins tables",
    ),
    (
        &[
            "t test",
            "ttest",
            "hypothesis",
            "p value",
            "pvalue",
            "anova",
            "chi squared",
            "chi square",
            "chi2",
            "contingency",
            "mann whitney",
            "wilcoxon",
            "kolmogorov",
        ],
        &[
            "hypothesis_test",
            "compare_groups",
            "anova",
            "contingency",
            "calculate",
        ],
        "`hypothesis_test` has tests by name; `compare_groups` chooses one by the data",
    ),
    (
        &["factorization", "coprime", "congruence", "bezout", "rsa"],
        &["number_theory"],
        "`number_theory` answers one question about integers a call",
    ),
    (
        &[
            "binomial coefficient",
            "stirling",
            "catalan",
            "fibonacci",
            "subsets",
            "cartesian product",
            "brute force",
        ],
        &["combinatorics", "calculate"],
        "`combinatorics` counts arrangements exactly and lists small sets of them",
    ),
    (
        &["tex", "typeset", "mathjax", "katex"],
        &["render_math"],
        "`render_math` draws LaTeX as text, MathML and pictures",
    ),
    (
        &[
            "arima",
            "sarima",
            "forecast",
            "forecasting",
            "prophet",
            "holt winters",
            "exponential smoothing",
            "stl",
            "acf",
            "pacf",
            "seasonality",
            "changepoint",
            "change point",
            "time series",
        ],
        &["time_series", "fft", "lowess"],
        "`time_series` decomposes and forecasts; `fft` finds frequencies, `lowess` smooths",
    ),
    (
        &["logistic"],
        &["glm"],
        "`glm` with the family `binomial` is logistic regression",
    ),
    (
        &[
            "k means",
            "cluster",
            "unsupervised",
            "segment",
            "dendrogram",
            "linkage",
        ],
        &["kmeans", "hierarchical_clustering", "dbscan"],
        "`kmeans` finds round clusters, `dbscan` those of any shape, `hierarchical_clustering` a tree of them",
    ),
    (
        &[
            "principal component",
            "dimensionality",
            "dimension reduction",
            "biplot",
        ],
        &["pca", "matrix_svd"],
        "`pca` takes columns of a table, `matrix_svd` a matrix as it is",
    ),
    (
        &["knn", "nearest neighbor", "similar rows"],
        &["nearest_neighbours"],
        "`nearest_neighbours` finds rows by distance or direction",
    ),
    (
        &["outlier", "anomaly", "mahalanobis", "grubbs"],
        &["outliers", "robust_regression"],
        "`outliers` has the verdicts of five methods beside each other",
    ),
    (
        &["classification", "neural", "random forest"],
        &["python_run"],
        "no tool learns from examples; `python_run` runs a program of your own",
    ),
];

/// The tools nearest to a query that nothing matches.
pub struct NearestTools<'a> {
    /// The tools, the nearest first.
    pub tools: Vec<&'a dyn AnyTool>,
    /// What is not here, where that is known.
    pub said: Option<&'static str>,
}

/// Weights of a word in the parts of a tool.
const IN_NAME: u32 = 8;
const IN_TITLE: u32 = 4;
const IN_TAGS: u32 = 4;
const IN_DESCRIPTION: u32 = 1;

impl Catalogue {
    /// The tools that match, the best first; equals in the order of the lists.
    pub fn search(&self, query: &ToolQuery<'_>) -> Vec<&dyn AnyTool> {
        let words = words_of(query.text);
        let fitting = self.iter().filter(|tool| fits_query(tool.spec(), query));
        let ranked = fitting.filter_map(|tool| Some((rank_tool(tool, &words)?, tool)));
        best_first(ranked.collect())
    }

    /// What there is for a query that nothing matches: the tools that do such work by another name, else those with some of its words, also
    /// misspelt ones.
    pub fn instead_of(&self, query: &ToolQuery<'_>) -> NearestTools<'_> {
        let words = format!(" {} ", split_query_words(query.text).join(" "));
        let is_of =
            |topic: &&str| words.contains(&format!(" {} ", split_query_words(topic).join(" ")));
        let mut topics = TOPICS.iter();
        if let Some((_, ids, said)) = topics.find(|(names, ..)| names.iter().any(&is_of)) {
            let found = ids.iter().filter_map(|id| self.get(id));
            let tools = found
                .filter(|tool| fits_query(tool.spec(), query))
                .collect();
            let said = Some(*said);
            return NearestTools { tools, said };
        }
        NearestTools {
            tools: self.nearest_to(query),
            said: None,
        }
    }

    fn nearest_to(&self, query: &ToolQuery<'_>) -> Vec<&dyn AnyTool> {
        const MOST: usize = 5;
        let spoken: Vec<String> = self.iter().flat_map(name_words).collect();
        let corrected = |word: String| {
            let near = nearest_name(&word, spoken.iter().map(String::as_str));
            near.map_or(word.clone(), str::to_owned)
        };
        let words: Vec<String> = words_of(query.text).into_iter().map(corrected).collect();
        let some = |tool: &dyn AnyTool| -> u32 {
            let one = |word: &String| rank_tool(tool, std::slice::from_ref(word)).unwrap_or(0);
            words.iter().map(one).sum()
        };
        let fitting = self.iter().filter(|tool| fits_query(tool.spec(), query));
        let ranked = fitting.map(|tool| (some(tool), tool));
        let mut found = best_first(ranked.filter(|(rank, _)| *rank >= IN_TITLE).collect());
        found.truncate(MOST);
        found
    }
}

fn best_first(mut ranked: Vec<(u32, &dyn AnyTool)>) -> Vec<&dyn AnyTool> {
    ranked.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    ranked.into_iter().map(|(_, tool)| tool).collect()
}

fn fits_query(spec: &Spec, query: &ToolQuery<'_>) -> bool {
    let category = query.category;
    let category = category.is_none_or(|category| spec.category == category);
    let tag = query.tag.is_none_or(|tag| spec.tags.contains(&tag));
    let effect = query.effect;
    category && tag && effect.is_none_or(|effect| spec.effects.contains(&effect))
}

/// The words of a query that say something.
fn words_of(text: &str) -> Vec<String> {
    let all = split_query_words(text);
    let kept = all
        .iter()
        .filter(|word| !STOP_WORDS.contains(&word.as_str()));
    let kept: Vec<String> = kept.cloned().collect();
    if kept.is_empty() { all } else { kept }
}

fn split_query_words(text: &str) -> Vec<String> {
    let parts = text.split(|one: char| !one.is_alphanumeric());
    let parts = parts.filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect()
}

/// The words of the name, title and tags of a tool.
fn name_words(tool: &dyn AnyTool) -> Vec<String> {
    let spec = tool.spec();
    split_query_words(&[spec.id, spec.title, &spec.tags.join(" ")].join(" "))
}

/// The weight of all words; `None` if one does not occur.
fn rank_tool(tool: &dyn AnyTool, words: &[String]) -> Option<u32> {
    let spec = tool.spec();
    let parts = [
        (IN_NAME, split_query_words(spec.id)),
        (IN_TITLE, split_query_words(spec.title)),
        (IN_TAGS, split_query_words(&spec.tags.join(" "))),
        (IN_DESCRIPTION, split_query_words(&tool.description())),
    ];
    let weight = |word: &String| {
        let has = |(_, tokens): &&(u32, Vec<String>)| {
            tokens.iter().any(|token| is_word_match(word, token))
        };
        let found: Vec<u32> = parts
            .iter()
            .filter(has)
            .map(|(weight, _)| *weight)
            .collect();
        (!found.is_empty()).then(|| found.iter().sum::<u32>())
    };
    words.iter().map(weight).sum()
}

/// Whether a word of a query means a word of a tool.
fn is_word_match(word: &str, token: &str) -> bool {
    let same = |word: &str| is_of_stem(word, token);
    let mut groups = SYNONYMS.iter();
    same(word) || groups.any(|group| group.contains(&word) && group.iter().any(|other| same(other)))
}

/// Whether two words have one stem, by their beginnings: `minimum` and `minimise`, `eigen` and `eigenvalues`.
fn is_of_stem(word: &str, token: &str) -> bool {
    const STEM_LEAST: usize = 5;
    const ENDING_MOST: usize = 4;
    let pairs = word.chars().zip(token.chars());
    let common = pairs.take_while(|(one, other)| one == other).count();
    let (rest, token_rest) = (
        word.chars().count() - common,
        token.chars().count() - common,
    );
    rest == 0 && (common >= 3 || token_rest == 0)
        || common >= STEM_LEAST && rest <= ENDING_MOST && token_rest <= ENDING_MOST
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::twelve;

    fn ids(tools: Vec<&dyn AnyTool>) -> Vec<&str> {
        tools.iter().map(|tool| tool.spec().id).collect()
    }

    #[test]
    fn search_narrows_by_every_given_field() {
        let catalogue = twelve();
        let query = ToolQuery {
            text: "file", // `plot` says so in its description only
            ..ToolQuery::default()
        };
        assert_eq!(
            ids(catalogue.search(&query)),
            [
                "read_file",
                "search_files",
                "write_file",
                "edit_file",
                "plot"
            ]
        );
        let query = ToolQuery {
            category: Some(Category::Math),
            ..ToolQuery::default()
        };
        assert_eq!(ids(catalogue.search(&query)), ["calculate", "plot"]);
        let query = ToolQuery {
            tag: Some("raw-exec"),
            ..ToolQuery::default()
        };
        assert_eq!(ids(catalogue.search(&query)), ["raw_exec"]);
        let query = ToolQuery {
            text: "WEB fetch",
            effect: Some(Effect::NetworkAccess),
            ..ToolQuery::default()
        };
        assert_eq!(ids(catalogue.search(&query)), ["web_fetch"]);
        let query = ToolQuery {
            text: "nothing like it",
            ..ToolQuery::default()
        };
        assert!(catalogue.search(&query).is_empty());
    }

    #[test]
    fn words_of_one_stem_or_meaning_match() {
        for (word, token) in [
            ("minimum", "minimise"),
            ("eigen", "eigenvalues"),
            ("integral", "integration"),
            ("average", "mean"),
            ("svd", "svd"),
            ("download", "fetch"),
        ] {
            assert!(is_word_match(word, token), "{word} {token}");
        }
        for (word, token) in [
            ("mean", "median"),
            ("in", "integral"),
            ("square", "squeeze"),
            ("fit", "file"),
        ] {
            assert!(!is_word_match(word, token), "{word} {token}");
        }
    }

    #[test]
    fn misspelt_words_lead_to_the_nearest_tools() {
        let catalogue = twelve();
        let query = |text| ToolQuery {
            text,
            ..ToolQuery::default()
        };
        assert!(catalogue.search(&query("clculate")).is_empty());
        assert_eq!(ids(catalogue.nearest_to(&query("clculate"))), ["calculate"]);
        assert!(catalogue.nearest_to(&query("zzyzx")).is_empty());
        // `calculate` is the only one of the topic that this catalogue has.
        for words in ["t-test", "two-sample t test", "chi-squared"] {
            let instead = catalogue.instead_of(&query(words));
            assert_eq!(ids(instead.tools), ["calculate"], "{words}");
            assert!(instead.said.is_some());
        }
    }
}
