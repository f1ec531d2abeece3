//! Small files, made by the tests.

use std::io::{Cursor, Write as _};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// An archive with these parts.
pub(crate) fn zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).expect("a part");
        writer.write_all(bytes).expect("written");
    }
    writer.finish().expect("an archive").into_inner()
}

fn relationships(rows: &[(&str, &str, &str)]) -> String {
    let rows = rows.iter().map(|(id, kind, target)| {
        format!(r#"<Relationship Id="{id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}" Target="{target}"/>"#)
    });
    let space = "http://schemas.openxmlformats.org/package/2006/relationships";
    format!("<Relationships xmlns=\"{space}\">{}</Relationships>", rows.collect::<String>())
}

/// A Word file with this body, and with headings in German.
pub(crate) fn docx(body: &str) -> Vec<u8> {
    let document = format!("<w:document><w:body>{body}</w:body></w:document>");
    let styles = r#"<w:styles><w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>
        <w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style></w:styles>"#;
    zip(&[
        ("_rels/.rels", relationships(&[("r1", "officeDocument", "word/document.xml")]).as_bytes()),
        ("word/_rels/document.xml.rels", relationships(&[("r1", "styles", "styles.xml")]).as_bytes()),
        ("word/document.xml", document.as_bytes()),
        ("word/styles.xml", styles.as_bytes()),
    ])
}

/// A Word file with this body, and with other parts beside it: by kind, name and content.
pub(crate) fn docx_with(body: &str, more: &[(&str, &str, &str)]) -> Vec<u8> {
    let document = format!("<w:document><w:body>{body}</w:body></w:document>");
    let ids: Vec<String> = (0..more.len()).map(|number| format!("r{number}")).collect();
    let rows: Vec<_> = ids.iter().zip(more).map(|(id, (kind, name, _))| (id.as_str(), *kind, *name)).collect();
    let (rows, names) = (relationships(&rows), more.iter().map(|(_, name, _)| format!("word/{name}")));
    let names: Vec<String> = names.collect();
    let mut parts: Vec<(&str, &[u8])> =
        vec![("word/document.xml", document.as_bytes()), ("word/_rels/document.xml.rels", rows.as_bytes())];
    parts.extend(names.iter().zip(more).map(|(name, (_, _, text))| (name.as_str(), text.as_bytes())));
    zip(&parts)
}

/// A PowerPoint file with slides of title and text, shown in this order of their numbers from 1.
pub(crate) fn pptx(slides: &[(&str, &str)], order: &[usize]) -> Vec<u8> {
    let ids: String = order.iter().map(|number| format!(r#"<p:sldId id="9{number}" r:id="r{number}"/>"#)).collect();
    let presentation = format!("<p:presentation><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>");
    let names: Vec<(String, String)> =
        (1..=slides.len()).map(|number| (format!("r{number}"), format!("slides/slide{number}.xml"))).collect();
    let rows: Vec<_> = names.iter().map(|(id, target)| (id.as_str(), "slide", target.as_str())).collect();
    let rows = relationships(&rows);
    let texts: Vec<(String, String)> = slides
        .iter()
        .zip(&names)
        .map(|((title, text), (_, name))| {
            let shape = |kind: &str, text: &str| {
                format!(r#"<p:sp><p:nvPr><p:ph type="{kind}"/></p:nvPr><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"#)
            };
            (format!("ppt/{name}"), format!("<p:sld>{}{}</p:sld>", shape("title", title), shape("body", text)))
        })
        .collect();
    let mut parts: Vec<(&str, &[u8])> =
        vec![("ppt/presentation.xml", presentation.as_bytes()), ("ppt/_rels/presentation.xml.rels", rows.as_bytes())];
    parts.extend(texts.iter().map(|(name, text)| (name.as_str(), text.as_bytes())));
    zip(&parts)
}

/// A PowerPoint file of one slide, with other parts that the slide names: by kind, name and content.
pub(crate) fn pptx_with(slide: &str, more: &[(&str, &str, &str)]) -> Vec<u8> {
    let ids: Vec<String> = (0..more.len()).map(|number| format!("m{number}")).collect();
    let targets: Vec<String> = more.iter().map(|(_, name, _)| format!("../{name}")).collect();
    let rows: Vec<_> =
        ids.iter().zip(&targets).zip(more).map(|((id, to), (kind, ..))| (id.as_str(), *kind, to.as_str())).collect();
    let (slide_rows, rows) = (relationships(&rows), relationships(&[("r1", "slide", "slides/slide1.xml")]));
    let slide = format!("<p:sld>{slide}</p:sld>");
    let names: Vec<String> = more.iter().map(|(_, name, _)| format!("ppt/{name}")).collect();
    let presentation = r#"<p:presentation><p:sldIdLst><p:sldId id="9" r:id="r1"/></p:sldIdLst></p:presentation>"#;
    let mut parts: Vec<(&str, &[u8])> = vec![
        ("ppt/presentation.xml", presentation.as_bytes()),
        ("ppt/_rels/presentation.xml.rels", rows.as_bytes()),
        ("ppt/slides/slide1.xml", slide.as_bytes()),
        ("ppt/slides/_rels/slide1.xml.rels", slide_rows.as_bytes()),
    ];
    parts.extend(names.iter().zip(more).map(|(name, (_, _, text))| (name.as_str(), text.as_bytes())));
    zip(&parts)
}

/// An Excel file with one sheet of these rows. The style 1 is a date.
pub(crate) fn xlsx(name: &str, rows: &str) -> Vec<u8> {
    let space = r#"xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main""#;
    let workbook = format!(
        r#"<workbook {space} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="{name}" sheetId="1" r:id="r1"/></sheets></workbook>"#
    );
    let sheet = format!("<worksheet {space}><sheetData>{rows}</sheetData></worksheet>");
    let styles = format!(
        r#"<styleSheet {space}><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#
    );
    let rows = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
        <Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>
        <Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#;
    zip(&[
        ("_rels/.rels", relationships(&[("r1", "officeDocument", "xl/workbook.xml")]).as_bytes()),
        ("xl/workbook.xml", workbook.as_bytes()),
        ("xl/_rels/workbook.xml.rels", rows.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ("xl/styles.xml", styles.as_bytes()),
    ])
}

/// A PDF with a page for each text, whose lines stand below each other. `more` stands in the trailer.
pub(crate) fn pdf(pages: &[&str], more: &str) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    let mut object = |text: String| {
        places.push(file.len());
        let number = places.len();
        file.extend(format!("{number} 0 obj\n{text}\nendobj\n").bytes());
    };
    let kids: String = (0..pages.len()).map(|page| format!("{} 0 R ", 4 + page * 2)).collect();
    object("<< /Type /Catalog /Pages 2 0 R >>".to_owned());
    object(format!("<< /Type /Pages /Kids [{kids}] /Count {} /MediaBox [0 0 600 800] >>", pages.len()));
    object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned());
    for (at, text) in pages.iter().enumerate() {
        let lines: String = text.lines().map(|line| format!("({line}) Tj 0 -14 Td ")).collect();
        let content = format!("BT /F1 12 Tf 50 700 Td {lines} ET");
        let contents = 5 + at * 2;
        object(format!(
            "<< /Type /Page /Parent 2 0 R /Contents {contents} 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
        ));
        object(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    let (start, count) = (file.len(), places.len() + 1);
    let rows: String = places.iter().map(|place| format!("{place:010} 00000 n \n")).collect();
    let trailer = format!("trailer\n<< /Size {count} /Root 1 0 R {more} >>\nstartxref\n{start}\n%%EOF\n");
    file.extend(format!("xref\n0 {count}\n0000000000 65535 f \n{rows}{trailer}").bytes());
    file
}
