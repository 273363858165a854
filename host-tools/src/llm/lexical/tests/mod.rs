mod topics;

use proptest::prelude::*;
use tool_core::{ErrorCode, StopFlag};

use super::words::{WordPiece, for_each};
use super::*;

fn pieces(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for_each(text, &StopFlag::new(), &mut |piece| {
        found.push(match piece {
            WordPiece::Word(word) => word.iter().collect(),
            WordPiece::Run(run) => format!("[{}]", run.iter().collect::<String>()),
        });
    })
    .unwrap();
    found
}

fn scores(query: &str, texts: &[&str]) -> Vec<f64> {
    let stop = StopFlag::new();
    let mut search = LexicalSearch::new(query, &stop).unwrap().unwrap();
    for text in texts {
        search.add(text, &stop).unwrap();
    }
    search.scores()
}

fn vector(text: &str) -> Option<Vec<f64>> {
    lexical_vector(text, &StopFlag::new()).unwrap()
}

#[test]
fn texts_are_split_into_words_and_runs() {
    let check = |text: &str, expected: &[&str]| assert_eq!(pieces(text), expected, "{text}");
    check("", &[]);
    check(" \t\n\u{a0}.,;:!?-_()\"'\u{2026}\u{2014}", &[]);
    check(
        "The Moon, 3.5 days old!",
        &["the", "moon", "3", "5", "days", "old"],
    );
    check("snake_case and a-b", &["snake", "case", "and", "a", "b"]);
    check("Anna's dog's", &["anna", "dog"]);
    check(
        "don't can\u{2019}t they're we'll I'd",
        &["dont", "cant", "theyre", "well", "id"],
    );
    check(
        "l'eau d'or rock'n'roll 'quoted'",
        &["l", "eau", "d", "or", "rock", "n", "roll", "quoted"],
    );
    check(
        "Cr\u{e8}me BR\u{db}L\u{c9}E cre\u{300}me",
        &["creme", "brulee", "creme"],
    );
    check(
        "\u{fb01}le \u{ff21}\u{ff22}\u{ff11} x\u{b2} \u{2167}",
        &["file", "ab1", "x2", "viii"],
    );
    check(
        "STRASSE stra\u{df}e I\u{307}stanbul",
        &["strasse", "stra\u{df}e", "istanbul"],
    );
    check(
        "\u{39f}\u{3b4}\u{3cc}\u{3c2} \u{401}\u{43b}\u{43a}\u{430}",
        &[
            "\u{3bf}\u{3b4}\u{3bf}\u{3c2}",
            "\u{435}\u{43b}\u{43a}\u{430}",
        ],
    );
    check(
        "\u{645}\u{631}\u{62d}\u{628}\u{627} \u{5e9}\u{5dc}\u{5d5}\u{5dd}",
        &[
            "\u{645}\u{631}\u{62d}\u{628}\u{627}",
            "\u{5e9}\u{5dc}\u{5d5}\u{5dd}",
        ],
    );
    // Marks stay in their word: Devanagari, and Hangul made of letters.
    check(
        "\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947}",
        &["\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947}"],
    );
    check("\u{1112}\u{1161}\u{11ab}\u{ad6d}", &["\u{d55c}\u{ad6d}"]);
    check(
        "\u{5929}\u{6c17}\u{306f}good\u{0e14}\u{0e35}",
        &["[\u{5929}\u{6c17}\u{306f}]", "good", "[\u{0e14}\u{0e35}]"],
    );
    // Half-width katakana is the same as full.
    check("\u{ff76}\u{ff9e}", &["[\u{30ac}]"]);
    // A family of three with joiners, a thumb with a skin tone, a heart with a variation selector.
    check(
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
        &["[\u{1f468}\u{1f469}\u{1f467}]"],
    );
    check(
        "\u{1f44d}\u{1f3fd}\u{2764}\u{fe0f}",
        &["[\u{1f44d}\u{2764}]"],
    );
    check(
        "co\u{ad}operate zero\u{200b}width",
        &["cooperate", "zerowidth"],
    );
    check("\u{301}\u{302} a\u{20d7}", &["a\u{20d7}"]);
}

#[test]
fn a_text_without_features_has_no_vector_and_is_no_query() {
    for text in [
        "",
        "   ",
        "?!\u{2026}",
        "\u{301}\u{302}",
        "\u{200d}\u{fe0f}",
        "\u{3002}\u{ff0c}",
    ] {
        assert_eq!(vector(text), None, "{text:?}");
        assert!(
            LexicalSearch::new(text, &StopFlag::new())
                .unwrap()
                .is_none()
        );
        assert_eq!(scores("moon", &[text, "the moon"])[0], 0.0);
    }
    for text in [
        "a",
        "7",
        "\u{1f355}",
        "\u{6c34}",
        "\u{1f1eb}\u{1f1f7}",
        "\u{644}",
    ] {
        assert!(vector(text).is_some(), "{text:?}");
        assert_eq!(scores(text, &[text, "zzz"]), [1.0, 0.0], "{text:?}");
    }
}

#[test]
fn spellings_of_one_text_have_one_vector() {
    for (a, b) in [
        ("Caf\u{e9}", "cafe\u{301}"),
        ("\u{fb01}sh", "FISH"),
        ("don't", "DON\u{2019}T"),
        ("\u{1f44d}\u{1f3fd}", "\u{1f44d}"),
        ("\u{ac00}", "\u{1100}\u{1161}"),
    ] {
        assert!(vector(a).is_some());
        assert_eq!(vector(a), vector(b), "{a} {b}");
    }
    assert_ne!(vector("moon"), vector("noon"));
}

