//! The Porter stemmer for English.
//!
//! # References
//! M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 130-137, 1980; the steps are numbered as there.

/// Longer words are not English and are unchanged.
const LONGEST: usize = 64;

/// Step 2: endings and their replacements after a stem with a measure above 0.
const DOUBLE: &str = "ational>ate tional>tion enci>ence anci>ance izer>ize abli>able alli>al \
    entli>ent eli>e ousli>ous ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful \
    ousness>ous aliti>al iviti>ive biliti>ble";

/// Step 3, likewise.
const SINGLE: &str = "icate>ic ative> alize>al iciti>ic ical>ic ful> ness>";

/// Step 4: endings removed after a stem with a measure above 1. An ending that is the suffix of another comes after it.
const RESIDUAL: [&str; 19] = [
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "ion", "al", "er", "ic", "ou",
];

/// The stem of a word of lower-case ASCII letters; any other word is unchanged.
pub(crate) fn stem_word(word: &mut Vec<u8>) {
    let fits = (3..=LONGEST).contains(&word.len());
    if !fits || !word.iter().all(u8::is_ascii_lowercase) {
        return;
    }
    strip_plural(word);
    past_and_present(word);
    if word.ends_with(b"y") && has_vowel(&word[..word.len() - 1]) {
        *word.last_mut().expect("it ends with y") = b'i';
    }
    replace_first(word, DOUBLE);
    replace_first(word, SINGLE);
    strip_residual_suffix(word);
    final_e_and_l(word);
}

/// Step 1a.
fn strip_plural(word: &mut Vec<u8>) {
    let cut = if word.ends_with(b"sses") || word.ends_with(b"ies") {
        2
    } else {
        usize::from(word.ends_with(b"s") && !word.ends_with(b"ss"))
    };
    word.truncate(word.len() - cut);
}

/// Step 1b.
fn past_and_present(word: &mut Vec<u8>) {
    if word.ends_with(b"eed") {
        if stem_measure(&word[..word.len() - 3]) > 0 {
            word.pop();
        }
        return;
    }
    let endings = [b"ed".as_slice(), b"ing"];
    let Some(ending) = endings.iter().find(|ending| word.ends_with(ending)) else {
        return;
    };
    let rest = word.len() - ending.len();
    if !has_vowel(&word[..rest]) {
        return;
    }
    word.truncate(rest);
    if [b"at", b"bl", b"iz"].iter().any(|end| word.ends_with(*end)) {
        word.push(b'e');
    } else if ends_double(word) && !matches!(word.last(), Some(b'l' | b's' | b'z')) {
        word.pop();
    } else if stem_measure(word) == 1 && ends_short(word) {
        word.push(b'e');
    }
}

/// Steps 2 and 3: the longest matching ending decides, even if its stem is too short.
fn replace_first(word: &mut Vec<u8>, endings: &str) {
    let fitting = endings
        .split(' ')
        .filter_map(|rule| rule.split_once('>'))
        .filter(|(ending, _)| word.ends_with(ending.as_bytes()))
        .max_by_key(|(ending, _)| ending.len());
    if let Some((ending, replacement)) = fitting {
        let rest = word.len() - ending.len();
        if stem_measure(&word[..rest]) > 0 {
            word.truncate(rest);
            word.extend_from_slice(replacement.as_bytes());
        }
    }
}

/// Step 4.
fn strip_residual_suffix(word: &mut Vec<u8>) {
    let ending = RESIDUAL
        .iter()
        .find(|ending| word.ends_with(ending.as_bytes()));
    let Some(ending) = ending else { return };
    let rest = &word[..word.len() - ending.len()];
    let allowed = *ending != "ion" || matches!(rest.last(), Some(b's' | b't'));
    if allowed && stem_measure(rest) > 1 {
        word.truncate(word.len() - ending.len());
    }
}

/// Step 5.
fn final_e_and_l(word: &mut Vec<u8>) {
    if word.ends_with(b"e") {
        let rest = &word[..word.len() - 1];
        let measured = stem_measure(rest);
        if measured > 1 || (measured == 1 && !ends_short(rest)) {
            word.pop();
        }
    }
    if word.ends_with(b"ll") && stem_measure(word) > 1 {
        word.pop();
    }
}

