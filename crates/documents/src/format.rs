//! The formats of documents, by the endings of their names.

use std::fmt;
use std::str::FromStr;

/// A format of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// PDF.
    Pdf,
    /// Word.
    Docx,
    /// PowerPoint.
    Pptx,
    /// Excel.
    Xlsx,
    /// HTML, and XHTML.
    Html,
    /// EPUB.
    Epub,
    /// Values separated by commas, semicolons, tabs or bars.
    Csv,
    /// Markdown.
    Markdown,
    /// Plain text.
    Text,
}

/// One row for each format: what names it on a command line and its media type; and the endings of its names.
const ROWS: [(Format, &str, &str, &[&str]); 9] = [
    (Format::Pdf, "pdf", "application/pdf", &["pdf"]),
    (Format::Docx, "docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", &["docx"]),
    (Format::Pptx, "pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation", &["pptx"]),
    (Format::Xlsx, "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", &["xlsx"]),
    (Format::Html, "html", "text/html", &["html", "htm", "xhtml"]),
    (Format::Epub, "epub", "application/epub+zip", &["epub"]),
    (Format::Csv, "csv", "text/csv", &["csv", "tsv"]),
    (Format::Markdown, "markdown", "text/markdown", &["md", "markdown"]),
    (Format::Text, "text", "text/plain", &["txt"]),
];

/// The text names no format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the format is one of pdf, docx, pptx, xlsx, html, epub, csv, markdown, text")]
pub struct UnknownFormat;

impl Format {
    /// By the ending of the name of a file, in any case of letters.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
        ROWS.iter().find(|(_, _, _, endings)| endings.contains(&ending.as_str())).map(|(format, ..)| *format)
    }

    /// The endings of the names of all documents, without the dot.
    pub fn endings() -> impl Iterator<Item = &'static str> {
        ROWS.iter().flat_map(|(_, _, _, endings)| *endings).copied()
    }

    /// The name of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The media type, without parameters.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        self.row().2
    }

    /// Whether the bytes are the text, which nothing has to parse.
    #[must_use]
    pub fn is_text(self) -> bool {
        matches!(self, Self::Markdown | Self::Text)
    }

    fn row(self) -> &'static (Self, &'static str, &'static str, &'static [&'static str]) {
        ROWS.iter().find(|(format, ..)| *format == self).unwrap_or(&ROWS[ROWS.len() - 1])
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        ROWS.iter().find(|(_, name, ..)| *name == text).map(|(format, ..)| *format).ok_or(UnknownFormat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_a_name_says_the_format() {
        for (name, format) in [
            ("a.PDF", Some(Format::Pdf)),
            ("a.b.docx", Some(Format::Docx)),
            ("a.Htm", Some(Format::Html)),
            ("a.xhtml", Some(Format::Html)),
            ("a.tsv", Some(Format::Csv)),
            ("a.markdown", Some(Format::Markdown)),
            ("pdf", None),
            ("a.doc", None),
        ] {
            assert_eq!(Format::of_name(name), format, "{name}");
        }
        for (format, name, ..) in ROWS {
            assert_eq!((format.to_string().as_str(), name.parse()), (name, Ok(format)));
        }
    }
}
