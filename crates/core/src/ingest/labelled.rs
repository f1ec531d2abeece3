//! Pages that a tool lists in a text, line by line: `Title: Leave`, `URL: https://x.example/leave`.

use super::source_like::Likeness;

/// Labels of addresses, in lower case.
const ADDRESSES: [&str; 3] = ["url", "link", "source"];

/// The pages in a text, each with the title above its address.
pub(super) fn pages(text: &str) -> impl Iterator<Item = Likeness> {
    let mut title = None;
    text.lines().filter_map(move |line| {
        let (label, value) = line.split_once(':')?;
        let label = label.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '-' | '#'));
        let value = value.trim_start_matches('*').trim();
        if label.eq_ignore_ascii_case("title") {
            title = Some(value);
            return None;
        }
        let is_address = ADDRESSES.iter().any(|name| label.eq_ignore_ascii_case(name));
        let is_page = is_address && (value.starts_with("https://") || value.starts_with("http://"));
        is_page.then(|| Likeness::page(value, title.take()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(text: &str) -> Vec<String> {
        pages(text).filter_map(|page| page.address).collect()
    }

    #[test]
    fn an_address_behind_its_label_is_a_page_with_the_title_above() {
        let text = "Title: Leave\nURL: https://x.example/a\nScore: 1\r\n- **Link:** https://x.example/b\n";
        let shown: Vec<Option<String>> = pages(text).map(|page| page.shown).collect();
        assert_eq!(shown, [Some("Leave".to_owned()), None]);
        assert_eq!(addresses(text), ["https://x.example/a", "https://x.example/b"]);
    }

    #[test]
    fn other_lines_are_no_pages() {
        assert_eq!(
            addresses("See https://x.example\nURL: none\nTotal: https://x.example\nURL https://x.example"),
            [""; 0]
        );
    }
}
