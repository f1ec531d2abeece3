//! PowerPoint files: a page for each slide.

use std::collections::BTreeMap;

use crate::archive::Archive;
use crate::extracted::{Extracted, PageText};
use crate::markdown::Markdown;
use crate::picture::words_for_picture;
use crate::relationships::{self, Target};
use crate::script::raised;
use crate::xml::{Step, walk};
use crate::{Limits, Markup, Unread, UnreadKind, Unreadable};

/// The text of the slides, in the order in which they are shown. Notes of the speaker are no part of it, and are counted.
pub(crate) fn extract(bytes: &[u8], limits: &Limits) -> Result<Extracted, Unreadable> {
    let mut archive = Archive::open(bytes, limits)?;
    let main = relationships::main_part(&mut archive, limits, "ppt/presentation.xml")?;
    if !archive.has(&main) || !main.starts_with("ppt/") {
        return Err(Unreadable::NotWhatItsNameSays("PPTX".to_owned()));
    }
    let presentation = archive.needed(&main)?;
    let targets = relationships::of_part(&mut archive, &main, limits)?;
    let slides = slides(&presentation, &targets, limits)?;
    if slides.len() > limits.max_pages {
        return Err(Unreadable::TooManyPages { pages: slides.len(), limit: limits.max_pages });
    }
    let mut room = limits.max_text_bytes;
    let mut pages = Vec::with_capacity(slides.len());
    let (mut unread, mut lost_pages) = (Unread::default(), Vec::new());
    for (number, part) in (1..).zip(&slides) {
        let Some(part) = part.as_deref().filter(|part| archive.has(part)) else {
            lost_pages.push(number);
            continue;
        };
        let mut parts = vec![archive.needed(part)?];
        for target in relationships::of_part(&mut archive, part, limits)?.into_values() {
            match target.kind.as_str() {
                "diagramData" => parts.extend(archive.part(&target.part)?),
                "notesSlide" => unread.add(UnreadKind::SpeakerNotes, notes(archive.part(&target.part)?, limits)?),
                "comments" => unread.add(UnreadKind::Comments, 1),
                "chart" => unread.add(UnreadKind::Charts, 1),
                _ => {}
            }
        }
        let text = slide(&parts, limits, room)?;
        room = room.saturating_sub(text.len());
        pages.push(PageText { number: Some(number), text, words: Vec::new() });
    }
    if pages.is_empty() && !lost_pages.is_empty() {
        return Err(Unreadable::damaged("it lacks all of its slides"));
    }
    let title = relationships::title(&mut archive, limits)?;
    let page_count = u32::try_from(slides.len()).ok();
    Ok(Extracted { pages, page_count, lost_pages, unread, ..Extracted::whole(title, Markup::Markdown, String::new()) })
}

/// The parts of the slides in the order in which they are shown; `None` for one that leads to no part of the file.
fn slides(
    presentation: &[u8],
    targets: &BTreeMap<String, Target>,
    limits: &Limits,
) -> Result<Vec<Option<String>>, Unreadable> {
    let mut slides = Vec::new();
    // Extensions list slides once more, by sections.
    let mut extensions = 0_usize;
    walk(presentation, limits, |step| {
        match step {
            Step::Open(element) if element.name == "extLst" => extensions += 1,
            Step::Close(name) if name == "extLst" => extensions = extensions.saturating_sub(1),
            Step::Open(element) if element.name == "sldId" && extensions == 0 => {
                let target = element.prefixed("r", "id").and_then(|id| targets.get(id));
                slides.push(target.map(|target| target.part.clone()));
            }
            Step::Open(_) | Step::Close(_) | Step::Text(_) => {}
        }
        Ok(())
    })?;
    Ok(slides)
}

/// The text of a slide and its diagrams.
fn slide(parts: &[Vec<u8>], limits: &Limits, room: usize) -> Result<String, Unreadable> {
    let mut slide = Slide { markdown: Markdown::new(room), ..Slide::default() };
    for part in parts {
        walk(part, limits, |step| slide.take(step))?;
        slide.is_title = false;
    }
    Ok(slide.markdown.finish())
}

