//! Counts of a text.

use std::collections::HashMap;

use crate::prelude::*;

/// Frequent words of an answer.
const TOP_WORDS: usize = 10;

/// Counts what a text has: bytes, characters, words, sentences, lines, paragraphs, different words and the most frequent ones. A word is letters and
/// digits, with apostrophes and hyphens inside; a sentence ends with `.`, `!`, `?` or `…` before a space or the end.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The text.
    #[schema(extend("x-file-endings" = [".txt", ".md"]))]
    pub text: Input<TextInput>,
}

/// Counts.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Bytes of UTF-8.
    pub bytes: usize,
    /// Characters (Unicode scalar values).
    pub characters: usize,
    /// Characters that are no white space.
    pub visible: usize,
    /// Words.
    pub words: usize,
    /// Different words, without regard to case.
    pub unique_words: usize,
    /// Sentences.
    pub sentences: usize,
    /// Lines; a line end at the end of the text begins none.
    pub lines: usize,
    /// Lines with nothing but white space.
    pub blank_lines: usize,
    /// Paragraphs: lines between blank ones.
    pub paragraphs: usize,
    /// Characters of the longest line.
    pub longest_line: usize,
    /// Mean number of characters of a word; 0 without words.
    pub mean_word_length: f64,
    /// The most frequent words in lower case, those of equal frequency in the order of the alphabet.
    pub top_words: Vec<WordCount>,
}

/// A word and how often it is there.
#[derive(Debug, Encode, Describe)]
pub(crate) struct WordCount {
    /// The word in lower case.
    pub word: String,
    /// How often it is there.
    pub count: usize,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("text_stats", "Count words and lines")
        .category(Category::Data)
        .tags(&["text", "statistics"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "two sentences": r#"{"text": "It's fine. Is it?\n"}"# => r#"{
            "bytes": 18, "characters": 18, "visible": 14, "words": 4, "unique_words": 4, "sentences": 2, "lines": 1,
            "blank_lines": 0, "paragraphs": 1, "longest_line": 17, "mean_word_length": 3.0,
            "top_words": [{"word": "fine", "count": 1}, {"word": "is", "count": 1}, {"word": "it", "count": 1},
                {"word": "it's", "count": 1}]}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let text = args.text.load(ctx)?;
        ctx.reserve((text.len() as u64).saturating_mul(2))?;
        let words: Vec<&str> = split_words(&text);
        ctx.check()?;
        let mut counts: HashMap<String, usize> = HashMap::new();
        for word in &words {
            *counts.entry(word.to_lowercase()).or_default() += 1;
        }
        let unique_words = counts.len();
        let mut top: Vec<(String, usize)> = counts.into_iter().collect();
        top.sort_by(|one, two| two.1.cmp(&one.1).then_with(|| one.0.cmp(&two.0)));
        top.truncate(TOP_WORDS);
        ctx.check()?;
        let lines: Vec<&str> = text.lines().collect();
        let is_blank = |line: &&str| line.trim().is_empty();
        let paragraphs = lines.chunk_by(|one, two| is_blank(one) == is_blank(two));
        let letters: usize = words.iter().map(|word| word.chars().count()).sum();
        Ok(Output {
            bytes: text.len(),
            characters: text.chars().count(),
            visible: text
                .chars()
                .filter(|letter| !letter.is_whitespace())
                .count(),
            words: words.len(),
            unique_words,
            sentences: count_sentences(&text),
            blank_lines: lines.iter().filter(|line| is_blank(line)).count(),
            paragraphs: paragraphs.filter(|lines| !is_blank(&lines[0])).count(),
            longest_line: lines
                .iter()
                .map(|line| line.chars().count())
                .max()
                .unwrap_or(0),
            lines: lines.len(),
            mean_word_length: match words.len() {
                0 => 0.0,
                count => letters as f64 / count as f64,
            },
            top_words: top
                .into_iter()
                .map(|(word, count)| WordCount { word, count })
                .collect(),
        })
    }
}

/// The words of a text.
fn split_words(text: &str) -> Vec<&str> {
    let is_inner = |letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '’' | '-');
    let words = text.split(|letter: char| !is_inner(letter));
    let words = words.map(|word| word.trim_matches(['\'', '’', '-']));
    words.filter(|word| !word.is_empty()).collect()
}

/// Ends of sentences, and one for what follows the last.
fn count_sentences(text: &str) -> usize {
    let is_end = |letter: char| matches!(letter, '.' | '!' | '?' | '…');
    let (mut count, mut has_words, mut is_ending) = (0, false, false);
    for letter in text.chars() {
        if is_ending && has_words && letter.is_whitespace() {
            (count, has_words) = (count + 1, false);
        }
        has_words |= letter.is_alphanumeric();
        is_ending = is_end(letter) || (is_ending && matches!(letter, '"' | '\'' | ')' | '”' | '»'));
    }
    count + usize::from(has_words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_sentences_are_what_a_reader_counts() {
        assert_eq!(
            split_words("well-known 'quoted' naïve 3.5 -- end"),
            ["well-known", "quoted", "naïve", "3", "5", "end"]
        );
        for (text, expected) in [
            ("", 0),
            ("One", 1),
            ("Pi is 3.14. Yes!", 2),
            ("He said \"No.\" Then left...", 2),
            ("... !", 0),
        ] {
            assert_eq!(count_sentences(text), expected, "{text}");
        }
    }
}
