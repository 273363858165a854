//! What tools read texts as: every text that a plan can pass to a tool is declared with a syntax, or listed here as data.

use std::collections::BTreeSet;

use serde_json::Value as Schema;
use tool_core::{AnyTool, Caller, Permission};

/// Texts that no tool reads as more than text: values, words, and names that mean nothing but themselves. What is read as a path, an
/// address, a program, an expression, a query, a pattern, a plan or a patch is declared in the tool's `Spec::syntax` instead, so that
/// plans refuse to put it together.
const DATA: &[(&str, &[&str])] = &[
    ("bayesopt", &["/seed"]),
    (
        "classify_text",
        &[
            "/categories/*",
            "/examples/*/category",
            "/examples/*/text",
            "/text",
        ],
    ),
    ("curve_fit", &["/response", "/seed", "/sigma"]),
    (
        "csv_to_json",
        &["/csv_content", "/delimiter", "/missing_words/*"],
    ),
    ("edit_file", &["/new_string", "/old_string"]),
    ("embed_text", &["/text"]),
    ("fetch_wikipedia", &["/title"]),
    ("git:commit", &["/message"]),
    ("get_current_date", &["/time_zone"]),
    ("get_current_time", &["/time_zone"]),
    ("find_root", &["/variable"]),
    ("get_wikipedia_article", &["/title"]),
    ("histogram", &["/title"]),
    ("http_get", &["/headers/*"]),
    ("http_post", &["/data", "/headers/*"]),
    ("integrate", &["/variable"]),
    ("integrate_nd", &["/seed", "/variables/*"]),
    ("json_query", &["/data"]),
    ("json_to_csv", &["/columns/*", "/delimiter"]),
    ("lint_python", &["/select/*"]),
    ("linear_program", &["/integrality/*", "/names/*"]),
    ("matrix_svd", &["/seed"]),
    ("mcmc", &["/seed"]),
    ("monte_carlo", &["/seed"]),
    ("monte_carlo_native", &["/seed"]),
    ("optimize_program", &["/seed"]),
    ("ocr_extract", &["/image_base64"]),
    ("optimize_global", &["/seed"]),
    (
        "plot",
        &[
            "/color",
            "/facet",
            "/label",
            "/shape",
            "/size",
            "/spec",
            "/subtitle",
            "/title",
            "/x",
            "/x_label",
            "/y",
            "/y/*",
            "/y2",
            "/y_error",
            "/y_label",
            "/y_right",
            "/result",
        ],
    ),
    (
        "plot_braille",
        &["/labels/*", "/title", "/x_label", "/y_label"],
    ),
    ("plot_function", &["/title"]),
    (
        "plot_sixel",
        &["/colors/*", "/labels/*", "/title", "/x_label", "/y_label"],
    ),
    ("python_eval", &["/variables"]),
    ("python_run", &["/stdin"]),
    ("archive_search", &["/query"]),
    ("run_shell", &["/stdin"]),
    ("search_papers", &["/query", "/year_range"]),
    ("search_wikipedia", &["/query"]),
    (
        "similarity_search",
        &["/items/*", "/query", "/vectors/*/backend"],
    ),
    ("solve_bvp", &["/unknowns/*"]),
    ("solve_ode", &["/sensitivities/*"]),
    ("sparse_solve", &["/matrix_market"]),
    ("sql_query", &["/params", "/tables/*/*/*"]),
    (
        "todo_create",
        &["/active_form", "/description", "/list", "/subject"],
    ),
    ("todo_list", &["/list"]),
    ("todo_update", &["/list", "/task_id"]),
    ("user_conclude", &["/category", "/fact", "/user_id"]),
    ("user_context", &["/question", "/user_id"]),
    ("user_profile", &["/user_id"]),
    ("user_search", &["/query", "/user_id"]),
    ("web_research", &["/query"]),
    ("web_search", &["/query", "/region"]),
    (
        "datetime_calc",
        &["/add", "/end", "/holidays/*", "/start", "/zone"],
    ),
    ("encode_text", &["/text"]),
    ("hash_text", &["/text"]),
    ("json_canonicalize", &["/data"]),
    ("json_diff", &["/after", "/before"]),
    ("json_parse", &["/text"]),
    ("json_patch", &["/document", "/merge", "/patch/*"]),
    ("json_validate", &["/data", "/schema"]),
    (
        "read_table",
        &[
            "/columns/*",
            "/delimiter",
            "/member",
            "/missing_words/*",
            "/source_column",
        ],
    ),
    ("regex_extract", &["/text"]),
    ("table_describe", &["/columns/*", "/table/*/*"]),
    ("table_group", &["/by/*", "/table/*/*"]),
    (
        "table_join",
        &["/left/*/*", "/nearest", "/on/*", "/right/*/*", "/suffix"],
    ),
    (
        "table_melt",
        &[
            "/columns/*",
            "/keep/*",
            "/name_to",
            "/table/*/*",
            "/value_to",
        ],
    ),
    (
        "table_pivot",
        &["/by/*", "/function", "/names", "/table/*/*", "/values"],
    ),
    (
        "table_select",
        &[
            "/columns/*",
            "/distinct/*",
            "/seed",
            "/sort/*",
            "/table/*/*",
            "/where",
        ],
    ),
    ("table_window", &["/by/*", "/order/*", "/table/*/*"]),
    ("text_diff", &["/after", "/before"]),
    ("text_stats", &["/text"]),
    ("write_table", &["/columns/*", "/table/*/*"]),
    ("write_file", &["/content"]),
    (
        "linear_regression",
        &["/cluster", "/formula", "/seed", "/weights"],
    ),
    ("glm", &["/cluster", "/formula", "/trials", "/weights"]),
    ("mixed_model", &["/formula"]),
    ("quantile_regression", &["/formula", "/seed", "/weights"]),
    ("robust_regression", &["/formula", "/seed"]),
    (
        "survival",
        &["/event", "/formula", "/group", "/strata", "/time"],
    ),
    (
        "hypothesis_test",
        &["/columns/*", "/group", "/seed", "/subject", "/value"],
    ),
    ("compare_groups", &["/group", "/subject", "/value"]),
    ("anova", &["/control", "/formula", "/subject"]),
    (
        "contingency",
        &["/column_names/*", "/columns", "/row_names/*", "/rows"],
    ),
    ("group_statistics", &["/by", "/columns/*"]),
    ("distribution", &["/family", "/family/*"]),
    ("random_sample", &["/family", "/from/*", "/seed"]),
    ("correlation", &["/columns/*", "/given/*", "/seed"]),
    ("covariance", &["/columns/*"]),
    ("combinatorics", &["/items/*", "/sets/*/*"]),
    (
        "number_theory",
        &[
            "/base",
            "/continued_fraction",
            "/crt/*",
            "/digits",
            "/diophantine/*",
            "/discrete_log/*",
            "/divisors",
            "/factor",
            "/gcd/*",
            "/is_prime",
            "/jacobi/*",
            "/mod_inverse",
            "/mod_pow/*",
            "/mod_sqrt",
            "/moduli/*",
            "/modulus",
            "/next_prime",
            "/order",
            "/pell",
            "/perfect_power",
            "/previous_prime",
            "/primes/*",
            "/primitive_root",
            "/root",
            "/squares",
            "/totient",
        ],
    ),
    ("render_math", &["/latex"]),
    (
        "report_page",
        &[
            "/footer",
            "/sections/*/caption",
            "/sections/*/heading",
            "/sections/*/picture",
            "/sections/*/result",
            "/sections/*/rows/*",
            "/sections/*/show/*",
            "/sections/*/text",
            "/subtitle",
            "/title",
        ],
    ),
    ("laplace_transform", &["/to", "/variable"]),
    ("matrix_symbolic", &["/variable"]),
    ("symbolic_diff", &["/variable"]),
    ("symbolic_integrate", &["/variable"]),
    ("symbolic_limit", &["/variable"]),
    ("symbolic_ode", &["/function", "/variable"]),
    ("symbolic_series", &["/variable"]),
    ("symbolic_simplify", &["/variable"]),
    ("symbolic_sum", &["/index"]),
    ("bootstrap", &["/group", "/seed", "/value", "/y"]),
    ("time_series", &["/seed", "/time", "/y"]),
    ("pca", &["/columns/*", "/seed"]),
    ("kmeans", &["/columns/*", "/seed"]),
    ("hierarchical_clustering", &["/columns/*"]),
    ("dbscan", &["/columns/*"]),
    ("nearest_neighbours", &["/columns/*", "/queries/*/*"]),
    ("outliers", &["/columns/*", "/seed"]),
];

