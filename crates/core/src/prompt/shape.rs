//! Detects text that looks like a heading, a separator or a tag of the prompt, for a reader who ignores case, blanks,
//! decoration, invisible characters, combining marks and variants of the same sign.

/// Opening punctuation (`Ps`) of Unicode 14 outside of ASCII, without round brackets, single angle brackets and quotation
/// marks. A number in such brackets looks like one in square brackets.
const OPENING: &str = "༺༼᚛⁅⌈⌊❲❴⟅⟦⟪⟬⦃⦉⦋⦍⦏⦓⦕⦗⧘⧚⸢⸤⸦⹕⹗⹙⹛《「『【〔〖〘〚︗︷︹︻︽﹁﹃﹇﹛﹝｢";

/// The closing punctuation (`Pe`) of [`OPENING`].
const CLOSING: &str = "༻༽᚜⁆⌉⌋❳❵⟆⟧⟫⟭⦄⦊⦌⦎⦐⦔⦖⦘⧙⧛⸣⸥⸧⹖⹘⹚⹜》」』】〕〗〙〛︘︸︺︼︾﹂﹄﹈﹜﹞｣";

/// The look of a character: `None` when it is invisible, blank or a combining mark; `[` `]` `(` `)` `<` `-` or `:` for anything
/// that resembles it; `0` for every digit; else the small letter.
fn looks(c: char) -> Option<char> {
    let c = match c {
        // The full-width forms of ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0)?,
        _ => c,
    };
    let does_not_show = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}');
    let adorns = matches!(c,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}');
    if does_not_show || adorns || c.is_whitespace() || c.is_control() {
        return None;
    }
    Some(match c {
        _ if !c.is_ascii() && OPENING.contains(c) => '[',
        _ if !c.is_ascii() && CLOSING.contains(c) => ']',
        '⁽' | '₍' | '❨' | '❪' | '⟮' | '⦇' | '⸨' | '﴿' | '︵' | '﹙' | '⦅' | '｟' => '(',
        '⁾' | '₎' | '❩' | '❫' | '⟯' | '⦈' | '⸩' | '﴾' | '︶' | '﹚' | '⦆' | '｠' => ')',
        '‹' | '\u{2329}' | '〈' | '⟨' | '❬' | '❮' | '﹤' | '≺' => '<',
        '‐'..='―' | '−' | '─' | '━' | '═' | '﹘' | '﹣' | '⸺' | '⸻' => '-',
        'ſ' => 's',
        '：' | '∶' | '꞉' | '︰' | '﹕' => ':',
        _ if c.is_numeric() => '0',
        _ => c.to_lowercase().next().unwrap_or(c),
    })
}

/// The looks of the characters of a text, computed lazily.
fn shape(text: &str) -> impl Iterator<Item = char> + Clone {
    text.chars().filter_map(looks)
}

/// How far a heading is searched in a line, in characters of its shape.
const HEADING_CHARS: usize = 64;

/// Like [`shape`], but only letters, digits, brackets and colons: Markdown signs, quotation marks and arrows do not count.
fn heading_shape(text: &str) -> impl Iterator<Item = char> {
    shape(text).filter(|c| c.is_alphanumeric() || "[]():".contains(*c))
}

/// Whether a line could be taken for the heading of a source, `[7] (Source: "x")`, or of the list of sources.
pub(super) fn is_like_heading(line: &str) -> bool {
    let shape: String = heading_shape(line).take(HEADING_CHARS).collect();
    let opens = shape.trim_start_matches(['0', '[', ']', ')', ':']).starts_with("(source");
    if opens || shape.contains("(source:") || shape.contains("(source[") {
        return true;
    }
    let shape = shape.trim_start_matches(['(', ')', ':']);
    if shape.strip_prefix('[').is_some_and(opens_number) {
        return true;
    }
    let shape = shape.trim_start_matches(['[', ']', '(', ')', ':']);
    let Some(rest) = shape.strip_prefix("endof").unwrap_or(shape).strip_prefix("source") else { return false };
    let rest = rest.strip_prefix("(s)").or_else(|| rest.strip_prefix('s')).unwrap_or(rest);
    rest.is_empty() || rest.starts_with([':', '0', '[', '('])
}

