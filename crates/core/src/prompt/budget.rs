//! Limits for the length of a prompt, in bytes or in estimated tokens.

/// The maximum length of a prompt. [`build`](super::build) leaves out sources that exceed it, and never cuts one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Budget {
    /// No limit.
    #[default]
    Unlimited,
    /// At most this many UTF-8 bytes. Exact.
    Bytes(usize),
    /// At most this many tokens, as [`estimate_tokens`] counts.
    Tokens(usize),
}

impl Budget {
    /// The cost of a piece of text, in the unit of the budget. If a text is cut at line ends, the costs of the pieces add up
    /// to the cost of the whole.
    pub(super) fn cost(self, text: &str) -> usize {
        match self {
            Self::Unlimited => 0,
            Self::Bytes(_) => text.len(),
            Self::Tokens(_) => estimate_tokens(text),
        }
    }

    pub(super) fn allows(self, cost: usize) -> bool {
        match self {
            Self::Unlimited => true,
            Self::Bytes(max) | Self::Tokens(max) => cost <= max,
        }
    }

    /// The budget that remains when `other` takes its part, for example a line end behind the prompt. Never below zero.
    #[must_use]
    pub fn beside(self, other: &str) -> Self {
        let cost = self.cost(other);
        match self {
            Self::Unlimited => Self::Unlimited,
            Self::Bytes(max) => Self::Bytes(max.saturating_sub(cost)),
            Self::Tokens(max) => Self::Tokens(max.saturating_sub(cost)),
        }
    }
}

/// Estimates the number of tokens in a text, without a tokenizer and for no particular model.
///
/// Vocabularies differ, so the estimate tends to be high. A run of ASCII letters counts one token for each four letters, and
/// beyond the twelfth letter one for each two, because long runs are seldom words; a capital behind a small letter begins a
/// new run. A digit, a punctuation mark and a line end count one each. A single blank counts nothing. A non-ASCII character
/// counts its UTF-8 bytes minus one, or four outside the Basic Multilingual Plane. `docs/guides/prompt.md` compares the
/// estimate with real tokenizers.
#[must_use]
pub fn estimate_tokens(text: &str) -> usize {
    let (mut tokens, mut letters, mut blanks) = (0, 0, 0);
    let mut after_small = false;
    for c in text.chars() {
        if c.is_ascii_alphabetic() {
            // A capital behind a small letter begins a word, as in `camelCase` and in random strings.
            if after_small && c.is_ascii_uppercase() {
                tokens += word(letters);
                letters = 0;
            }
            letters += 1;
            after_small = c.is_ascii_lowercase();
            blanks = 0;
            continue;
        }
        tokens += word(letters);
        letters = 0;
        after_small = false;
        if c == ' ' || c == '\t' {
            blanks += 1;
            // A single blank belongs to the next word; longer runs count one token for each four.
            tokens += usize::from(blanks % 4 == 2);
            continue;
        }
        blanks = 0;
        tokens += match c.len_utf8() {
            1 => 1,
            4 => 4,
            bytes => bytes - 1,
        };
    }
    tokens + word(letters)
}

fn word(letters: usize) -> usize {
    letters.min(12).div_ceil(4) + letters.saturating_sub(12).div_ceil(2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_estimate_is_about_what_tokenizers_say_and_rather_more() {
        // The second number is the highest of four tokenizers: o200k, cl100k, Claude 2 and Llama 2.
        for (text, measured) in [
            ("Leave is thirty days, to be asked for in writing.", 13),
            ("年假为三十天,必须以书面形式申请。", 23),
            ("1234567890", 10),
            ("Ежегодный отпуск составляет тридцать дней.", 23),
            ("kqxzjvwpyhbnmtrlkqxzjvwpyhbnmtrl", 24),
            ("aGVsbG8gd29ybGQsIHRoaXMgaXMgYSB0ZXN0", 31),
        ] {
            let estimate = estimate_tokens(text);
            assert!(estimate * 2 >= measured && estimate <= measured * 2, "{text}: {estimate} of {measured}");
        }
        assert_eq!(estimate_tokens(""), 0);
    }

    #[test]
    fn what_remains_is_never_below_nothing() {
        assert_eq!(Budget::Bytes(1).beside("\n\n"), Budget::Bytes(0));
        assert_eq!(Budget::Tokens(9).beside("\n\n"), Budget::Tokens(7));
        assert_eq!(Budget::Unlimited.beside("\n\n"), Budget::Unlimited);
    }

    proptest! {
        #[test]
        fn the_costs_of_pieces_add_up_at_line_ends(head in "(?s).{0,60}", tail in "(?s).{0,60}") {
            let whole = estimate_tokens(&format!("{head}\n{tail}"));
            prop_assert_eq!(whole, estimate_tokens(&format!("{head}\n")) + estimate_tokens(&tail));
            prop_assert_eq!(whole, estimate_tokens(&head) + estimate_tokens(&format!("\n{tail}")));
        }

        #[test]
        fn an_estimate_never_exceeds_the_bytes(text in "(?s).{0,80}") {
            // Byte-level vocabularies need at most one token for each byte.
            prop_assert!(estimate_tokens(&text) <= text.len());
        }
    }
}
