//! Words that stand for a picture.

/// The words for a picture as one line; `None` where programs wrote the name of a file, or nothing.
pub(crate) fn words_for_picture(words: &str) -> Option<String> {
    let words = crate::extracted::one_line(words);
    let is_file = !words.contains(' ') && words.contains(['.', '/', '_']);
    (!is_file && words.contains(char::is_alphabetic)).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_says_nothing_about_a_picture() {
        for (words, expected) in [
            ("The way\nto the exit", Some("The way to the exit")),
            ("Logo", Some("Logo")),
            ("image1.png", None),
            ("IMG_2041", None),
            ("", None),
            ("12", None),
        ] {
            assert_eq!(words_for_picture(words).as_deref(), expected, "{words}");
        }
    }
}
