//! English stop words, which get a low weight.

use std::collections::HashSet;
use std::sync::LazyLock;

const STOP_WORDS: &str = "
a about above after again against all also although always am an and another any are arent as at away back be became
because been before behind being below between both but by can cannot cant could couldnt did didnt do does doesnt doing
done dont down during each either else enough even ever every few for from further get gets getting give given go goes
going gone got had hadnt has hasnt have havent having he hed her here hers herself hes him himself his how however i if
im in into is isnt it its itself ive just keep keeps kept least less let lets like made make makes many may me might
mine more most much must my myself near need needs neither never next no nor not nothing now of off often on once one
only or other others our ours ourselves out over own per perhaps put puts quite rather same say says see seem seems seen
several shall she shes should shouldnt since so some someone something soon still such take takes than that thats the
their theirs them themselves then there theres these they theyd theyll theyre theyve thing things this those though
through thus to together too took toward towards two under unless until up upon us use used uses using very was wasnt we
well went were werent weve what whats when where whether which while who whole whom whos whose why will with within
without wont would wouldnt yet you youd youll your youre yours yourself youve
";

/// Whether a normalised word is a stop word.
pub(crate) fn is_stop_word(word: &[char]) -> bool {
    static WORDS: LazyLock<HashSet<Vec<char>>> = LazyLock::new(|| {
        let words = STOP_WORDS.split_whitespace();
        words.map(|word| word.chars().collect()).collect()
    });
    WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_looked_up_whole() {
        let is = |word: &str| is_stop_word(&word.chars().collect::<Vec<_>>());
        assert_eq!(STOP_WORDS.split_whitespace().count(), 257);
        for word in STOP_WORDS.split_whitespace() {
            assert!(is(word), "{word}");
        }
        for word in [
            "",
            "planet",
            "th",
            "thee",
            "yourselvesandothers",
            "thé",
            "的",
        ] {
            assert!(!is(word), "{word}");
        }
    }
}
