//! The tree of an HTML page, built in time that grows with the page: parsers look through all open elements and all attributes of an
//! element again and again, and search lists of children from their beginning.

use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ExpandedName, ParseOpts, QualName, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

use crate::{Limits, Unreadable};

/// The parser is asked after so many bytes whether its elements are nested too deep.
const CHUNK: usize = 4 * 1024;

/// The parser compares each name of an attribute with all before it in the element. More comparisons than these are refused: an
/// element with 16,000 attributes has as many, and a long page of ordinary elements a hundredth.
const MAX_COMPARISONS: usize = 1 << 27;

/// Reads a page; XHTML as XML, which has empty elements that HTML would never close.
///
/// # Errors
/// When its elements are nested too deep or have too many attributes.
pub(crate) fn parse(text: &str, limits: &Limits) -> Result<RcDom, Unreadable> {
    if comparisons(text) > MAX_COMPARISONS {
        return Err(Unreadable::damaged("an element has too many attributes"));
    }
    let is_too_deep = Rc::new(Cell::new(false));
    let tree = Tree { dom: RcDom::default(), max_depth: limits.max_depth, is_too_deep: Rc::clone(&is_too_deep) };
    if text.trim_start().starts_with("<?xml") {
        feed(xml5ever::driver::parse_document(tree, Default::default()), text, &is_too_deep)
    } else {
        feed(parse_document(tree, ParseOpts::default()), text, &is_too_deep)
    }
}

fn feed<P>(mut parser: P, text: &str, is_too_deep: &Cell<bool>) -> Result<RcDom, Unreadable>
where
    P: TendrilSink<html5ever::tendril::fmt::UTF8, Output = RcDom>,
{
    let mut rest = text;
    while !rest.is_empty() {
        let (chunk, behind) = rest.split_at(rest.floor_char_boundary(CHUNK));
        parser.process(StrTendril::from_slice(chunk));
        if is_too_deep.get() {
            return Err(Unreadable::damaged("its elements are nested too deep"));
        }
        rest = behind;
    }
    Ok(parser.finish())
}

/// How many comparisons of names the attributes of all elements take, or more: what stands in comments does not count, and what
/// looks like an element in a script does.
fn comparisons(text: &str) -> usize {
    let mut sum = 0_usize;
    let mut rest = text.as_bytes();
    while let Some(at) = memchr::memchr(b'<', rest) {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix(b"!--") {
            rest = memchr::memmem::find(comment, b"-->").map_or(&[], |end| &comment[end + 3..]);
        } else if rest.first().is_some_and(u8::is_ascii_alphabetic) {
            let (attributes, behind) = tag(rest);
            sum = sum.saturating_add(attributes.saturating_mul(attributes) / 2);
            rest = behind;
        }
    }
    sum
}

/// The number of attributes of the tag that begins here, and what stands behind it.
fn tag(bytes: &[u8]) -> (usize, &[u8]) {
    let (mut attributes, mut before, mut at) = (0, b'<', 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'>' => return (attributes, &bytes[at + 1..]),
            b'"' | b'\'' if before == b'=' => {
                at += 1 + memchr::memchr(*byte, &bytes[at + 1..]).unwrap_or(bytes.len());
                before = b' ';
            }
            byte if byte.is_ascii_whitespace() => before = if before == b'=' { b'=' } else { b' ' },
            byte => {
                let begins = matches!(before, b' ' | b'/') && !matches!(byte, b'=' | b'/');
                attributes += usize::from(begins);
                before = *byte;
            }
        }
        at += 1;
    }
    (attributes, &[])
}

/// A tree that notes when its elements are nested too deep.
struct Tree {
    dom: RcDom,
    max_depth: usize,
    is_too_deep: Rc<Cell<bool>>,
}

impl Tree {
    fn note_depth(&self, parent: &Handle) {
        let mut node = Some(Rc::clone(parent));
        for _ in 0..self.max_depth {
            match node.as_ref().and_then(parent_of) {
                None => return,
                above => node = above,
            }
        }
        self.is_too_deep.set(true);
    }
}

