//! The letters that a page of a PDF shows, with their places. No other file knows `hayro-interpret`.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hayro_cmap::{BfString, CMapName, WritingMode};
use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect, Shape as _};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, InterpreterWarning, SoftMask, TransformExt as _, interpret_page,
};
use hayro_syntax::Pdf;
use hayro_syntax::object::{Dict, String as PdfString};
use hayro_syntax::page::Page;

use super::decoding::{Decoded, Decoder, Outline, is_text};
use super::strings::text_string;
use crate::extracted::number;

/// A page with more letters is no page that anybody reads, and each letter takes memory.
const MAX_LETTERS: usize = 1_000_000;

/// A shape that may be the mark of an item: its width in points, and its lines and curves.
const DOT: std::ops::Range<f64> = 1.0..9.0;
const DOT_ELEMENTS: usize = 40;
const MAX_DOTS: usize = 2_000;

/// A letter without a width of its own is half as wide as the font is high.
const USUAL_WIDTH: f64 = 500.0;
/// Widths are counted in thousandths of the size of the font.
const UNITS: f64 = 1000.0;

/// A letter at its place, in points from the upper left corner of the page as it is shown.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Letter {
    start: u32,
    length: u32,
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) width: f32,
    /// The size of its font.
    pub(super) size: f32,
    /// The direction in which it is written.
    pub(super) direction: [f32; 2],
    pub(super) is_bold: bool,
    /// Its text was guessed from its code.
    is_guessed: bool,
}

/// The letters of a page, in the order in which it draws them.
#[derive(Debug, Default)]
pub(super) struct Letters {
    text: String,
    pub(super) list: Vec<Letter>,
    /// The number of letters that the page shows.
    pub(super) shown: u32,
    /// The number of those without a text.
    pub(super) undecoded: u32,
    /// The page has more letters than there is room for.
    pub(super) is_too_much: bool,
    /// A font cannot be loaded. The interpreter does not draw the letters in it, or draws others.
    pub(super) lacks_font: bool,
    /// The page draws pictures, and shapes, which may be those of letters.
    pub(super) has_pictures: bool,
    pub(super) has_shapes: bool,
    /// The middles of small shapes as high as wide, which may be the marks of items.
    pub(super) dots: Vec<(f32, f32)>,
}

impl Letters {
    /// The text of a letter.
    pub(super) fn text(&self, letter: &Letter) -> &str {
        let start = letter.start as usize;
        self.text.get(start..start + letter.length as usize).unwrap_or_default()
    }

    fn push(&mut self, text: &str, letter: Letter) {
        let (start, length) = (number(self.text.len()), number(text.len()));
        self.text.push_str(text);
        self.list.push(Letter { start, length, ..letter });
    }

    /// Takes back the guesses of a page if they do not read like text: then they are false.
    fn judge_guesses(&mut self) {
        let guessed: Vec<&str> =
            self.list.iter().filter(|letter| letter.is_guessed).map(|letter| self.text(letter)).collect();
        let ligatures = guessed.iter().filter(|text| text.len() > 1).count();
        let small = guessed.iter().filter(|text| text.starts_with(|c: char| c.is_ascii_lowercase())).count();
        if ligatures * 12 > guessed.len() || small * 2 < guessed.len() {
            self.undecoded += number(guessed.len());
            self.list.retain(|letter| !letter.is_guessed);
        }
    }
}

/// Reads the letters of the pages of one document.
pub(super) struct LetterReader<'p> {
    pdf: &'p Pdf,
    cache: InterpreterCache<'p>,
    decoder: Decoder,
}

impl<'p> LetterReader<'p> {
    pub(super) fn new(pdf: &'p Pdf) -> Self {
        Self { pdf, cache: InterpreterCache::new(), decoder: Decoder::new(pdf) }
    }

    /// The letters of a page, of at most so many bytes of text or a few more.
    pub(super) fn read(&mut self, page: &'p Page<'p>, room: usize) -> Letters {
        let lacks_font = Arc::new(AtomicBool::new(false));
        let warned = Arc::clone(&lacks_font);
        let settings = InterpreterSettings {
            warning_sink: Arc::new(move |warning| {
                if matches!(warning, InterpreterWarning::UnsupportedFont) {
                    warned.store(true, Ordering::Relaxed);
                }
            }),
            cmap_resolver: Arc::new(|name: CMapName<'_>| Decoder::character_map(&name)),
            ..InterpreterSettings::default()
        };
        let (width, height) = page.render_dimensions();
        let shown = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let transform = page.initial_transform(true).to_kurbo();
        let mut context = Context::new(transform, shown, &self.cache, self.pdf.xref(), settings);
        let mut collector = Collector {
            letters: Letters::default(),
            decoder: &mut self.decoder,
            room,
            drawn: DrawnLetters::default(),
            filled: None,
            replacements: Vec::new(),
        };
        interpret_page(page, &mut context, &mut collector);
        let mut letters = collector.letters;
        letters.judge_guesses();
        letters.lacks_font = lacks_font.load(Ordering::Relaxed);
        letters
    }
}

/// A run of letters that was filled. Its outlines may be drawn next.
type Run = (u64, u64, u32, usize);

/// Takes what a page draws.
struct Collector<'d> {
    letters: Letters,
    decoder: &'d mut Decoder,
    room: usize,
    drawn: DrawnLetters,
    filled: Option<Run>,
    /// For each open part, the text that the file itself gives for the letters in it; taken by the first letter.
    replacements: Vec<Option<Option<String>>>,
}

