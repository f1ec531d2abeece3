//! Prose of manual pages and of the texts of packages.
#![expect(clippy::disallowed_methods, reason = "it reads the files of this machine")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// A text with its paragraphs, each of sentences.
pub(crate) struct Document {
    pub(crate) name: String,
    pub(crate) language: String,
    pub(crate) paragraphs: Vec<Vec<String>>,
}

pub(crate) struct Corpus {
    pub(crate) documents: Vec<Document>,
}

/// The most documents of a language, so that English does not outweigh all others.
const MOST: usize = 250;

const MANUALS: &str = "/usr/share/man";
const TEXTS: &str = "/usr/share/doc";

impl Corpus {
    pub(crate) fn read(half: u64) -> Self {
        let mut files: Vec<(String, PathBuf)> = Vec::new();
        for folder in entries(Path::new(MANUALS)) {
            let name = file_name(&folder);
            let sections = if name.starts_with("man") { vec![folder] } else { entries(&folder) };
            let language = if name.starts_with("man") { "en".to_owned() } else { name };
            for file in sections.iter().flat_map(|section| entries(section)) {
                files.push((language.clone(), file));
            }
        }
        for file in entries(Path::new(TEXTS)).iter().flat_map(|folder| entries(folder)) {
            let name = file_name(&file);
            let is_prose = ["README", "NEWS", "FAQ", "HACKING", "TODO"].iter().any(|start| name.starts_with(start));
            if is_prose || name.ends_with(".txt") {
                files.push(("en-doc".to_owned(), file));
            }
        }
        let mut documents: Vec<Document> = Vec::new();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        files.sort_by_key(|(_, file)| hash(&file.to_string_lossy()));
        for (language, file) in files {
            let name = if language == "en-doc" { file.to_string_lossy().into_owned() } else { file_name(&file) };
            let known = documents.iter().any(|other| other.name == name && other.language == language);
            // Hundreds of pages of one program share their sentences.
            let is_generated = name.starts_with("gcloud") || name.starts_with("bq-") || name.starts_with("gsutil");
            if hash(&name) % 2 != half
                || is_generated
                || counts.get(&language).is_some_and(|count| *count >= MOST)
                || known
            {
                continue;
            }
            let Some(text) = text(&file) else { continue };
            let plain = if language == "en-doc" { text } else { without_macros(&text) };
            let mut paragraphs = paragraphs(&plain);
            if !language.starts_with("en") {
                let is_dutch = language.starts_with("nl");
                paragraphs.iter_mut().for_each(|sentences| sentences.retain(|it| !is_english(it, is_dutch)));
                paragraphs.retain(|sentences| !sentences.is_empty());
            }
            if paragraphs.iter().map(Vec::len).sum::<usize>() >= 4 {
                *counts.entry(language.clone()).or_default() += 1;
                documents.push(Document { name, language, paragraphs });
            }
        }
        Self { documents }
    }

    pub(crate) fn languages(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for document in &self.documents {
            *counts.entry(document.language.as_str()).or_default() += 1;
        }
        counts
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    entries
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

pub(crate) fn hash(text: &str) -> u64 {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    hash ^ (hash >> 29)
}

fn text(file: &Path) -> Option<String> {
    let bytes = fs::read(file).ok()?;
    if file.extension().is_some_and(|extension| extension == "gz") {
        let mut text = String::new();
        flate2::read::GzDecoder::new(&bytes[..]).take(400_000).read_to_string(&mut text).ok()?;
        return Some(text);
    }
    String::from_utf8(bytes).ok()
}

/// The text of a manual page: words of macros that set a font stay, other macros part paragraphs.
fn without_macros(page: &str) -> String {
    let mut text = String::new();
    for line in page.lines() {
        let Some(macro_line) = line.strip_prefix(['.', '\'']) else {
            text.push_str(&without_escapes(line));
            text.push('\n');
            continue;
        };
        let (name, words) = macro_line.trim_start().split_once(' ').unwrap_or((macro_line, ""));
        if matches!(name, "B" | "I" | "BR" | "IR" | "RB" | "RI" | "BI" | "IB" | "SM" | "SB") {
            let words =
                if name.len() == 2 && name != "SM" && name != "SB" { words.replace(' ', "") } else { words.to_owned() };
            text.push_str(&without_escapes(&words.replace('"', "")));
            text.push('\n');
        } else {
            text.push_str("\n\n");
        }
    }
    text
}

fn without_escapes(line: &str) -> String {
    let (mut text, mut rest) = (String::new(), line);
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(first) = rest.chars().next() else { break };
        rest = &rest[first.len_utf8()..];
        match first {
            'f' => rest = behind_name(rest).1,
            '(' => {
                let end = rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at);
                text.push_str(special(&rest[..end]));
                rest = &rest[end..];
            }
            '[' => {
                let (name, behind) = rest.split_once(']').unwrap_or((rest, ""));
                let letter = name.strip_prefix('u').and_then(|code| u32::from_str_radix(code, 16).ok());
                match letter.and_then(char::from_u32) {
                    Some(letter) => text.push(letter),
                    None => text.push_str(special(name)),
                }
                rest = behind;
            }
            '*' => rest = behind_name(rest).1,
            's' => {
                rest =
                    rest.trim_start_matches(|letter: char| letter == '-' || letter == '+' || letter.is_ascii_digit());
            }
            '-' => text.push('-'),
            'e' => text.push('\\'),
            ' ' | '~' => text.push(' '),
            '"' => break,
            _ => {}
        }
    }
    text.push_str(rest);
    text
}

