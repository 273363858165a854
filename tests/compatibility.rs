//! `compatibility-cases.md` has a row for every case of the earlier systems, and what its rows name exists.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const PAGE: &str = include_str!("compatibility-cases.md");

/// The cases that the page is about.
fn wanted() -> BTreeSet<String> {
    let ranges = [
        ("A", 1..=33),
        ("B", 1..=37),
        ("C", 1..=37),
        ("D", 1..=38),
        ("R", 1..=78),
        ("T", 1..=30),
        ("W", 1..=42),
    ];
    let ids = ranges
        .into_iter()
        .flat_map(|(letter, numbers)| numbers.map(move |n| format!("{letter}{n}")));
    ids.collect()
}

struct Row<'a> {
    id: &'a str,
    status: &'a str,
    reason: &'a str,
    names: Vec<&'a str>,
}

/// The rows of the tables whose first cell is a case.
fn rows(page: &str) -> Vec<Row<'_>> {
    let row = |line| -> Option<Row<'_>> {
        let line: &str = line;
        let cells = line.strip_prefix('|')?.strip_suffix('|')?;
        let cells: Vec<&str> = cells.split('|').map(str::trim).collect();
        let id = cells[0];
        let number = id.strip_prefix(|first: char| first.is_ascii_uppercase())?;
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        assert_eq!(cells.len(), 4, "{line}");
        Some(Row {
            id,
            status: cells[1],
            reason: cells[2],
            names: cells[3].split('`').skip(1).step_by(2).collect(),
        })
    };
    page.lines().filter_map(row).collect()
}

/// Every function of the sources, and the text of every file of cases.
struct Sources {
    functions: BTreeSet<String>,
    cases: BTreeMap<String, BTreeSet<String>>,
}

impl Sources {
    fn read() -> Self {
        let mut found = Self {
            functions: BTreeSet::new(),
            cases: BTreeMap::new(),
        };
        found.walk(&tests::root());
        found
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the sources are no workspace of a tool"
    )]
    fn walk(&mut self, folder: &Path) {
        for entry in std::fs::read_dir(folder).expect("reads a folder of the sources") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                if !name.starts_with('.') && name != "target" {
                    self.walk(&path);
                }
            } else if name.ends_with(".rs") {
                let text = std::fs::read_to_string(&path).expect("reads a source");
                let names = text.split("fn ").skip(1).map(|rest| {
                    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
                    rest[..end.unwrap_or(rest.len())].to_owned()
                });
                self.functions.extend(names);
            } else if folder.ends_with("conformance") {
                let text = std::fs::read_to_string(&path).expect("reads a file of cases");
                let ids = text
                    .lines()
                    .filter_map(|line| line.trim().strip_prefix("- id: "));
                self.cases.insert(name, ids.map(str::to_owned).collect());
            }
        }
    }

    /// Whether a name of a row is a test, or a file of cases that has the row's case.
    fn have(&self, name: &str, id: &str) -> bool {
        match self.cases.get(name) {
            Some(ids) => ids.iter().any(|one| {
                one.strip_prefix(id)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
            }),
            None => self.functions.contains(name),
        }
    }
}

/// What is wrong with the page.
fn faults(page: &str, sources: &Sources) -> Vec<String> {
    let mut faults = Vec::new();
    let mut missing = wanted();
    for Row {
        id,
        status,
        reason,
        names,
    } in rows(page)
    {
        let mut fault = |what: &str| faults.push(format!("{id}: {what}"));
        if !missing.remove(id) {
            fault("not a case, or there is another row for it");
        }
        match status {
            "same" | "different" if names.is_empty() => fault("no test shows it"),
            "same" | "different" | "not yet" | "not applicable" => {}
            other => fault(&format!("no status `{other}`")),
        }
        if status != "same" && reason.is_empty() {
            fault("no reason");
        }
        for name in names.iter().filter(|name| !sources.have(name, id)) {
            fault(&format!("no test `{name}`, or no such case in it"));
        }
    }
    faults.extend(missing.iter().map(|id| format!("{id}: no row")));
    faults
}

#[test]
fn every_case_has_a_row_and_every_row_its_test() {
    let faults = faults(PAGE, &Sources::read());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_page_with_faults_is_noticed() {
    let sources = Sources::read();
    let first = PAGE
        .lines()
        .find(|line| line.starts_with("| A1 |"))
        .expect("a row");
    let of = |row: &str| faults(&PAGE.replace(first, row), &sources);
    for (row, expected) in [
        ("", "A1: no row"),
        ("| A1 | same | | |", "A1: no test shows it"),
        ("| A1 | almost | x | |", "A1: no status `almost`"),
        ("| A1 | different | | `policy.yaml` |", "A1: no reason"),
        (
            "| A1 | same | | `there_is_no_such_test` |",
            "A1: no test `there_is_no_such_test`, or no such case in it",
        ),
        (
            "| A99 | same | | `policy.yaml` |",
            "A99: not a case, or there is another row for it",
        ),
    ] {
        assert!(
            of(row).iter().any(|fault| fault == expected),
            "{row}: {:?}",
            of(row)
        );
    }
    let twice = faults(&format!("{PAGE}\n{first}\n"), &sources);
    assert_eq!(twice, ["A1: not a case, or there is another row for it"]);
}

/// The file of cases holds no case that the page does not speak of.
#[test]
fn every_case_as_data_is_named_by_the_page() {
    let sources = Sources::read();
    let rows = rows(PAGE);
    for (file, ids) in &sources.cases {
        for id in ids {
            let case = id.split('-').next().expect("a part");
            let named = rows
                .iter()
                .any(|row| row.id == case && row.names.contains(&file.as_str()));
            assert!(
                named,
                "{file} has {id}, and the row of {case} does not name {file}"
            );
        }
    }
}