/// 1 if the notes of a slide say more than its number, else 0.
fn notes(part: Option<Vec<u8>>, limits: &Limits) -> Result<usize, Unreadable> {
    let Some(part) = part else { return Ok(0) };
    let mut text = String::new();
    let mut is_text = false;
    walk(&part, limits, |step| {
        match step {
            Step::Open(element) if element.name == "t" => is_text = true,
            Step::Close(name) if name == "t" => is_text = false,
            Step::Text(part) if is_text => text.push_str(&part),
            Step::Open(_) | Step::Close(_) | Step::Text(_) => {}
        }
        Ok(())
    })?;
    Ok(usize::from(text.contains(char::is_alphabetic)))
}

#[derive(Debug, Default)]
struct Slide {
    markdown: Markdown,
    is_title: bool,
    is_text: bool,
    /// The run is written higher.
    is_raised: bool,
    paragraph: String,
    depth: usize,
    /// The rows of the table that is being read.
    table: Option<Vec<Vec<String>>>,
    cell: String,
    /// The number of open fallbacks for older programs. Their text is skipped, because it stands elsewhere as well.
    hidden: usize,
}

impl Slide {
    fn take(&mut self, step: Step) -> Result<(), Unreadable> {
        match step {
            Step::Open(element) => match element.name.as_str() {
                "Fallback" => self.hidden += 1,
                "sp" => self.is_title = false,
                "ph" => self.is_title = matches!(element.attribute("type"), Some("title" | "ctrTitle")),
                "pPr" => self.depth = element.attribute("lvl").and_then(|level| level.parse().ok()).unwrap_or(0),
                "r" => self.is_raised = false,
                "rPr" => {
                    let height: Option<i32> = element.attribute("baseline").and_then(|height| height.parse().ok());
                    self.is_raised = height.is_some_and(|height| height > 0);
                }
                "t" => self.is_text = true,
                "cNvPr" => {
                    if let Some(words) = element.attribute("descr").and_then(words_for_picture) {
                        return self.markdown.paragraph(&words);
                    }
                }
                "br" => self.paragraph.push('\n'),
                "tbl" => self.table = Some(Vec::new()),
                "tr" => self.table.iter_mut().for_each(|rows| rows.push(Vec::new())),
                _ => {}
            },
            Step::Text(text) if self.is_text && self.hidden == 0 => {
                let before = self.paragraph.chars().next_back();
                let raised = self.is_raised.then(|| raised(before, &text));
                self.paragraph.push_str(raised.as_ref().unwrap_or(&text));
            }
            Step::Text(_) => {}
            Step::Close(name) => return self.close(&name),
        }
        Ok(())
    }