impl Collector<'_> {
    /// Whether a run draws the outlines of the run before.
    fn is_repeated(&mut self, first: Point, code: u32, count: usize, mode: &DrawMode) -> bool {
        let run = (first.x.to_bits(), first.y.to_bits(), code, count);
        let is_repeated = matches!(mode, DrawMode::Stroke(_)) && self.filled == Some(run);
        self.filled = matches!(mode, DrawMode::Fill(_)).then_some(run);
        is_repeated
    }

    /// The text of a letter; empty if it has none.
    fn text_of(&mut self, glyph: &Glyph<'_>) -> (String, bool) {
        let own = match glyph.as_unicode() {
            Some(BfString::Char(c)) => c.to_string(),
            Some(BfString::String(text)) => text,
            None => String::new(),
        };
        if is_text(&own) {
            return (own, false);
        }
        let found = match glyph {
            Glyph::Outline(outline) => {
                let font = outline.font_data();
                let is_blank = outline.outline().elements().is_empty() && outline.advance_width().unwrap_or(0.0) > 50.0;
                self.decoder.outline(&Outline {
                    code: outline.char_code(),
                    glyph: outline.glyph_id().to_u32(),
                    font_name: font.as_ref().and_then(|font| font.postscript_name.as_deref()),
                    font: font.as_ref().map(|font| (font.cache_key, font.data.as_ref().as_ref())),
                    is_blank,
                })
            }
            Glyph::Type3(drawn) => Decoder::drawing(drawn.char_code()),
        };
        match found {
            Decoded::Known(text) => (text, false),
            Decoded::Guessed(text) => (text.to_owned(), true),
            Decoded::Unknown => (String::new(), false),
        }
    }

    fn letter(&mut self, glyph: &Glyph<'_>, place: &Place, is_bold: bool) {
        self.letters.shown += 1;
        let given = self.replacements.iter_mut().rev().find_map(Option::as_mut);
        let (text, is_guessed) = match given {
            Some(text) => (text.take().unwrap_or_default(), false),
            None => {
                let (text, is_guessed) = self.text_of(glyph);
                if text.is_empty() {
                    self.letters.undecoded += 1;
                }
                (text, is_guessed)
            }
        };
        if text.is_empty() {
            return;
        }
        if !text.trim().is_empty() && !self.drawn.insert(&text, place) {
            return;
        }
        if self.letters.text.len() + text.len() > self.room || self.letters.list.len() >= MAX_LETTERS {
            self.letters.is_too_much = true;
            return;
        }
        let letter = Letter {
            start: 0,
            length: 0,
            x: place.origin.x as f32,
            y: place.origin.y as f32,
            width: place.width as f32,
            size: place.size as f32,
            direction: [place.direction.0 as f32, place.direction.1 as f32],
            is_bold,
            is_guessed,
        };
        self.letters.push(&text, letter);
    }
}

/// The place of a letter.
struct Place {
    origin: Point,
    width: f64,
    size: f64,
    direction: (f64, f64),
}

/// The letters of a page that are drawn, by text and size, and by place: some programs draw a letter again, a little aside, to make it bold.
#[derive(Debug, Default)]
struct DrawnLetters(HashMap<(u64, i32, i32), Point>);

impl DrawnLetters {
    /// Adds a letter; false if it is drawn already.
    fn insert(&mut self, text: &str, place: &Place) -> bool {
        let mut hasher = DefaultHasher::new();
        (text, (place.size * 2.0).round() as i64).hash(&mut hasher);
        let letter = hasher.finish();
        let (reach, Point { x, y }) = (place.reach(), place.origin);
        // Of four squares twice as wide, one has each place that is near enough.
        let square = |value: f64| (value / (2.0 * reach)).floor() as i32;
        let (columns, rows) = (square(x - reach)..=square(x + reach), square(y - reach)..=square(y + reach));
        let is_near = |other: &Point| (other.x - x).abs() <= reach && (other.y - y).abs() <= reach;
        let mut near = columns.flat_map(|column| rows.clone().map(move |row| (letter, column, row)));
        if near.any(|key| self.0.get(&key).is_some_and(is_near)) {
            return false;
        }
        self.0.insert((letter, square(x), square(y)), place.origin);
        true
    }
}