#[test]
fn words_are_found_in_scripts_of_every_kind() {
    for (query, item, other) in [
        ("planets", "a planet was seen", "a plan was made"),
        (
            "\u{5929}\u{6c17}",
            "\u{4eca}\u{65e5}\u{306f}\u{5929}\u{6c17}\u{304c}\u{3044}\u{3044}",
            "\u{732b}\u{304c}\u{5bdd}\u{308b}",
        ),
        (
            "\u{43b}\u{443}\u{43d}\u{430}",
            "\u{43b}\u{443}\u{43d}\u{430} \u{43d}\u{430}\u{434} \u{43c}\u{43e}\u{440}\u{435}\u{43c}",
            "\u{445}\u{43b}\u{435}\u{431}",
        ),
        (
            "\u{642}\u{645}\u{631}",
            "\u{627}\u{644}\u{642}\u{645}\u{631} \u{642}\u{645}\u{631}",
            "\u{62e}\u{628}\u{632}",
        ),
        (
            "\u{1f355}",
            "pizza night \u{1f355}\u{1f389}",
            "early night \u{1f634}",
        ),
    ] {
        let found = scores(query, &[other, item]);
        assert!(found[1] > found[0] && found[1] > 0.1, "{query}: {found:?}");
    }
}

#[test]
fn rare_words_count_more_and_long_texts_are_held_back() {
    let rare = scores("red kite", &["red ball", "red car", "kite", "red hat"]);
    assert!(rare[2] > rare[0], "{rare:?}");
    let long = "kite flying over fields and hills in summer with friends from school";
    let held = scores("kite", &[long, "kite flying", "ball"]);
    assert!(
        held[1] > held[0] && held[0] > 0.0 && held[2] == 0.0,
        "{held:?}"
    );
    let about = scores("what is the moon", &["what is the time", "moon"]);
    assert!(about[1] > about[0], "words that say little: {about:?}");
}

#[test]
fn texts_that_share_nothing_have_exactly_zero() {
    assert_eq!(
        scores("pasta needs salt", &["", "why", "\u{6c34}", "12 km"]),
        [0.0; 4]
    );
}

#[test]
fn work_stops_when_the_flag_is_set() {
    let stop = StopFlag::new();
    let mut search = LexicalSearch::new("moon", &stop).unwrap().unwrap();
    stop.cancel();
    let cancelled = Some(ErrorCode::Cancelled);
    assert_eq!(
        lexical_vector("moon", &stop).err().map(|err| err.code()),
        cancelled
    );
    assert_eq!(
        search.add("moon", &stop).err().map(|err| err.code()),
        cancelled
    );
    assert_eq!(
        LexicalSearch::new("moon", &stop)
            .err()
            .map(|err| err.code()),
        cancelled
    );
}

/// What would take long if anything were quadratic.
#[test]
fn huge_texts_of_hostile_shape_end() {
    let size = 1 << 18;
    for text in [
        "a".repeat(size),
        "y".repeat(size),
        "a'".repeat(size / 2),
        "e\u{301}\u{323}".repeat(size / 5),
        format!("a{}", "\u{315}\u{300}".repeat(size / 4)),
        "\u{fdfa}".repeat(size / 3),
        "\u{6c34}\u{706b}".repeat(size / 6),
        "\u{1f468}\u{200d}".repeat(size / 7),
        "ab ".repeat(size / 3),
    ] {
        let found = vector(&text).unwrap();
        let length: f64 = found.iter().map(|number| number * number).sum();
        assert!((length - 1.0).abs() < 1e-12);
    }
}

#[test]
fn numbers_are_the_same_bits_always() {
    let vector = vector("The quick brown fox jumps over the lazy dog, na\u{ef}ve caf\u{e9} \u{5929}\u{6c17} \u{1f355}").unwrap();
    let digest = vector.iter().fold(0_u64, |digest, number| {
        (digest.rotate_left(5) ^ number.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    let found = scores(
        "a fox and a dog",
        &[
            "the dog sleeps",
            "two foxes ran",
            "rain",
            "fox and dog and fox",
        ],
    );
    let bits: Vec<u64> = found.iter().map(|score| score.to_bits()).collect();
    assert_eq!(digest, 6_109_258_251_665_771_438);
    // 0.348, 0.265, 0 and 0.863, as the formulas give them in another implementation.
    let expected = [
        4_599_942_455_466_930_966,
        4_598_443_518_120_196_079,
        0,
        4_605_948_529_569_131_830,
    ];
    assert_eq!(bits, expected, "{found:?}");
}

proptest! {
    /// Any text: no panic, length 1, every score from 0 to 1, the text itself first.
    #[test]
    fn any_text_is_nearest_to_itself(text in "\\PC{0,40}", other in "\\PC{0,40}") {
        if let Some(vector) = vector(&text) {
            let length: f64 = vector.iter().map(|number| number * number).sum();
            prop_assert!((length - 1.0).abs() < 1e-12);
            let found = scores(&text, &[&other, &text]);
            prop_assert!(found.iter().all(|score| (0.0..=1.0).contains(score)), "{found:?}");
            prop_assert_eq!(found[1], 1.0);
        }
    }

    /// The order of words does not count, nor the order of texts.
    #[test]
    fn order_does_not_count(words in prop::collection::vec("[a-d]{1,4}", 1..12), turn in 0_usize..12) {
        let forward = words.join(" ");
        let mut turned = words.clone();
        turned.rotate_left(turn % words.len());
        let turned = turned.join(" ");
        prop_assert_eq!(vector(&forward), vector(&turned));
        let texts = [forward.as_str(), "ab cd", "abcd d"];
        let found = scores("ab d cd", &texts);
        let again = scores("cd ab d", &[texts[2], texts[1], &turned]);
        prop_assert_eq!(found, [again[2], again[1], again[0]]);
    }
}
