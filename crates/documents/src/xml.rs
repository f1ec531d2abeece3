//! XML as a list of steps. Entities of a document's own are never read, let alone those outside of it.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::{Limits, Unreadable, encoding};

/// A step through an XML text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// An element begins. Its name has no prefix.
    Open(Element),
    /// The element of this name ends.
    Close(String),
    Text(String),
}

/// The beginning of an element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
}

impl Element {
    /// The value of an attribute, named without a prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The value of an attribute by its whole name, with its prefix.
    pub(crate) fn prefixed(&self, prefix: &str, name: &str) -> Option<&str> {
        let whole = format!("{prefix}:{name}");
        self.attributes.iter().find(|(key, _)| *key == whole).map(|(_, value)| value.as_str())
    }
}

/// Calls `take` with each step.
pub(crate) fn walk(
    bytes: &[u8],
    limits: &Limits,
    mut take: impl FnMut(Step) -> Result<(), Unreadable>,
) -> Result<(), Unreadable> {
    let text = encoding::text_of(bytes).map_err(|_| Unreadable::damaged("a part of it is no XML"))?;
    let mut reader = Reader::from_str(&text);
    let mut depth = 0_usize;
    loop {
        match reader.read_event().map_err(Unreadable::damaged)? {
            Event::Start(start) => {
                depth += 1;
                if depth > limits.max_depth {
                    return Err(Unreadable::damaged("its elements are nested too deep"));
                }
                take(Step::Open(element(&start)))?;
            }
            Event::Empty(start) => {
                let element = element(&start);
                let name = element.name.clone();
                take(Step::Open(element))?;
                take(Step::Close(name))?;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                take(Step::Close(local(end.name().as_ref()).to_owned()))?;
            }
            Event::Text(text) => take(Step::Text(text.xml10_content().into_owned()))?,
            Event::CData(text) => take(Step::Text(text.xml10_content().into_owned()))?,
            Event::GeneralRef(reference) => {
                let known = match &*reference.xml10_content() {
                    "lt" => Some('<'),
                    "gt" => Some('>'),
                    "amp" => Some('&'),
                    "apos" => Some('\''),
                    "quot" => Some('"'),
                    _ => reference.resolve_char_ref().map_err(Unreadable::damaged)?,
                };
                if let Some(known) = known {
                    take(Step::Text(known.into()))?;
                }
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            Event::Eof if depth > 0 => return Err(Unreadable::damaged("a part of it ends too early")),
            Event::Eof => return Ok(()),
        }
    }
}

/// All text in the first element of this name.
pub(crate) fn text_in(bytes: &[u8], limits: &Limits, wanted: &str) -> Result<Option<String>, Unreadable> {
    let mut found: Option<String> = None;
    let mut is_open = false;
    walk(bytes, limits, |step| {
        match step {
            Step::Open(element) if element.name == wanted && found.is_none() => {
                is_open = true;
                found = Some(String::new());
            }
            Step::Close(name) if name == wanted => is_open = false,
            Step::Text(text) if is_open => found.get_or_insert_default().push_str(&text),
            Step::Open(_) | Step::Close(_) | Step::Text(_) => {}
        }
        Ok(())
    })?;
    Ok(found.filter(|text| !text.trim().is_empty()))
}

fn element(start: &BytesStart<'_>) -> Element {
    let mut attributes = start.attributes();
    let attributes = attributes.with_checks(false).flatten().map(|attribute| {
        let whole: &str = attribute.key.as_ref();
        let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0);
        (whole.to_owned(), value.map(std::borrow::Cow::into_owned).unwrap_or_default())
    });
    let mut all: Vec<(String, String)> = attributes.collect();
    let bare: Vec<_> = all
        .iter()
        .filter(|(key, _)| key.contains(':'))
        .map(|(key, value)| (local(key).to_owned(), value.clone()))
        .collect();
    all.extend(bare);
    Element { name: local(start.name().as_ref()).to_owned(), attributes: all }
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(xml: &str) -> Result<Option<String>, Unreadable> {
        text_in(xml.as_bytes(), &Limits::default(), "t")
    }

    #[test]
    fn entities_of_the_document_are_never_read() {
        let outer = r#"<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><t>a&x;b &amp;&#65;</t>"#;
        assert_eq!(text(outer), Ok(Some("ab &A".to_owned())));
        let bomb = r#"<!DOCTYPE t [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><t x="&b;">a&b;</t>"#;
        assert_eq!(text(bomb), Ok(Some("a".to_owned())));
    }

    #[test]
    fn xml_that_is_broken_or_too_deep_is_refused() {
        for xml in ["<t>a", "<t></u>", &"<t>".repeat(300)] {
            assert!(matches!(text(xml), Err(Unreadable::Damaged(_))), "{xml}");
        }
    }
}
