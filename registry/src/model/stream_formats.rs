//! Names of the formats of output, from the one file that lists the agent CLIs.

/// The tables that come with the program.
pub(crate) const BUILT_IN_CLIS: &str = include_str!("../../agent_clis.yaml");

/// The formats of output, each named by the table of the agent CLI that it comes from. They are read as text: the schema of these very
/// tables lists them, so that the tables cannot be read first.
pub fn stream_format_names() -> Vec<&'static str> {
    let lines = BUILT_IN_CLIS.lines().map(str::trim);
    lines
        .filter_map(|line| line.strip_prefix("stream_format: "))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::model::CliSpec;

    #[test]
    fn the_names_are_those_of_the_tables() {
        let tables = CliSpec::built_in().iter();
        let named: Vec<&str> = tables.map(|cli| cli.stream_format.as_str()).collect();
        assert_eq!(super::stream_format_names(), named);
        assert!(!named.is_empty());
    }
}
