//! Counts the answers in a folder.

use std::fs::{self, File, Metadata};
use std::io::{BufRead, BufReader, Cursor, Read as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use chrono::{DateTime, NaiveDate, Utc};
use serde::de::IgnoredAny;
use serde_json::Value;

use super::exported;
use super::tally::{Count, Known, Named, UNKNOWN};
use crate::cli::input::without_mark;
use crate::ingest::{AnswerFormat, ingest, ingest_whole, is_stream};

/// The largest answer, in bytes.
const MAX_ANSWER_BYTES: u64 = 64 * 1024 * 1024;

/// The deepest folder that is looked into.
const MAX_DEPTH: usize = 64;

/// Counts all answers in a folder and the folders in it, in the order of their names.
pub(super) fn count(folder: &Path, from: &AnswerFormat) -> anyhow::Result<Count> {
    let mut reading = Reading { root: folder, from, count: Count::new(folder.display().to_string()) };
    let entries = fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    reading.entries(entries, folder, 0);
    Ok(reading.count)
}

struct Reading<'a> {
    root: &'a Path,
    from: &'a AnswerFormat,
    count: Count,
}

impl Reading<'_> {
    fn entries(&mut self, entries: fs::ReadDir, folder: &Path, depth: usize) {
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => paths.push(entry.path()),
                Err(error) => self.count.unread(self.named(folder), &error),
            }
        }
        paths.sort();
        for path in paths {
            self.entry(&path, depth);
        }
    }

    fn entry(&mut self, path: &Path, depth: usize) {
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let is_link = path.is_symlink();
        let about = match fs::metadata(path) {
            _ if is_hidden => return self.left_out(path, "hidden"),
            Ok(about) => about,
            Err(error) => return self.count.unread(self.named(path), &error),
        };
        if about.is_dir() && is_link {
            self.left_out(path, "a link to a folder");
        } else if about.is_dir() {
            match fs::read_dir(path) {
                Ok(_) if depth == MAX_DEPTH => self.count.unread(self.named(path), "too deep a folder"),
                Ok(entries) => self.entries(entries, path, depth + 1),
                Err(error) => self.count.unread(self.named(path), &error),
            }
        } else if about.is_file() {
            self.file(path, &about);
        } else {
            self.left_out(path, "no file");
        }
    }

    fn left_out(&mut self, path: &Path, why: &str) {
        let at = self.named(path);
        self.count.left_out.push(Named { at, why: why.to_owned() });
    }

    fn file(&mut self, path: &Path, about: &Metadata) {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) => return self.count.unread(self.named(path), &error),
        };
        let day = self.day(path, about);
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl")) {
            return self.lines(path, file, about, &day);
        }
        let mut body = Vec::new();
        match file.take(MAX_ANSWER_BYTES + 1).read_to_end(&mut body) {
            Ok(_) => self.answer(path, None, &body, &day),
            Err(error) => self.count.unread(self.named(path), &error),
        }
    }

    /// Reads one answer per line, or one stream whose events are the lines.
    fn lines(&mut self, path: &Path, mut file: File, about: &Metadata, day: &str) {
        let mut reader: Box<dyn BufRead> = if about.len() > MAX_ANSWER_BYTES {
            Box::new(BufReader::new(file))
        } else {
            let mut body = Vec::new();
            match file.read_to_end(&mut body) {
                Ok(_) if self.is_one_stream(&body) => return self.answer(path, None, &body, day),
                Ok(_) => Box::new(Cursor::new(body)),
                Err(error) => return self.count.unread(self.named(path), &error),
            }
        };
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            match reader.by_ref().take(MAX_ANSWER_BYTES + 1).read_until(b'\n', &mut line) {
                Ok(0) if number == 1 => return self.count.unread(self.named(path), "empty"),
                Ok(0) => return,
                Ok(_) if line.trim_ascii().is_empty() => {}
                Ok(_) => self.answer(path, Some(number), line.trim_ascii_end(), day),
                Err(error) => return self.count.unread(self.named(path), &error),
            }
            if line.len() as u64 > MAX_ANSWER_BYTES {
                let rest = format!("the lines behind line {number} are not read");
                return self.count.unread(self.named(path), &rest);
            }
        }
    }

    /// Whether the lines are the events of one answer. A first line that is a whole answer begins a list of answers.
    fn is_one_stream(&self, body: &[u8]) -> bool {
        let lines = without_mark(body).split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let mut lines = lines.into_iter().filter(|line| !line.is_empty());
        let Some(first) = lines.next() else { return false };
        if serde_json::from_slice::<IgnoredAny>(first).is_err() || exported::read(first).is_some() {
            return false;
        }
        let whole = ingest_whole(first, self.from).ok().flatten();
        let is_whole = whole.is_some_and(|answer| answer.complete && !answer.text.is_empty());
        let is_answer = is_whole && !lines.next().is_some_and(|second| are_of_one_answer(first, second));
        !is_answer && is_stream(body) && ingest(body, self.from).is_ok()
    }

    fn answer(&mut self, path: &Path, line: Option<u64>, body: &[u8], day: &str) {
        let file = self.named(path);
        let at = line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
        if body.len() as u64 > MAX_ANSWER_BYTES {
            return self.count.unread(at, &format!("longer than {MAX_ANSWER_BYTES} bytes"));
        }
        let body = without_mark(body);
        if line.is_some()
            && let Some(exported) = exported::read(body)
        {
            return exported.count(&mut self.count, &|_| None);
        }
        let read = match line {
            None => ingest(body, self.from).map(Some),
            Some(_) => ingest_whole(body, self.from),
        };
        match read {
            Ok(Some(answer)) => {
                let provider = answer.provider.unwrap_or(UNKNOWN).to_owned();
                let assistant = self.assistant(path);
                self.count.take(Known { at, assistant, provider, day: day.to_owned() }, &answer);
            }
            Ok(None) => self.count.unread(at, "an event of a stream among answers"),
            Err(error) => self.count.unread(at, &error),
        }
    }

    /// The path below the folder.
    fn named(&self, path: &Path) -> String {
        path.strip_prefix(self.root).unwrap_or(path).display().to_string()
    }

    /// The name of the first folder below the one that is counted.
    fn assistant(&self, path: &Path) -> String {
        let below = path.strip_prefix(self.root).ok().and_then(Path::parent);
        let first = below.and_then(|below| below.components().next());
        first.map_or_else(|| UNKNOWN.to_owned(), |first| first.as_os_str().to_string_lossy().into_owned())
    }

    /// The last date in the path, or the day on which the file was written.
    fn day(&self, path: &Path, about: &Metadata) -> String {
        let named = self.named(path);
        let dates = named.char_indices().rev().filter_map(|(at, _)| date(&named, at));
        let written = || about.modified().ok().map(|time| DateTime::<Utc>::from(time).date_naive());
        dates.into_iter().next().or_else(written).map_or_else(|| UNKNOWN.to_owned(), |day| day.to_string())
    }
}

