//! Drawings in a PDF that are drawn by other drawings (form XObjects), and perhaps by themselves.

use std::collections::BTreeMap;
use std::rc::Rc;

use pdf_extract::content::Content;
use pdf_extract::{Dictionary, Document, Object, ObjectId};

/// A drawing stands in so many others.
const MAX_DEPTH: usize = 32;

/// A page draws so many drawings, each as often as it is drawn.
const MAX_DRAWN: usize = 20_000;

/// The drawings (form XObjects) that each drawing of a document draws.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    /// The names that each drawing draws, by its object.
    drawn: BTreeMap<ObjectId, Rc<[Vec<u8>]>>,
}

impl Forms {
    /// Whether the drawings of a page come to an end. The parser draws them one in the other, as often as the page says.
    pub(crate) fn are_bounded(&mut self, document: &Document, page: ObjectId) -> bool {
        let Ok(parts) = document.get_dictionary(page) else { return true };
        let resources = dictionary(document, parts, b"Resources");
        let drawings = resources.and_then(|resources| dictionary(document, resources, b"XObject"));
        if drawings.is_none_or(|drawings| !drawings.iter().any(|(_, value)| is_form(document, value))) {
            return true;
        }
        let Ok(content) = document.get_page_content(page) else { return true };
        let mut left = MAX_DRAWN;
        self.draw(document, resources, &names(&content), 0, &mut left)
    }

    fn draw(
        &mut self,
        document: &Document,
        resources: Option<&Dictionary>,
        names: &[Vec<u8>],
        depth: usize,
        left: &mut usize,
    ) -> bool {
        let Some(drawings) = resources.and_then(|resources| dictionary(document, resources, b"XObject")) else {
            return true;
        };
        if depth > MAX_DEPTH && !names.is_empty() {
            return false;
        }
        names.iter().all(|name| {
            let Some((id, form)) = drawings.get(name).ok().and_then(|value| form(document, value)) else { return true };
            let Some(fewer) = left.checked_sub(1) else { return false };
            *left = fewer;
            let known = self.drawn.get(&id).cloned();
            let inner = known.unwrap_or_else(|| {
                let content = form.decompressed_content().unwrap_or_else(|_| form.content.clone());
                let inner: Rc<[Vec<u8>]> = self::names(&content).into();
                self.drawn.insert(id, Rc::clone(&inner));
                inner
            });
            // A drawing without resources of its own uses those of the page.
            let own = dictionary(document, &form.dict, b"Resources").or(resources);
            self.draw(document, own, &inner, depth + 1, left)
        })
    }
}

/// The names that a content draws.
fn names(content: &[u8]) -> Vec<Vec<u8>> {
    let Ok(Content { operations }) = Content::decode(content) else { return Vec::new() };
    let drawn = operations.into_iter().filter(|operation| operation.operator == "Do");
    drawn.filter_map(|operation| Some(operation.operands.first()?.as_name().ok()?.to_vec())).collect()
}

fn dictionary<'d>(document: &'d Document, parts: &'d Dictionary, key: &[u8]) -> Option<&'d Dictionary> {
    document.dereference(parts.get(key).ok()?).ok()?.1.as_dict().ok()
}

fn form<'d>(document: &'d Document, value: &'d Object) -> Option<(ObjectId, &'d pdf_extract::Stream)> {
    let (id, object) = document.dereference(value).ok()?;
    let form = object.as_stream().ok()?;
    let is_image = form.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Image");
    Some((id?, form)).filter(|_| !is_image)
}

fn is_form(document: &Document, value: &Object) -> bool {
    form(document, value).is_some()
}
