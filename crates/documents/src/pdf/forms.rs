//! Drawings in a PDF that are drawn by other drawings (form XObjects), and perhaps by themselves.

use std::collections::HashMap;

use hayro_syntax::object::{Dict, Name, Object, ObjectIdentifier, Stream};
use hayro_syntax::page::Page;

use super::contents::visit;

/// A drawing stands in so many others.
const MAX_DEPTH: usize = 32;

/// A page draws so many drawings, each as often as it is drawn.
const MAX_DRAWN: u64 = 20_000;

/// The drawings that a content draws.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawn {
    count: u64,
    /// The content or one of them cannot be read to its end, or one not unpacked. The parser does not draw the rest, and says nothing.
    pub(super) is_damaged: bool,
}

/// The drawings that each drawing of a document draws.
#[derive(Debug, Default)]
pub(super) struct Forms {
    /// By its object; `None` while it is counted, which is to say that it draws itself.
    counts: HashMap<ObjectIdentifier, Option<Drawn>>,
}

impl Forms {
    /// The drawings of a page; `None` unless they come to an end. The parser draws them one in the other, as often as the page says.
    pub(super) fn drawn(&mut self, page: &Page<'_>) -> Option<Drawn> {
        let content = page.page_stream().unwrap_or_default();
        self.count(&page.resources().x_objects, content, 0).filter(|drawn| drawn.count <= MAX_DRAWN)
    }

    /// The drawings that a content draws; `None` for more than can be.
    fn count(&mut self, drawings: &Dict<'_>, content: &[u8], depth: usize) -> Option<Drawn> {
        let mut drawn: HashMap<Vec<u8>, u64> = HashMap::new();
        let is_whole = visit(content, |operation| {
            if &**operation.operator == b"Do"
                && let Some(Object::Name(name)) = operation.operands().next()
            {
                *drawn.entry(name.as_ref().to_vec()).or_default() += 1;
            }
        });
        let mut sum = Drawn { count: 0, is_damaged: !is_whole };
        for (name, times) in drawn {
            let Some(form) = drawings.get::<Stream<'_>>(&name).filter(|form| !is_image(form)) else { continue };
            let drawn = self.of_form(drawings, &form, depth)?;
            sum.count = sum.count.checked_add(drawn.count.checked_mul(times)?)?;
            sum.is_damaged |= drawn.is_damaged;
            if sum.count > MAX_DRAWN {
                return None;
            }
        }
        Some(sum)
    }

    fn of_form(&mut self, outer: &Dict<'_>, form: &Stream<'_>, depth: usize) -> Option<Drawn> {
        let id = form.dict().obj_id();
        if let Some(known) = id.and_then(|id| self.counts.get(&id)) {
            return *known;
        }
        let Ok(content) = form.decoded_data() else { return Some(Drawn { count: 1, is_damaged: true }) };
        let resources = form.dict().get::<Dict<'_>>(b"Resources".as_slice());
        let own = resources.map(|resources| resources.get::<Dict<'_>>(b"XObject".as_slice()).unwrap_or_default());
        // A drawing without resources of its own uses those of the page.
        let drawings = own.as_ref().unwrap_or(outer);
        if depth > MAX_DEPTH {
            return None;
        }
        id.into_iter().for_each(|id| {
            self.counts.insert(id, None);
        });
        let count = self.count(drawings, &content, depth + 1);
        let count = count.map(|drawn| Drawn { count: drawn.count + 1, ..drawn });
        id.into_iter().for_each(|id| {
            self.counts.insert(id, count);
        });
        count
    }
}

fn is_image(drawing: &Stream<'_>) -> bool {
    drawing.dict().get::<Name<'_>>(b"Subtype".as_slice()).is_some_and(|kind| kind.as_ref() == b"Image")
}