/// The name of a font or string, and the text behind it.
fn behind_name(rest: &str) -> (&str, &str) {
    if let Some(rest) = rest.strip_prefix('[') {
        return rest.split_once(']').unwrap_or((rest, ""));
    }
    let (skipped, length) = if rest.starts_with('(') { (1, 2) } else { (0, 1) };
    let end = rest.char_indices().nth(skipped + length).map_or(rest.len(), |(at, _)| at);
    rest.split_at(end)
}

fn special(name: &str) -> &'static str {
    match name {
        "co" => "©",
        "em" => "—",
        "en" => "–",
        "aq" => "'",
        "dq" => "\"",
        "lq" => "“",
        "rq" => "”",
        ":a" => "ä",
        ":o" => "ö",
        ":u" => "ü",
        ":A" => "Ä",
        ":O" => "Ö",
        ":U" => "Ü",
        "ss" => "ß",
        "'e" => "é",
        "'a" => "á",
        "'i" => "í",
        "'o" => "ó",
        "'u" => "ú",
        "`e" => "è",
        "`a" => "à",
        "`u" => "ù",
        "^e" => "ê",
        "^a" => "â",
        "^i" => "î",
        "^o" => "ô",
        ",c" => "ç",
        "~n" => "ñ",
        "~a" => "ã",
        "~o" => "õ",
        "oa" => "å",
        "oA" => "Å",
        "Fo" => "«",
        "Fc" => "»",
        "bu" => "•",
        _ => "",
    }
}

/// The paragraphs of whole sentences.
fn paragraphs(text: &str) -> Vec<Vec<String>> {
    let mut paragraphs = Vec::new();
    for paragraph in text.split("\n\n") {
        let joined = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        let sentences: Vec<String> = sentences(&joined).into_iter().filter(|sentence| is_prose(sentence)).collect();
        if !sentences.is_empty() {
            paragraphs.push(sentences);
        }
    }
    paragraphs
}

fn sentences(text: &str) -> Vec<String> {
    let (mut sentences, mut start) = (Vec::new(), 0);
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    for (index, (at, letter)) in letters.iter().enumerate() {
        let next = letters.get(index + 1).map(|(_, next)| *next);
        let is_end = match letter {
            '。' | '।' => true,
            '.' | '!' | '?' => {
                let begins = letters.get(index + 2).is_none_or(|(_, next)| next.is_uppercase() || next.len_utf8() > 2);
                next.is_none_or(char::is_whitespace) && begins
            }
            _ => false,
        };
        if is_end {
            sentences.push(text[start..at + letter.len_utf8()].trim().to_owned());
            start = at + letter.len_utf8();
        }
    }
    sentences
}

/// Whether a sentence was left untranslated.
fn is_english(sentence: &str, is_dutch: bool) -> bool {
    const WORDS: [&str; 25] = [
        "this", "that", "with", "will", "which", "are", "be", "and", "from", "as", "an", "if", "may", "must", "should",
        "cannot", "than", "more", "only", "each", "thus", "by", "not", "of", "is",
    ];
    // The last two are words of Dutch as well.
    let words = &WORDS[..WORDS.len() - if is_dutch { 2 } else { 0 }];
    let is_the = |word: &str| word.eq_ignore_ascii_case("the");
    sentence.split(' ').any(is_the)
        || sentence.split(' ').filter(|word| words.contains(&word.to_lowercase().as_str())).count() > 1
}

/// Whether a sentence is one of prose, of a usual length.
fn is_prose(sentence: &str) -> bool {
    let letters = sentence.chars().count();
    let is_dense = sentence.chars().filter(|letter| letter.len_utf8() > 2).count() * 2 > letters;
    let (least, most) = if is_dense { (16, 120) } else { (40, 260) };
    let words = sentence.split_whitespace().count();
    let plain = sentence.chars().filter(|letter| letter.is_alphabetic() || letter.is_whitespace()).count();
    let begins = sentence.chars().next().is_some_and(|first| first.is_uppercase() || first.len_utf8() > 2);
    (least..=most).contains(&letters) && (is_dense || words >= 7) && plain * 100 > letters * 88 && begins
}
