//! The letters of a page of a PDF as lines and paragraphs.

use pdf_extract::{MediaBox, OutputDev, OutputError, Transform};

/// A gap this wide, in sizes of the font, is a blank.
const BLANK: f64 = 0.1;
/// A letter that stands this much higher or lower is in another line: letters of formulas are not.
const LINE: f64 = 0.5;
/// Lines further apart than this, and fonts that differ more than this, are those of two paragraphs.
const PARAGRAPH: f64 = 1.6;
const FONT: f64 = 1.15;

/// Where the letter before ended.
#[derive(Clone, Copy, Debug)]
struct Pen {
    /// Along and across the direction of writing.
    along: f64,
    across: f64,
    size: f64,
    direction: (f64, f64),
}

/// Puts the letters of a page together, in the order in which the page draws them.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    text: String,
    /// The bytes of text that the page may have.
    room: usize,
    pen: Option<Pen>,
    /// The size of the font in which the line begins.
    line_size: f64,
}

impl Layout {
    /// A page of at most so many bytes of text, or a little more.
    pub(crate) fn new(room: usize) -> Self {
        Self { room, ..Self::default() }
    }

    /// The text of the page.
    pub(crate) fn finish(self) -> String {
        tidied(&self.text)
    }

    fn letter(&mut self, pen: Pen, width: f64, letter: &str) {
        if let Some(last) = self.pen {
            let turned = (last.direction.0 - pen.direction.0).abs() + (last.direction.1 - pen.direction.1).abs() > 0.1;
            let size = last.size.max(pen.size).max(0.1);
            let down = last.across - pen.across;
            if turned || down.abs() > LINE * size {
                let is_paragraph = turned
                    || down > PARAGRAPH * size
                    || pen.size > self.line_size * FONT
                    || pen.size * FONT < self.line_size;
                self.text.push_str(if is_paragraph { "\n\n" } else { "\n" });
                self.line_size = pen.size;
            } else if pen.along < last.along - 4.0 * size {
                // The same height, but back at the left: a line that was drawn again, or the next column.
                self.text.push('\n');
            } else if pen.along > last.along + BLANK * size && !self.text.ends_with(' ') {
                self.text.push(' ');
            }
        } else {
            self.line_size = pen.size;
        }
        self.text.push_str(letter);
        self.pen = Some(Pen { along: pen.along + width, ..pen });
    }
}

impl OutputDev for Layout {
    fn begin_page(&mut self, _: u32, _: &MediaBox, _: Option<(f64, f64, f64, f64)>) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn output_character(
        &mut self,
        place: &Transform,
        width: f64,
        _spacing: f64,
        font_size: f64,
        letter: &str,
    ) -> Result<(), OutputError> {
        // Text over the limit makes the document too long, and needs no more letters.
        if self.text.len() > self.room {
            return Ok(());
        }
        let stretch = place.m11.hypot(place.m12);
        let direction = if stretch > 0.0 { (place.m11 / stretch, place.m12 / stretch) } else { (1.0, 0.0) };
        let pen = Pen {
            along: place.m31 * direction.0 + place.m32 * direction.1,
            across: place.m32 * direction.0 - place.m31 * direction.1,
            size: (place.m21.hypot(place.m22) * font_size).abs(),
            direction,
        };
        self.letter(pen, width * font_size * stretch, letter);
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

/// Ligatures as letters, one blank for several, and words whole that a line end divides.
fn tidied(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    for line in text.lines() {
        let line = words(line);
        if line.is_empty() {
            if !tidy.is_empty() && !tidy.ends_with("\n\n") {
                tidy.push('\n');
            }
            continue;
        }
        let goes_on = tidy.ends_with("-\n") && line.starts_with(char::is_lowercase);
        let divided = tidy.trim_end_matches("-\n").ends_with(char::is_alphabetic);
        if goes_on && divided {
            tidy.truncate(tidy.len() - 2);
        }
        tidy.push_str(&line);
        tidy.push('\n');
    }
    while tidy.ends_with("\n\n") {
        tidy.pop();
    }
    tidy
}

fn words(line: &str) -> String {
    let mut written = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\u{fb00}' => written.push_str("ff"),
            '\u{fb01}' => written.push_str("fi"),
            '\u{fb02}' => written.push_str("fl"),
            '\u{fb03}' => written.push_str("ffi"),
            '\u{fb04}' => written.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => written.push_str("st"),
            '\u{2010}' => written.push('-'),
            c if c.is_whitespace() => {
                if !written.ends_with(' ') {
                    written.push(' ');
                }
            }
            '\u{ad}' | '\u{200b}' | '\u{feff}' | '\u{fffd}' => {}
            c if c.is_control() => {}
            c => written.push(c),
        }
    }
    written.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_and_paragraphs_apart() {
        assert_eq!(tidied("The o\u{fb03}ce of  the hand-\nbook\n\n\n\nnext\n"), "The office of the handbook\n\nnext\n");
        assert_eq!(tidied("North-\nSouth, a -\nb and 3-\nd\n"), "North-\nSouth, a -\nb and 3-\nd\n");
    }
}