/// Whether two lines that differ name the same answer.
fn are_of_one_answer(first: &[u8], second: &[u8]) -> bool {
    let read = |line: &[u8]| serde_json::from_slice::<Value>(line).unwrap_or_default();
    let (one, other) = (read(first), read(second));
    let is_same = |name: &str| one[name].is_string() && one[name] == other[name];
    one != other && ["response_id", "message_id", "id"].into_iter().any(is_same)
}

/// A date such as `2026-11-27` at a place, with no digit around it.
fn date(text: &str, at: usize) -> Option<NaiveDate> {
    let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let is_part = at.checked_sub(1).is_some_and(|before| digit(bytes.get(before))) || digit(bytes.get(at + 10));
    if is_part { None } else { NaiveDate::parse_from_str(text.get(at..at + 10)?, "%Y-%m-%d").ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_in_a_path_stands_alone() {
        let day = |text: &str| text.char_indices().find_map(|(at, _)| date(text, at)).map(|day| day.to_string());
        assert_eq!(day("hr/2026-11-27/a.json").as_deref(), Some("2026-11-27"));
        assert_eq!(day("hr/a_2026-11-27T10.json").as_deref(), Some("2026-11-27"));
        assert_eq!([day("12026-11-27"), day("2026-11-271"), day("2026-13-01"), day("é2026")], [const { None }; 4]);
    }
}