fn tools() -> impl Iterator<Item = &'static dyn AnyTool> {
    let all = mathchain::tool_families().flat_map(|family| family.iter());
    all.map(|entry| entry.tool())
        .filter(|tool| tool.spec().callers.contains(&Caller::Chain))
}

/// The pointers of all free texts of a schema; `*` stands for any element or member.
fn texts(schema: &Schema, root: &Schema, pointer: &str, found: &mut BTreeSet<String>) {
    let Some(object) = schema.as_object() else {
        return;
    };
    if let Some(definition) = object.get("$ref").and_then(Schema::as_str) {
        let definition = root.pointer(definition.trim_start_matches('#'));
        return texts(definition.expect("a definition"), root, pointer, found);
    }
    if object.contains_key("enum") || object.contains_key("const") {
        return; // one of a few
    }
    let mut is_open = true;
    for key in ["anyOf", "oneOf", "allOf"] {
        for branch in object
            .get(key)
            .and_then(Schema::as_array)
            .into_iter()
            .flatten()
        {
            is_open = false;
            texts(branch, root, pointer, found);
        }
    }
    let is_text = match object.get("type") {
        Some(Schema::String(name)) => name == "string",
        Some(Schema::Array(names)) => names.iter().any(|name| name == "string"),
        _ => is_open && !object.contains_key("properties"),
    };
    if is_text {
        found.insert(pointer.to_owned());
    }
    // Files and artifacts are paths, handles and names of columns for every tool: `$fmt` is refused there by name.
    let members = object.get("properties").and_then(Schema::as_object);
    let is_loaded = |name: &str| members.is_some_and(|members| members.contains_key(name));
    if ["$file", "$artifact", "$npy"].into_iter().any(is_loaded) {
        return;
    }
    for (name, member) in members.into_iter().flatten() {
        texts(member, root, &format!("{pointer}/{name}"), found);
    }
    for key in ["additionalProperties", "items"] {
        if let Some(any) = object.get(key) {
            texts(any, root, &format!("{pointer}/*"), found);
        }
    }
    let fixed = object.get("prefixItems").and_then(Schema::as_array);
    for any in fixed.into_iter().flatten() {
        texts(any, root, &format!("{pointer}/*"), found);
    }
}

