//! The elements of raw HTML that Web Chat draws.

/// The elements that Web Chat 4.18.1 and newer versions draw, without their attributes; observed in both bundles.
const DRAWN: [&str; 34] = [
    "a",
    "b",
    "blockquote",
    "br",
    "caption",
    "code",
    "del",
    "div",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "ins",
    "li",
    "ol",
    "p",
    "pre",
    "s",
    "span",
    "strike",
    "strong",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];

/// Whether Web Chat draws an element, by its name in lower case.
pub(super) fn is_drawn(name: &str) -> bool {
    DRAWN.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_sorted_so_that_each_is_found() {
        assert!(DRAWN.is_sorted());
        assert!(DRAWN.into_iter().all(is_drawn) && !is_drawn("sub"));
    }
}
