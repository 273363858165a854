//! The figure on 200 short texts in five topics, which were written and frozen before this backend. Lines of even number were free
//! for tuning; those of odd number are for this figure only.

use tool_core::{BoundedInteger, Ctx, Input, Tool, Value, json};

use crate::llm::backend::SimilarityBackend;
use crate::llm::classify_text::{self, LabelledText};
use crate::llm::similarity_search;

const TEXTS: &str = include_str!("../../testdata/topics.jsonl");

struct Text {
    line: usize,
    topic: String,
    text: String,
}

fn texts() -> Vec<Text> {
    let read = |(index, line): (usize, &str)| {
        let value = json::parse_json(line, json::JsonLimits::default()).unwrap();
        let member = |name| value.get(name).and_then(Value::as_str).unwrap().to_owned();
        Text {
            line: index + 1,
            topic: member("topic"),
            text: member("text"),
        }
    };
    TEXTS.lines().enumerate().map(read).collect()
}

/// Of the texts of odd lines: how many have a nearest neighbour, among all others of `pool`, of their own topic; and a digest of
/// every bit of every score.
fn neighbours(texts: &[Text], pool: impl Fn(&Text) -> bool) -> (usize, u64) {
    let (mut right, mut digest) = (0, 0);
    for query in texts.iter().filter(|text| text.line % 2 == 1) {
        let others: Vec<&Text> = texts
            .iter()
            .filter(|other| pool(other) && other.line != query.line)
            .collect();
        let found = similarity_search::Args::run(
            similarity_search::Args {
                query: Input::inline(query.text.as_str()),
                items: others.iter().map(|other| other.text.clone()).collect(),
                top_k: BoundedInteger::literal(100_000),
                backend: SimilarityBackend::Lexical,
                vectors: Vec::new(),
            },
            &Ctx::default(),
        )
        .unwrap();
        assert_eq!(found.results.len(), others.len());
        right += usize::from(others[found.results[0].index].topic == query.topic);
        digest = found.results.iter().fold(digest, |digest: u64, hit| {
            (digest.rotate_left(5) ^ hit.score.to_bits() ^ hit.index as u64)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
    }
    (right, digest)
}

#[test]
fn the_texts_are_those_that_were_frozen() {
    let digest = TEXTS
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |state: u64, byte| {
            (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    assert_eq!(digest, FROZEN);
    let texts = texts();
    assert_eq!(texts.len(), 200);
    for half in [0, 1] {
        let mut topics: Vec<&str> = texts
            .iter()
            .filter(|text| text.line % 2 == half)
            .map(|text| text.topic.as_str())
            .collect();
        topics.sort_unstable();
        let counts: Vec<usize> = topics.chunk_by(|a, b| a == b).map(<[_]>::len).collect();
        assert_eq!(counts, [20; 5]);
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "shows the figure with --nocapture")]
fn the_nearest_neighbour_has_the_right_topic() {
    let texts = texts();
    let (right, digest) = neighbours(&texts, |_| true);
    println!("nearest neighbour among the 199 others: {right} of 100 right");
    let (right_of_half, _) = neighbours(&texts, |other| other.line % 2 == 1);
    println!("nearest neighbour among the 99 others of the odd half: {right_of_half} of 100 right");
    assert!(
        right >= 80 && right_of_half >= 80,
        "{right}, {right_of_half}"
    );
    // The numbers never change.
    assert_eq!((right, right_of_half, digest), GOLDEN, "{digest:#x}");
}

#[test]
#[expect(clippy::print_stdout, reason = "shows the figure with --nocapture")]
fn the_category_is_right_from_examples() {
    let texts = texts();
    let (even, odd): (Vec<&Text>, Vec<&Text>) = texts.iter().partition(|text| text.line % 2 == 0);
    let mut categories: Vec<String> = even.iter().map(|text| text.topic.clone()).collect();
    categories.sort_unstable();
    categories.dedup();
    let examples: Vec<LabelledText> = even
        .iter()
        .map(|text| LabelledText {
            text: text.text.clone(),
            category: text.topic.clone(),
        })
        .collect();
    let is_right = |text: &&&Text| {
        let args = classify_text::Args {
            text: Input::inline(text.text.as_str()),
            categories: categories.clone(),
            examples: examples.clone(),
            backend: SimilarityBackend::Lexical,
        };
        let chosen = classify_text::Args::run(args, &Ctx::default()).unwrap();
        chosen.category.as_ref() == Some(&text.topic)
    };
    let right = odd.iter().filter(is_right).count();
    println!("category from 20 examples each: {right} of 100 right");
    assert_eq!(right, CLASSIFIED);
}

const FROZEN: u64 = 9_020_969_915_254_926_923;
const GOLDEN: (usize, usize, u64) = (98, 99, 0x4e72_e31c_9805_f017);
const CLASSIFIED: usize = 93;