#[test]
fn every_text_has_a_syntax_or_is_data() {
    let mut faults = Vec::new();
    let mut left: BTreeSet<(&str, String)> = DATA
        .iter()
        .flat_map(|(id, pointers)| {
            pointers
                .iter()
                .map(move |pointer| (*id, (*pointer).to_owned()))
        })
        .collect();
    for tool in tools() {
        let (spec, schema) = (tool.spec(), tool.input_schema());
        let mut found = BTreeSet::new();
        texts(&schema, &schema, "", &mut found);
        for (marked, _) in spec.syntax {
            let name = marked.trim_start_matches('/');
            let known = schema.pointer(&format!("/properties/{name}"));
            if known.is_none() {
                faults.push(format!("`{}` has no argument {marked}", spec.id));
            }
        }
        for pointer in found {
            let declared = spec.syntax.iter().any(|(marked, _)| {
                let rest = pointer.strip_prefix(marked);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            });
            // Ids and texts of items are data, and so are cells of tables.
            let is_item = spec.permissions.contains(&Permission::Workflow) && !declared;
            let is_cell = ["/data/*/*", "/predict/*/*"].contains(&pointer.as_str()) && !declared;
            let listed = left.remove(&(spec.id, pointer.clone())) || is_item || is_cell;
            if declared == listed {
                faults.push(format!(
                    "{pointer} of `{}`: declare in its `Spec::syntax` what the text is read as, or list it in `DATA` when nothing reads it; not both",
                    spec.id
                ));
            }
        }
    }
    faults.extend(
        left.iter()
            .map(|(id, pointer)| format!("`{id}` has no text at {pointer} that plans can pass")),
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