/// Marks the consonants; `y` is one at the start and after a vowel.
fn mark_consonants(word: &[u8]) -> impl Iterator<Item = bool> {
    word.iter().scan(false, |before, letter| {
        *before = match letter {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => !*before,
            _ => true,
        };
        Some(*before)
    })
}

/// The measure: the number of vowel-consonant sequences.
fn stem_measure(word: &[u8]) -> usize {
    let pairs = mark_consonants(word).zip(mark_consonants(word).skip(1));
    pairs.filter(|pair| *pair == (false, true)).count()
}

fn has_vowel(word: &[u8]) -> bool {
    mark_consonants(word).any(|consonant| !consonant)
}

/// Whether the word ends with a double consonant.
fn ends_double(word: &[u8]) -> bool {
    matches!(word, [.., a, b] if a == b) && mark_consonants(word).last() == Some(true)
}

/// Whether the word ends with consonant, vowel, consonant, the last not w, x or y.
fn ends_short(word: &[u8]) -> bool {
    let before = word.len().saturating_sub(3);
    word.len() >= 3
        && mark_consonants(word).skip(before).eq([true, false, true])
        && !matches!(word.last(), Some(b'w' | b'x' | b'y'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stemmed(word: &str) -> String {
        let mut bytes = word.as_bytes().to_vec();
        stem_word(&mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    /// The words of the paper; the results of early steps continue through the later ones.
    #[test]
    fn words_of_the_paper_have_the_stems_of_the_paper() {
        for (word, expected) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("ties", "ti"),
            ("caress", "caress"),
            ("cats", "cat"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("bled", "bled"),
            ("motoring", "motor"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("troubled", "troubl"),
            ("sized", "size"),
            ("hopping", "hop"),
            ("tanned", "tan"),
            ("falling", "fall"),
            ("hissing", "hiss"),
            ("fizzed", "fizz"),
            ("failing", "fail"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("conditional", "condit"),
            ("rational", "ration"),
            ("valenci", "valenc"),
            ("digitizer", "digit"),
            ("radicalli", "radic"),
            ("differentli", "differ"),
            ("vileli", "vile"),
            ("vietnamization", "vietnam"),
            ("predication", "predic"),
            ("operator", "oper"),
            ("feudalism", "feudal"),
            ("decisiveness", "decis"),
            ("hopefulness", "hope"),
            ("callousness", "callous"),
            ("formaliti", "formal"),
            ("sensitiviti", "sensit"),
            ("sensibiliti", "sensibl"),
            ("triplicate", "triplic"),
            ("formative", "form"),
            ("electriciti", "electr"),
            ("goodness", "good"),
            ("revival", "reviv"),
            ("allowance", "allow"),
            ("inference", "infer"),
            ("airliner", "airlin"),
            ("gyroscopic", "gyroscop"),
            ("adjustable", "adjust"),
            ("defensible", "defens"),
            ("irritant", "irrit"),
            ("replacement", "replac"),
            ("adjustment", "adjust"),
            ("dependent", "depend"),
            ("adoption", "adopt"),
            ("homologou", "homolog"),
            ("communism", "commun"),
            ("activate", "activ"),
            ("angulariti", "angular"),
            ("homologous", "homolog"),
            ("effective", "effect"),
            ("bowdlerize", "bowdler"),
            ("probate", "probat"),
            ("rate", "rate"),
            ("cease", "ceas"),
            ("controll", "control"),
            ("roll", "roll"),
            ("generalizations", "gener"),
            ("oscillators", "oscil"),
        ] {
            assert_eq!(stemmed(word), expected, "{word}");
        }
    }

    #[test]
    fn what_is_no_english_word_stays() {
        let long = "s".repeat(LONGEST + 1);
        for word in ["", "s", "is", "x2s", "crêpes", "HOPES", &long] {
            assert_eq!(stemmed(word), word);
        }
        assert_eq!(
            stemmed(&"y".repeat(LONGEST)).len(),
            LONGEST,
            "no recursion on y"
        );
        for word in ["sss", "eed", "ing", "ies", "yed", "ion", "aed"] {
            stemmed(word); // short stems, which are empty in between
        }
    }
}