impl Place {
    /// A letter that is no farther from an equal one is drawn again. Neighbours are farther apart, narrow ones such as `ll` as well.
    fn reach(&self) -> f64 {
        let narrow = if self.width > 0.0 { self.width * 0.45 } else { f64::INFINITY };
        (self.size * 0.1).min(narrow).max(1e-3)
    }
}

/// The lengths of the two axes of a letter on the page.
fn scales(transform: Affine) -> (f64, f64) {
    let [a, b, c, d, ..] = transform.as_coeffs();
    (a.hypot(b), c.hypot(d))
}

/// The places of the letters of a run. A font that is not in the file is drawn by another one, whose letters are stretched one by one:
/// then the widths that fit the distances of the letters are the right ones.
fn places(run: &GlyphRun<'_, '_>, page: Affine) -> Vec<Place> {
    let is_vertical = run.writing_mode() == WritingMode::Vertical;
    let letters: Vec<(Affine, f64)> = run
        .glyphs()
        .iter()
        .map(|glyph| {
            let advance = match &**glyph {
                Glyph::Outline(outline) => outline.advance_width(),
                Glyph::Type3(drawn) => drawn.advance_width(),
            };
            (page * glyph.transform(), if is_vertical { UNITS } else { advance.map_or(USUAL_WIDTH, f64::from) })
        })
        .collect();
    let (mut stretched, mut plain, mut widest) = (0.0, 0.0, 0.0_f64);
    for pair in letters.windows(2) {
        let [(here, width), (next, _)] = [pair[0], pair[1]];
        let distance = (next * Point::ZERO - here * Point::ZERO).hypot();
        let (along, across) = scales(here);
        stretched += (distance - width * along).abs();
        plain += (distance - width * across).abs();
    }
    for (transform, _) in &letters {
        let (along, across) = scales(*transform);
        widest = widest.max(along / across.max(1e-12));
    }
    let is_plain = is_vertical || plain < stretched * 0.7;
    letters
        .into_iter()
        .map(|(transform, width)| {
            let [a, b, c, d, ..] = transform.as_coeffs();
            let (along, across) = scales(transform);
            let direction = if is_vertical {
                (-c / across.max(1e-9), -d / across.max(1e-9))
            } else if along > 0.0 {
                (a / along, b / along)
            } else {
                (1.0, 0.0)
            };
            let scale = match (is_plain, across > 0.0) {
                (true, _) => across,
                (false, true) => across * widest,
                (false, false) => along,
            };
            let size = UNITS * if across > 0.0 { across } else { along };
            Place { origin: transform * Point::ZERO, width: width * scale, size, direction }
        })
        .collect()
}

/// Whether a run is set in a bold font.
fn is_bold(glyph: &Glyph<'_>) -> bool {
    let Glyph::Outline(outline) = glyph else { return false };
    let Some(font) = outline.font_data() else { return false };
    let is_named = font.postscript_name.as_deref().is_some_and(|name| {
        let name = name.to_ascii_lowercase();
        ["bold", "black", "heavy", "-bd", "demi"].iter().any(|word| name.contains(word))
    });
    is_named || font.weight.is_some_and(|weight| weight >= 600)
}

impl<'a> Device<'a> for Collector<'_> {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        let Some(first) = run.glyphs().first() else { return };
        let origin = (props.transform * first.transform()) * Point::ZERO;
        if self.letters.is_too_much || self.is_repeated(origin, first.char_code(), run.glyphs().len(), mode) {
            return;
        }
        let is_bold = is_bold(first);
        for (glyph, place) in run.glyphs().iter().zip(places(run, props.transform)) {
            self.letter(glyph, &place, is_bold);
        }
    }

    fn begin_marked_content(&mut self, _: &[u8], properties: Option<&Dict<'_>>) {
        let text = properties.and_then(|parts| parts.get::<PdfString<'_>>(b"ActualText".as_slice()));
        self.replacements.push(text.map(|text| Some(text_string(text.as_bytes()))));
    }

    fn end_marked_content(&mut self) {
        self.replacements.pop();
    }

    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.letters.has_shapes = true;
        let is_small = path.elements().len() <= DOT_ELEMENTS && self.letters.dots.len() < MAX_DOTS;
        if !is_small || !matches!(mode, DrawMode::Fill(_)) {
            return;
        }
        let shape = (props.transform * path.clone()).bounding_box();
        let (width, height) = (shape.width(), shape.height());
        if DOT.contains(&width) && DOT.contains(&height) && (width - height).abs() < 0.3 * width {
            let middle = shape.center();
            self.letters.dots.push((middle.x as f32, middle.y as f32));
        }
    }

    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {
        self.letters.has_pictures = true;
    }

    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}
