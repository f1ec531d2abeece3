//! Drawings in a PDF that are drawn by other drawings (form XObjects), and perhaps by themselves.

use std::collections::HashMap;

use hayro_syntax::content::UntypedIter;
use hayro_syntax::object::{Dict, Name, Object, ObjectIdentifier, Stream};
use hayro_syntax::page::Page;

/// A drawing stands in so many others.
const MAX_DEPTH: usize = 32;

/// A page draws so many drawings, each as often as it is drawn.
const MAX_DRAWN: u64 = 20_000;

/// The number of drawings that each drawing of a document draws.
#[derive(Debug, Default)]
pub(super) struct Forms {
    /// By its object; `None` while it is counted, which is to say that it draws itself.
    counts: HashMap<ObjectIdentifier, Option<u64>>,
}

impl Forms {
    /// Whether the drawings of a page come to an end. The parser draws them one in the other, as often as the page says.
    pub(super) fn are_bounded(&mut self, page: &Page<'_>) -> bool {
        let drawings = &page.resources().x_objects;
        let has_form =
            drawings.keys().any(|name| drawings.get::<Stream<'_>>(&name).is_some_and(|form| !is_image(&form)));
        !has_form || self.count(drawings, page.operations(), 0).is_some_and(|count| count <= MAX_DRAWN)
    }

    /// The number of drawings that a content draws; `None` for more than can be.
    fn count(&mut self, drawings: &Dict<'_>, mut content: UntypedIter<'_>, depth: usize) -> Option<u64> {
        let mut drawn: HashMap<Vec<u8>, u64> = HashMap::new();
        while let Some(operation) = content.next() {
            if &**operation.operator == b"Do"
                && let Some(Object::Name(name)) = operation.operands().next()
            {
                *drawn.entry(name.as_ref().to_vec()).or_default() += 1;
            }
        }
        let mut sum = 0_u64;
        for (name, times) in drawn {
            let Some(form) = drawings.get::<Stream<'_>>(&name).filter(|form| !is_image(form)) else { continue };
            sum = sum.checked_add(self.of_form(drawings, &form, depth)?.checked_mul(times)?)?;
            if sum > MAX_DRAWN {
                return None;
            }
        }
        Some(sum)
    }

    fn of_form(&mut self, outer: &Dict<'_>, form: &Stream<'_>, depth: usize) -> Option<u64> {
        let id = form.dict().obj_id();
        if let Some(known) = id.and_then(|id| self.counts.get(&id)) {
            return *known;
        }
        let Ok(content) = form.decoded_data() else { return Some(1) };
        let resources = form.dict().get::<Dict<'_>>(b"Resources".as_slice());
        let own = resources.map(|resources| resources.get::<Dict<'_>>(b"XObject".as_slice()).unwrap_or_default());
        // A drawing without resources of its own uses those of the page.
        let drawings = own.as_ref().unwrap_or(outer);
        if drawings.is_empty() {
            return Some(1);
        }
        if depth > MAX_DEPTH {
            return None;
        }
        id.into_iter().for_each(|id| {
            self.counts.insert(id, None);
        });
        let count = self.count(drawings, UntypedIter::new(&content), depth + 1).map(|count| count + 1);
        id.into_iter().for_each(|id| {
            self.counts.insert(id, count);
        });
        count
    }
}

fn is_image(drawing: &Stream<'_>) -> bool {
    drawing.dict().get::<Name<'_>>(b"Subtype".as_slice()).is_some_and(|kind| kind.as_ref() == b"Image")
}