    fn close(&mut self, name: &str) -> Result<(), Unreadable> {
        match name {
            "Fallback" => self.hidden = self.hidden.saturating_sub(1),
            "t" => self.is_text = false,
            "p" => {
                let text = std::mem::take(&mut self.paragraph);
                let depth = std::mem::take(&mut self.depth);
                if self.table.is_some() {
                    self.cell.push_str(&text);
                    self.cell.push(' ');
                } else if self.is_title {
                    return self.markdown.heading(1, &text);
                } else if depth > 0 {
                    return self.markdown.item(depth, &text);
                } else {
                    return self.markdown.paragraph(&text);
                }
            }
            "tc" => {
                let cell = std::mem::take(&mut self.cell);
                self.table.iter_mut().filter_map(|rows| rows.last_mut()).for_each(|row| row.push(cell.clone()));
            }
            "tbl" => return self.markdown.table(&self.table.take().unwrap_or_default()),
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{pptx, pptx_with};

    #[test]
    fn slides_are_pages_in_the_order_in_which_they_are_shown() {
        let file = pptx(&[("Second", "on *two*"), ("First", "on one")], &[2, 1]);
        let extracted = extract(&file, &Limits::default()).expect("text");
        let pages: Vec<_> = extracted.pages.iter().map(|page| (page.number, page.text.as_str())).collect();
        assert_eq!(pages, [(Some(1), "# First\n\non one\n"), (Some(2), "# Second\n\non \\*two\\*\n")]);
        assert_eq!(extracted.page_count, Some(2));
        let limits = Limits { max_pages: 1, ..Limits::default() };
        assert_eq!(extract(&file, &limits), Err(Unreadable::TooManyPages { pages: 2, limit: 1 }));
    }

    #[test]
    fn a_slide_that_leads_nowhere_is_named_and_the_others_keep_their_numbers() {
        let file = pptx(&[("First", "on one"), ("Third", "on three")], &[1, 7, 2]);
        let extracted = extract(&file, &Limits::default()).expect("text");
        let pages: Vec<_> = extracted.pages.iter().map(|page| page.number).collect();
        assert_eq!((pages, extracted.page_count), (vec![Some(1), Some(3)], Some(3)));
        let loss = extracted.loss().expect("a loss");
        assert!(loss.is_partial);
        assert_eq!(loss.to_string(), "page 2 could not be read");
        let none = extract(&pptx(&[("First", "on one")], &[7, 8]), &Limits::default());
        assert_eq!(none, Err(Unreadable::damaged("it lacks all of its slides")));
    }

    #[test]
    fn tables_items_pictures_and_diagrams_of_a_slide_are_read_and_text_for_older_programs_is_not() {
        let run = |text: &str| format!("<a:r><a:t>{text}</a:t></a:r>");
        let cell = |text: &str| format!("<a:tc><a:txBody><a:p>{}</a:p></a:txBody></a:tc>", run(text));
        let table = format!(
            "<a:tbl><a:tr>{}{}</a:tr><a:tr>{}{}</a:tr></a:tbl>",
            cell("Place"),
            cell("Price"),
            cell("Garage"),
            cell("90")
        );
        let slide = format!(
            r#"<p:sp><p:nvPr><p:ph type="ctrTitle"/></p:nvPr><p:txBody><a:p>{}</a:p></p:txBody></p:sp>
            <p:sp><p:txBody><a:p><a:pPr lvl="1"/>{}</a:p><a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>6</a:t></a:r></a:p></p:txBody></p:sp>
            <mc:AlternateContent><mc:Choice><p:sp><p:txBody><a:p>{}</a:p></p:txBody></p:sp></mc:Choice>
            <mc:Fallback><p:sp><p:txBody><a:p>{}</a:p></p:txBody></p:sp></mc:Fallback></mc:AlternateContent>
            <p:pic><p:cNvPr id="4" descr="The yard from above"/></p:pic>{table}"#,
            run("Plan"),
            run("Deep"),
            run("New"),
            run("Old")
        );
        let file = pptx_with(
            &slide,
            &[
                (
                    "diagramData",
                    "diagrams/data1.xml",
                    "<dgm:pt><a:p><a:r><a:t>First we dig.</a:t></a:r></a:p></dgm:pt>",
                ),
                ("notesSlide", "notesSlides/notesSlide1.xml", "<p:notes><a:t>Say hello</a:t></p:notes>"),
                ("comments", "comments/comment1.xml", "<p:cmLst/>"),
                ("chart", "charts/chart1.xml", "<c:chart/>"),
            ],
        );
        let extracted = extract(&file, &Limits::default()).expect("text");
        let text = &extracted.pages[0].text;
        for part in ["# Plan", "- Deep", "10⁶", "New", "The yard from above", "| Garage | 90 |", "First we dig."] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("Old") && !text.contains("hello"), "{text}");
        for kind in [UnreadKind::SpeakerNotes, UnreadKind::Comments, UnreadKind::Charts] {
            assert_eq!(extracted.unread.count(kind), 1, "{kind:?}");
        }
    }

    #[test]
    fn a_document_of_word_is_no_presentation() {
        let limits = Limits::default();
        let other = crate::example::docx("<w:p><w:r><w:t>text</w:t></w:r></w:p>");
        assert_eq!(extract(&other, &limits), Err(Unreadable::NotWhatItsNameSays("PPTX".to_owned())));
    }
}
