//! Writes raised and lowered text without HTML, which many channels drop: `10<sup>6</sup>` would be read as 106.

/// The longest raised or lowered text, in bytes. A longer one keeps its tags.
pub(super) const MAX_SCRIPT: usize = 32;

/// Whether a text stands above or below its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    /// Between `<sup>` and `</sup>`.
    Raised,
    /// Between `<sub>` and `</sub>`.
    Lowered,
}

impl Script {
    /// The script that this tag begins.
    pub(super) fn begun_by(tag: &str) -> Option<Self> {
        [Self::Raised, Self::Lowered].into_iter().find(|script| tag.eq_ignore_ascii_case(script.tags().0))
    }

    /// Whether this tag ends the script.
    pub(super) fn is_ended_by(self, tag: &str) -> bool {
        tag.eq_ignore_ascii_case(self.tags().1)
    }

    const fn tags(self) -> (&'static str, &'static str) {
        match self {
            Self::Raised => ("<sup>", "</sup>"),
            Self::Lowered => ("<sub>", "</sub>"),
        }
    }

    /// The text in characters of Unicode, else behind `^` or `_`. `None` for text that is no number, sign or short name: its
    /// tags stay.
    pub(super) fn written(self, text: &str) -> Option<String> {
        if text.is_empty() || text.len() > MAX_SCRIPT {
            return None;
        }
        if let Some(written) = text.chars().map(|c| self.character(c)).collect() {
            return Some(written);
        }
        let sign = if self == Self::Raised { '^' } else { '_' };
        let is_word = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | ','));
        let is_term = text.chars().all(|c| c.is_alphanumeric() || "., +-−=/()".contains(c));
        match (is_word, is_term) {
            (true, _) => Some(format!("{sign}{text}")),
            (false, true) => Some(format!("{sign}({text})")),
            (false, false) => None,
        }
    }

    /// One character of the script, if Unicode has it.
    fn character(self, c: char) -> Option<char> {
        let (plain, script) = match self {
            Self::Raised => RAISED,
            Self::Lowered => LOWERED,
        };
        let at = plain.chars().position(|known| known == c)?;
        script.chars().nth(at)
    }
}

/// Characters and their raised forms.
const RAISED: (&str, &str) = ("0123456789+-−=()abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ");

/// Characters and their lowered forms.
const LOWERED: (&str, &str) = ("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_and_indices_keep_their_meaning_without_tags() {
        for (script, text, written) in [
            (Script::Raised, "6", Some("⁶")),
            (Script::Raised, "-12", Some("⁻¹²")),
            (Script::Raised, "th", Some("ᵗʰ")),
            (Script::Raised, "6.5", Some("^6.5")),
            (Script::Raised, "a/2", Some("^(a/2)")),
            (Script::Raised, "TM", Some("^TM")),
            (Script::Lowered, "2", Some("₂")),
            (Script::Lowered, "max", Some("_max")),
            (Script::Lowered, "i, j", Some("_(i, j)")),
            (Script::Raised, "*a*", None),
            (Script::Raised, "", None),
        ] {
            assert_eq!(script.written(text).as_deref(), written, "{text}");
        }
        assert_eq!(RAISED.0.chars().count(), RAISED.1.chars().count());
        assert_eq!(LOWERED.0.chars().count(), LOWERED.1.chars().count());
    }
}