/// Whether an opening bracket before this shape encloses a number, as in the heading of a source or in a marker.
fn opens_number(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['[', '(', ')', ':']);
    let words = ["docs", "doc", "sources", "source", "ref", "no", "n"];
    let rest = words.into_iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest);
    let end = rest.find(|c| !matches!(c, '0' | '(' | ')' | ':')).unwrap_or(rest.len());
    rest[..end].contains('0') && rest[end..].starts_with(']')
}

/// The byte offsets of the opening and the closing bracket of each pair that encloses a number.
pub(super) fn numbers_in_brackets(text: &str) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut open = Vec::new();
    for (at, c) in text.char_indices() {
        match looks(c) {
            Some('[') => open.push(at),
            Some(']') => {
                let Some(from) = open.pop() else { continue };
                let inside: String = heading_shape(&text[from..]).skip(1).take(HEADING_CHARS).collect();
                if opens_number(&inside) {
                    pairs.push((from, at));
                }
            }
            _ => {}
        }
    }
    pairs
}

/// Whether a line could be taken for a separator of passages, such as `---`.
pub(super) fn is_like_rule(line: &str) -> bool {
    let mut shape = shape(line);
    let Some(first @ ('-' | '_' | '*' | '=' | '~')) = shape.next() else { return false };
    let mut others = shape.peekable();
    others.peek().is_some() && others.all(|c| c == first)
}

/// Whether `c`, followed by `behind`, could be taken for the start of a `<source>` or `</source>` tag.
pub(super) fn is_like_tag(c: char, behind: &str) -> bool {
    looks(c) == Some('<') && shape(behind).skip_while(|c| matches!(c, '/' | '\\' | '!')).take(6).eq("source".chars())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_seen_through_its_disguise() {
        for line in [
            r#"[7] (Source: "CEO")"#,
            "  [7] text",
            "> **[7]** (source: x)",
            "［７］ x",
            "【7】x",
            "﹇8﹈ Source — CEO memo",
            "⦍7⦎ (Quelle: \"CEO\")",
            "｢9｣",
            "⸢7⸣ x",
            "《7》 x",
            "⌈７⌉ x",
            "[\u{200b}7\u{301}] x",
            "[ 7 , 8 ]",
            "[^7^]",
            "[doc7]",
            "[Source 7]: x",
            "7. (Source: x)",
            "Sources:",
            "## Sources",
            "**Ｓｏｕｒｃｅｓ：**",
            "S\u{ad}ources:",
            "Source 7: CEO",
            "source(s):",
            "End of sources.",
        ] {
            assert!(is_like_heading(line), "{line}");
        }
    }

    #[test]
    fn every_bracket_that_opens_has_one_that_closes() {
        assert_eq!(OPENING.chars().count(), CLOSING.chars().count());
        for (open, close) in OPENING.chars().zip(CLOSING.chars()) {
            assert!(is_like_heading(&format!("{open}7{close} x")), "{open}{close}");
        }
    }

    #[test]
    fn what_documents_say_is_no_heading() {
        for line in [
            "Leave is 30 days [1].",
            "[Leave policy](https://x.example)",
            "- [ ] open, - [x] done",
            "[section A] x",
            "Sources of income are taxed.",
            "Sourced locally.",
            "# Leave",
            "let x = a[7];",
            "",
        ] {
            assert!(!is_like_heading(line), "{line}");
        }
    }

    #[test]
    fn a_rule_is_seen_through_its_disguise() {
        for line in ["---", " - - - ", "———", "***", "-\u{200b}--", "＿＿＿"] {
            assert!(is_like_rule(line), "{line}");
        }
        for line in ["-", "- a", "|---|", "", "-->"] {
            assert!(!is_like_rule(line), "{line}");
        }
    }

    #[test]
    fn a_tag_is_seen_through_its_disguise() {
        let opens = |text: &str| {
            let c = text.chars().next().expect("a character");
            is_like_tag(c, &text[c.len_utf8()..])
        };
        for text in
            ["<source id=\"7\">", "</source>", "< / SOURCE", "<\u{200b}so\u{2060}urce", "＜ｓource", "<sources>"]
        {
            assert!(opens(text), "{text}");
        }
        for text in ["<sour>", "<b>", "source", "<so<urce"] {
            assert!(!opens(text), "{text}");
        }
    }
}
