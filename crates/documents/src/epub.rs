//! EPUB: the chapters in the order in which they are read.

use std::collections::BTreeMap;

use crate::archive::Archive;
use crate::extracted::Extracted;
use crate::markdown::Markdown;
use crate::relationships::resolve;
use crate::xml::{Step, text_in, walk};
use crate::{Limits, Markup, Unread, Unreadable, encoding, html};

/// The text of a book.
pub(crate) fn extract(bytes: &[u8], limits: &Limits) -> Result<Extracted, Unreadable> {
    let mut archive = Archive::open(bytes, limits)?;
    if !archive.has("META-INF/container.xml") {
        return Err(Unreadable::NotWhatItsNameSays("EPUB".to_owned()));
    }
    if archive.has("META-INF/rights.xml") {
        return Err(Unreadable::Encrypted);
    }
    let container = archive.needed("META-INF/container.xml")?;
    let mut package = None;
    walk(&container, limits, |step| {
        if let Step::Open(element) = step
            && element.name == "rootfile"
        {
            package = package.take().or_else(|| element.attribute("full-path").map(str::to_owned));
        }
        Ok(())
    })?;
    let package = package.ok_or_else(|| Unreadable::damaged("it names no list of its chapters"))?;
    let list = archive.needed(&package)?;
    let folder = package.rsplit_once('/').map(|(folder, _)| format!("{folder}/")).unwrap_or_default();
    let mut markdown = Markdown::new(limits.max_text_bytes);
    let mut unread = Unread::default();
    for chapter in chapters(&list, limits)? {
        // An address may have escapes; the archive has none.
        if let Some(page) = archive.part(&resolve(&folder, &unescaped(&chapter)))? {
            html::write(&encoding::html_text(&page)?, limits, &mut markdown, &mut unread)?;
        }
    }
    let title = text_in(&list, limits, "title")?;
    Ok(Extracted { unread, ..Extracted::whole(title, Markup::Markdown, markdown.finish()) })
}

/// The addresses of the chapters, as the list of the book has them.
fn chapters(list: &[u8], limits: &Limits) -> Result<Vec<String>, Unreadable> {
    let mut addresses = BTreeMap::new();
    let mut order = Vec::new();
    walk(list, limits, |step| {
        if let Step::Open(element) = step {
            let is_navigation =
                element.attribute("properties").is_some_and(|all| all.split(' ').any(|one| one == "nav"));
            match element.name.as_str() {
                "item" if !is_navigation => {
                    if let (Some(id), Some(address)) = (element.attribute("id"), element.attribute("href")) {
                        addresses.insert(id.to_owned(), address.to_owned());
                    }
                }
                "itemref" => order.extend(element.attribute("idref").map(str::to_owned)),
                _ => {}
            }
        }
        Ok(())
    })?;
    Ok(order.iter().filter_map(|id| addresses.get(id).cloned()).collect())
}

/// An address without its escapes.
fn unescaped(address: &str) -> String {
    let mut bytes = Vec::with_capacity(address.len());
    let mut rest = address.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let escape = behind.get(..2).and_then(|digits| str::from_utf8(digits).ok());
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::zip;

    #[test]
    fn chapters_are_read_in_their_order() {
        let package = r#"<package><metadata><dc:title>The Book</dc:title></metadata><manifest>
            <item id="n" href="nav.xhtml" properties="nav"/><item id="b" href="two%20b.xhtml"/><item id="a" href="one.xhtml"/>
            </manifest><spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/></spine></package>"#;
        let book = zip(&[
            ("META-INF/container.xml", br#"<c><rootfile full-path="O/p.opf"/></c>"#.as_slice()),
            ("O/p.opf", package.as_bytes()),
            ("O/nav.xhtml", b"<p>contents</p>"),
            ("O/one.xhtml", b"<h1>One</h1><p>first</p>"),
            ("O/two b.xhtml", b"<h1>Two</h1><p>second</p>"),
        ]);
        let extracted = extract(&book, &Limits::default()).expect("text");
        assert_eq!(extracted.title.as_deref(), Some("The Book"));
        assert_eq!(extracted.pages[0].text, "# One\n\nfirst\n\n# Two\n\nsecond\n");
    }
}
