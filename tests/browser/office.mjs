// Small documents of several kinds, each with the same paragraphs: ZIP archives without compression.

import { crc32 } from 'node:zlib';

/** A ZIP archive of files whose contents are texts. */
function archive(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, text] of files) {
    const [path, data] = [Buffer.from(name), Buffer.from(text)];
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt32LE(crc32(data), 10);
    header.writeUInt32LE(data.length, 14);
    header.writeUInt32LE(data.length, 18);
    header.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), header, path, data]);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), header, end, path]));
    parts.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, listed, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const types = (part, type) =>
  `${XML}<Types xmlns="${TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
  `<Default Extension="xml" ContentType="application/xml"/><Override PartName="${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`;
const relations = (...targets) =>
  `${XML}<Relationships xmlns="${RELATIONS}">${targets
    .map(([kind, target], at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${kind}" Target="${target}"/>`)
    .join('')}</Relationships>`;

export function docx(paragraphs) {
  const body = paragraphs.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('');
  return archive([
    ['[Content_Types].xml', types('/word/document.xml', 'wordprocessingml.document')],
    ['_rels/.rels', relations(['officeDocument', 'word/document.xml'])],
    [
      'word/document.xml',
      `${XML}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    ],
  ]);
}

export function xlsx(rows) {
  const cell = (text, row, column) => `<c r="${'ABC'[column]}${row + 1}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const data = rows.map((cells, row) => `<row r="${row + 1}">${cells.map((text, column) => cell(text, row, column)).join('')}</row>`);
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  return archive([
    ['[Content_Types].xml', types('/xl/workbook.xml', 'spreadsheetml.sheet')],
    ['_rels/.rels', relations(['officeDocument', 'xl/workbook.xml'])],
    ['xl/_rels/workbook.xml.rels', relations(['worksheet', 'worksheets/sheet1.xml'])],
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${main}" xmlns:r="${OFFICE}"><sheets><sheet name="Offices" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ],
    ['xl/worksheets/sheet1.xml', `${XML}<worksheet xmlns="${main}"><sheetData>${data.join('')}</sheetData></worksheet>`],
  ]);
}

export function epub(title, paragraphs) {
  const body = paragraphs.map((text) => `<p>${text}</p>`).join('');
  return archive([
    ['mimetype', 'application/epub+zip'],
    [
      'META-INF/container.xml',
      `${XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    ],
    [
      'book.opf',
      `${XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`,
    ],
    ['a.xhtml', `${XML}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`],
  ]);
}

/** A presentation with a slide for each text. */
export function pptx(slides) {
  const main = 'http://schemas.openxmlformats.org/presentationml/2006/main';
  const drawing = 'http://schemas.openxmlformats.org/drawingml/2006/main';
  const names = slides.map((_, at) => `slides/slide${at + 1}.xml`);
  const ids = names.map((_, at) => `<p:sldId id="${256 + at}" r:id="rId${at + 1}"/>`).join('');
  const slide = (text) =>
    `${XML}<p:sld xmlns:p="${main}" xmlns:a="${drawing}"><p:cSld><p:spTree><p:sp><p:txBody><a:bodyPr/><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`;
  return archive([
    ['[Content_Types].xml', types('/ppt/presentation.xml', 'presentationml.presentation')],
    ['_rels/.rels', relations(['officeDocument', 'ppt/presentation.xml'])],
    ['ppt/_rels/presentation.xml.rels', relations(...names.map((name) => ['slide', name]))],
    [
      'ppt/presentation.xml',
      `${XML}<p:presentation xmlns:p="${main}" xmlns:r="${OFFICE}"><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    ],
    ...slides.map((text, at) => [`ppt/${names[at]}`, slide(text)]),
  ]);
}

/** A PDF of pages of lines of text, in letters of a size. */
export function pdf(pages, size = 11) {
  const escaped = (line) => line.replace(/[\\()]/g, '\\$&');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, at) => `${4 + 2 * at} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  for (const [at, lines] of pages.entries()) {
    const text = `BT /F1 ${size} Tf 60 780 Td ${size * 1.5} TL ${lines.map((line) => `(${escaped(line)}) Tj T*`).join(' ')} ET`;
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * at} 0 R >>`);
    objects.push(`<< /Length ${text.length} >>\nstream\n${text}\nendstream`);
  }
  let file = '%PDF-1.4\n';
  const places = objects.map((object, at) => {
    const place = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')}`;
  return Buffer.from(`${file}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`, 'latin1');
}
