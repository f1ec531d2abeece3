//! The texts of letters whose font does not say them.

use std::collections::HashMap;

use hayro_cmap::{BfString, CMap, CMapName, CidFamily, load_embedded};
use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, Name, Object, String as PdfString};
use skrifa::MetadataProvider as _;

/// Says of each code of two bytes that it is the character.
const CODES_ARE_UTF16: &[u8] = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Codes def \
    /CMapType 2 def 1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0000> <FFFF> <0000> \
    endbfrange endcmap end end";

/// A letter with an outline.
pub(super) struct Outline<'o> {
    pub(super) code: u32,
    pub(super) glyph: u32,
    pub(super) font_name: Option<&'o str>,
    /// The font program with a key of its own.
    pub(super) font: Option<(u128, &'o [u8])>,
    pub(super) is_blank: bool,
}

/// The text that was found for a letter.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Decoded {
    Known(String),
    /// By a custom of programs, which not all follow.
    Guessed(&'static str),
    Unknown,
}

/// The maps of a font whose codes are numbers of a known collection of characters.
struct Collection {
    /// From codes to numbers.
    numbers: CMap,
    /// From numbers to characters.
    characters: CMap,
}

/// Finds the texts of letters whose font does not say them.
#[derive(Default)]
pub(super) struct Decoder {
    collections: HashMap<String, Collection>,
    /// For each font program, the characters by the numbers of their glyphs.
    characters: HashMap<u128, HashMap<u32, char>>,
}

impl Decoder {
    pub(super) fn new(pdf: &Pdf) -> Self {
        let mut collections = HashMap::new();
        for object in pdf.objects() {
            let Object::Dict(font) = object else { continue };
            let is_composite =
                font.get::<Name<'_>>(b"Subtype".as_slice()).is_some_and(|kind| kind.as_ref() == b"Type0");
            let name = font.get::<Name<'_>>(b"BaseFont".as_slice()).filter(|_| is_composite);
            if let Some(name) = name
                && let Some(collection) = collection(&font)
            {
                collections.insert(without_subset(name.as_str()).to_owned(), collection);
            }
        }
        Self { collections, characters: HashMap::new() }
    }

    /// A map that a file names and does not bring along. A font that names `Identity-H` where a map to characters belongs means that
    /// its codes are characters.
    pub(super) fn character_map(name: &CMapName<'_>) -> Option<&'static [u8]> {
        let is_identity = matches!(name, CMapName::IdentityH | CMapName::IdentityV);
        if is_identity { Some(CODES_ARE_UTF16) } else { load_embedded(*name) }
    }

    /// The text of a letter: by the collection of its font, by the table of characters in the font, or as a blank.
    pub(super) fn outline(&mut self, letter: &Outline<'_>) -> Decoded {
        if letter.is_blank {
            return Decoded::Known(" ".to_owned());
        }
        let collection = letter.font_name.and_then(|name| self.collections.get(without_subset(name)));
        let by_collection = collection.and_then(|collection| {
            let number = (1..=4).rev().find_map(|bytes| collection.numbers.lookup_cid_code(letter.code, bytes))?;
            Some(match collection.characters.lookup_bf_string(number)? {
                BfString::Char(c) => c.to_string(),
                BfString::String(text) => text,
            })
        });
        if let Some(text) = by_collection.filter(|text| is_text(text)) {
            return Decoded::Known(text);
        }
        let by_font = letter.font.filter(|_| letter.glyph != 0).and_then(|(key, program)| {
            self.characters.entry(key).or_insert_with(|| characters(program)).get(&letter.glyph).copied()
        });
        by_font.map_or(Decoded::Unknown, |c| Decoded::Known(c.to_string()))
    }

    /// The text of a letter that is a drawing: TeX numbers them as ASCII does, and ligatures from 11.
    pub(super) fn drawing(code: u32) -> Decoded {
        const ASCII: &str =
            " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz";
        let text = match code {
            11 => Some("ff"),
            12 => Some("fi"),
            13 => Some("fl"),
            14 => Some("ffi"),
            15 => Some("ffl"),
            16 | 123 => Some("-"),
            32..=122 => ASCII.get(code as usize - 32..code as usize - 31),
            _ => None,
        };
        text.map_or(Decoded::Unknown, Decoded::Guessed)
    }
}

/// Whether a text says something: no private or control character, and none that stands for an unknown one.
pub(super) fn is_text(text: &str) -> bool {
    let is_control = |c: char| c.is_control() && !c.is_whitespace();
    let is_nothing = |c: char| is_control(c) || matches!(c, '\u{fffd}' | '\u{e000}'..='\u{f8ff}');
    !text.is_empty() && !text.chars().all(is_nothing)
}

/// The name of a font without the letters that name the part of it that is in the file.
fn without_subset(name: &str) -> &str {
    name.split_once('+').filter(|(subset, _)| subset.len() == 6).map_or(name, |(_, name)| name)
}

fn collection(font: &Dict<'_>) -> Option<Collection> {
    let descendant = font.get::<Array<'_>>(b"DescendantFonts".as_slice())?.iter::<Dict<'_>>().next()?;
    let system = descendant.get::<Dict<'_>>(b"CIDSystemInfo".as_slice())?;
    let registry = system.get::<PdfString<'_>>(b"Registry".as_slice())?;
    let ordering = system.get::<PdfString<'_>>(b"Ordering".as_slice())?;
    let family = CidFamily::from_registry_ordering(registry.as_bytes(), ordering.as_bytes());
    let characters = predefined(family.ucs2_cmap()?)?;
    let numbers = match font.get::<Object<'_>>(b"Encoding".as_slice())? {
        Object::Name(name) => predefined(CMapName::from_bytes(name.as_ref()))?,
        Object::Stream(stream) => CMap::parse(&stream.decoded_data().ok()?, load_embedded)?,
        Object::Null(_)
        | Object::Boolean(_)
        | Object::Number(_)
        | Object::String(_)
        | Object::Dict(_)
        | Object::Array(_) => return None,
    };
    Some(Collection { numbers, characters })
}

fn predefined(name: CMapName<'_>) -> Option<CMap> {
    if matches!(name, CMapName::IdentityH) {
        return Some(CMap::identity_h());
    }
    if matches!(name, CMapName::IdentityV) {
        return Some(CMap::identity_v());
    }
    CMap::parse(load_embedded(name)?, load_embedded)
}

fn characters(program: &[u8]) -> HashMap<u32, char> {
    let mut characters = HashMap::new();
    if let Ok(font) = skrifa::FontRef::new(program) {
        for (code, glyph) in font.charmap().mappings() {
            let c = char::from_u32(code).filter(|c| !c.is_control() && is_text(c.encode_utf8(&mut [0; 4])));
            c.into_iter().for_each(|c| {
                characters.entry(glyph.to_u32()).or_insert(c);
            });
        }
    }
    characters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_is_guessed_by_its_code() {
        for (code, text) in
            [(97, Some("a")), (12, Some("fi")), (32, Some(" ")), (122, Some("z")), (5, None), (200, None)]
        {
            assert_eq!(Decoder::drawing(code), text.map_or(Decoded::Unknown, Decoded::Guessed), "{code}");
        }
    }

    #[test]
    fn a_private_or_control_character_is_no_text() {
        assert!(is_text("a\u{e000}") && is_text("\t"));
        for text in ["", "\0", "\u{1}\u{2}", "\u{e000}", "\u{fffd}"] {
            assert!(!is_text(text), "{text:?}");
        }
    }
}
