//! The titles that documents give themselves, and those that programs made up.

/// Titles that programs write where they know none, in lower case and without the number behind them.
const NONE: [&str; 18] = [
    "untitled",
    "untitled document",
    "(anonymous)",
    "anonymous",
    "no title",
    "(no title)",
    "none",
    "null",
    "unknown",
    "title",
    "document",
    "dokument",
    "book",
    "mappe",
    "presentation",
    "powerpoint presentation",
    "slide",
    "pdf document",
];

/// Prefixes that programs write before the name of a file.
const BEFORE_NAMES: [&str; 3] = ["Microsoft Word - ", "Microsoft PowerPoint - ", "Microsoft Excel - "];

/// A title, unless a program made it up.
pub(crate) fn of_properties(title: &str) -> Option<String> {
    let words: Vec<&str> = title.split_whitespace().collect();
    let title: String = words.join(" ").chars().filter(|c| !c.is_control()).collect();
    let title = BEFORE_NAMES.iter().find_map(|program| title.strip_prefix(program)).unwrap_or(&title).trim();
    let is_file_name = title.rsplit_once('.').is_some_and(|(name, ending)| {
        let is_ending = (2..=4).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_ending
            && !name.is_empty()
            && (!name.contains(' ') || KNOWN_ENDINGS.contains(&ending.to_lowercase().as_str()))
    });
    let bare = title.to_lowercase();
    let bare = bare.trim_end_matches(|c: char| c.is_ascii_digit() || "-_ .".contains(c));
    let is_said = title.chars().count() > 2 && title.contains(char::is_alphanumeric);
    (is_said && !is_file_name && !NONE.contains(&bare)).then(|| title.to_owned())
}

/// The endings of names of files that are no words.
const KNOWN_ENDINGS: [&str; 16] = [
    "doc", "docx", "dot", "rtf", "odt", "pdf", "ppt", "pptx", "xls", "xlsx", "indd", "qxd", "tex", "dvi", "html", "txt",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_that_a_program_made_up_is_none() {
        for (title, expected) in [
            ("Leave  policy\n2026", Some("Leave policy 2026")),
            ("Microsoft Word - Leave policy", Some("Leave policy")),
            ("Node.js in practice", Some("Node.js in practice")),
            ("Microsoft Word - leave.doc", None),
            ("Leave policy final.docx", None),
            ("Untitled-1", None),
            ("untitled", None),
            ("(anonymous)", None),
            ("Document1", None),
            ("Book 2", None),
            ("PowerPoint Presentation", None),
            ("Book of rules", Some("Book of rules")),
            ("ab", None),
            (" - ", None),
            ("年假规定", Some("年假规定")),
        ] {
            assert_eq!(of_properties(title).as_deref(), expected, "{title}");
        }
    }
}
