//! Judges pieces of raw HTML: images that are requested, and elements that Web Chat does not draw.

use citewire_core::text::is_drawn;

/// Whether an address holds the picture itself, so that nothing is requested.
pub(super) fn is_inside(url: &str) -> bool {
    url.trim_start().get(..11).is_some_and(|start| start.eq_ignore_ascii_case("data:image/"))
}

/// Whether a piece of HTML, in lower case, has an image that is requested from a host: neither inside the message nor without
/// an address.
pub(super) fn requests_image(html: &str) -> bool {
    html.split("<img").skip(1).filter_map(|rest| rest.split('>').next()?.split_once("src=")).any(|(_, value)| {
        let address = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split(quote).next(),
            _ => value.split_whitespace().next(),
        };
        address.is_some_and(|address| !address.trim().is_empty() && !is_inside(address))
    })
}

/// Whether a piece of HTML, in lower case, has an element that Web Chat does not draw, or a button. Its end counts as well.
pub(super) fn is_undrawn_html(html: &str) -> bool {
    let ends =
        html.split("</").skip(1).map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or(""));
    !html.trim_start().starts_with("<!--") && opened(html).chain(ends).any(|name| !is_drawn(name))
}

/// Whether a piece of inline HTML has an element that Web Chat does not draw, or one with attributes.
pub(super) fn is_active_html(html: &str) -> bool {
    let html = html.trim_start().to_ascii_lowercase();
    !html.starts_with("<!--") && (html.contains(char::is_whitespace) || !opened(&html).all(is_drawn))
}

/// The names of the elements that open in a piece of lower-case HTML.
pub(super) fn opened(html: &str) -> impl Iterator<Item = &str> {
    let names =
        html.split('<').skip(1).map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or(""));
    names.filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}