fn parent_of(node: &Handle) -> Option<Handle> {
    let parent = node.parent.take();
    let above = parent.as_ref().and_then(std::rc::Weak::upgrade);
    node.parent.set(parent);
    above
}

/// The parent of a node and the place in it. Parsers insert and remove near the end.
fn place_of(node: &Handle) -> Option<(Handle, usize)> {
    let parent = parent_of(node)?;
    let place = parent.children.borrow().iter().rposition(|child| Rc::ptr_eq(child, node))?;
    Some((parent, place))
}

impl TreeSink for Tree {
    type Handle = Handle;
    type Output = RcDom;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> RcDom {
        self.dom
    }

    /// The words of errors are not kept: a broken page has one for each letter.
    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.dom.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.dom.elem_name(target)
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let element = self.dom.create_element(name, attributes, flags);
        // The content of a template is nested in it.
        if let NodeData::Element { template_contents, .. } = &element.data
            && let Some(contents) = &*template_contents.borrow()
        {
            contents.parent.set(Some(Rc::downgrade(&element)));
        }
        element
    }

    fn create_comment(&self, text: StrTendril) -> Handle {
        self.dom.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Handle {
        self.dom.create_pi(target, data)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        if let NodeOrText::AppendNode(_) = child {
            self.note_depth(parent);
        }
        self.dom.append(parent, child);
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let Some((parent, place)) = place_of(sibling) else { return };
        let child = match child {
            NodeOrText::AppendNode(node) => node,
            NodeOrText::AppendText(text) => {
                let before = place.checked_sub(1).and_then(|before| parent.children.borrow().get(before).cloned());
                if let Some(NodeData::Text { contents }) = before.as_ref().map(|before| &before.data) {
                    contents.borrow_mut().push_slice(&text);
                    return;
                }
                Rc::new(markup5ever_rcdom::Node {
                    parent: Cell::default(),
                    children: Default::default(),
                    data: NodeData::Text { contents: text.into() },
                })
            }
        };
        self.note_depth(&parent);
        self.remove_from_parent(&child);
        child.parent.set(Some(Rc::downgrade(&parent)));
        // The child may have stood before its new place.
        let place = place_of(sibling).map_or(place, |(_, place)| place);
        parent.children.borrow_mut().insert(place, child);
    }

    fn append_based_on_parent_node(&self, element: &Handle, before: &Handle, child: NodeOrText<Handle>) {
        if parent_of(element).is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(before, child);
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        self.dom.append_doctype_to_document(name, public, system);
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        self.dom.get_template_contents(target)
    }

    fn same_node(&self, one: &Handle, other: &Handle) -> bool {
        Rc::ptr_eq(one, other)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.dom.set_quirks_mode(mode);
    }

    fn add_attrs_if_missing(&self, target: &Handle, attributes: Vec<Attribute>) {
        self.dom.add_attrs_if_missing(target, attributes);
    }

    fn remove_from_parent(&self, target: &Handle) {
        if let Some((parent, place)) = place_of(target) {
            parent.children.borrow_mut().remove(place);
            target.parent.set(None);
        }
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        self.dom.reparent_children(node, new_parent);
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Handle) -> bool {
        self.dom.is_mathml_annotation_xml_integration_point(target)
    }

    /// Choices are not read.
    fn maybe_clone_an_option_into_selectedcontent(&self, _: &Handle) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_counted_as_the_parser_does() {
        for (text, expected) in [
            ("<a>", 0),
            ("<a b>", 1),
            ("<a b=\"c d e > f\" g = 'h i' j=k/l m>", 5),
            ("<a/b/c />", 2),
            ("<br/>", 0),
            ("<a b", 1),
        ] {
            assert_eq!(tag(&text.as_bytes()[1..]).0, expected, "{text}");
        }
        assert_eq!(comparisons("<!-- <a b c d e> --> x < y <a b c d e>"), 8);
    }
}
