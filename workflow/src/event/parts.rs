//! Parts of events that items and arguments have too.

use tool_core::{Describe, Value};

use super::data::log_structs;

log_structs! {
    /// What has to be done in a task.
    #[derive(Default, Describe)]
    Brief {
        ;
        /// What is to be reached, as Markdown.
        objective: String,
        /// Files that will be touched.
        expected_files: Vec<String>,
        /// Patterns of files that may be changed.
        file_scope: Vec<String>,
        /// Conditions of acceptance.
        acceptance: Vec<String>,
        /// Constraints.
        constraints: Vec<String>,
        /// Notes, as Markdown.
        notes: String,
    }

    /// What helps to answer feedback.
    #[derive(Default)]
    FeedbackContext {
        ;
        /// An explanation.
        notes: String,
        /// Files.
        files: Vec<String>,
        /// Parts of files.
        code_snippets: Vec<CodeSnippet>,
        /// Possible answers.
        options: Vec<FeedbackOption>,
        /// Anything else: an object, or nothing.
        metadata: Value,
    }

    /// A part of a file.
    #[derive(Describe)]
    #[value(rename_all = "camelCase")]
    CodeSnippet {
        /// The file.
        file: String,
        /// First line, from 1.
        start_line: u32,
        /// Last line.
        end_line: u32,
        /// Its text.
        content: String,
    }

    /// A possible answer.
    #[derive(Describe)]
    FeedbackOption {
        /// Short name of the option.
        label: String;
        /// What it means.
        description: String,
        /// Whether the author recommends it.
        recommended: bool,
    }
}
