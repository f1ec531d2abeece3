//! The test that reads real documents, which Debian's packages ship, and holds the PDFs against poppler's tools.

use crate::repository::Repository;
use crate::{debian, process};
use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Small packages, all together less than 10 MB.
const PACKAGES: [&str; 6] = [
    // PDF and EPUB from Sphinx and DocBook, HTML and text.
    "developers-reference",
    "debian-policy",
    // PDF from LaTeX, with formulas and drawings.
    "gle-graphics-manual",
    // Files of Office.
    "r-cran-officer",
    "r-cran-readxl",
    "xlsx2csv",
];

/// The formats of which a document has to be there, by the endings of their names.
const FORMATS: [&str; 8] = ["pdf", "docx", "pptx", "xlsx", "html", "epub", "csv", "txt"];

/// Templates of Office have no text, and these count as unreadable.
const LEAST_READ: f64 = 0.95;
/// The share of the words that `pdftotext` finds in a PDF and that have to be read, in any order.
const LEAST_WORDS: f64 = 0.995;

#[derive(Deserialize)]
struct Listed {
    files: Vec<File>,
}

/// A file, as `citewire documents check --json` describes it.
#[derive(Deserialize)]
struct File {
    path: String,
    state: String,
    pages: Option<u64>,
    reason: Option<String>,
    loss: Option<String>,
}

/// Builds the program, fetches the packages that are missing, and reads what is in them.
pub(crate) fn test(repository: &Repository) -> Result<()> {
    let program = repository.build_for_tests()?;
    debian::ensure("pdftotext", "poppler-utils")?;
    let folder = repository.target("documents");
    for package in PACKAGES {
        fetch(&folder, package)?;
    }
    let files = check(&program, &folder)?;
    let unreadable: Vec<&File> =
        files.iter().filter(|file| matches!(file.state.as_str(), "unreadable" | "partial")).collect();
    for file in &unreadable {
        println!("{}: {}", file.path, file.reason.as_deref().or(file.loss.as_deref()).unwrap_or("no reason"));
    }
    let ready: Vec<&File> = files.iter().filter(|file| file.state == "ready").collect();
    let read = ratio(ready.len(), ready.len() + unreadable.len());
    println!("{} documents are read, {} are not, or in part", ready.len(), unreadable.len());
    ensure!(read > LEAST_READ, "only {:.1} % of the documents are read", read * 100.0);
    let endings: BTreeSet<&str> = ready.iter().filter_map(|file| file.path.rsplit_once('.')).map(|(_, e)| e).collect();
    let missing: Vec<&str> = FORMATS.into_iter().filter(|format| !endings.contains(format)).collect();
    ensure!(missing.is_empty(), "the packages have no document that is read and ends in {}", missing.join(" or "));
    for file in ready.iter().filter(|file| file.path.ends_with(".pdf")) {
        compare(&program, &folder, file).with_context(|| file.path.clone())?;
    }
    Ok(())
}

/// Downloads a package and unpacks it into a folder of its name, where it is not there yet. Nothing is installed.
pub(crate) fn fetch(folder: &Path, package: &str) -> Result<()> {
    let unpacked = folder.join(package);
    if unpacked.is_dir() {
        return Ok(());
    }
    // Has this name only once everything is in it.
    let partial = folder.join(format!(".{package}"));
    if partial.exists() {
        std::fs::remove_dir_all(&partial)?;
    }
    debian::unpack(package, &partial)?;
    process::run(
        Command::new("find").arg(&partial).args("-type f -name *.gz -exec gzip --decompress {} +".split(' ')),
    )?;
    std::fs::rename(&partial, &unpacked).with_context(|| format!("cannot make {}", unpacked.display()))
}

fn check(program: &Path, folder: &Path) -> Result<Vec<File>> {
    // The exit code says that some files cannot be read.
    let output = Command::new(program).args(["documents", "check", "--json"]).arg(folder).output()?;
    let listed: Listed = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("`documents check` wrote: {}", String::from_utf8_lossy(&output.stderr)))?;
    Ok(listed.files)
}

/// Holds the pages and words of a PDF against those that poppler finds.
fn compare(program: &Path, folder: &Path, file: &File) -> Result<()> {
    let path = folder.join(&file.path);
    let info = process::output(Command::new("pdfinfo").arg(&path).stderr(Stdio::null()))?;
    let pages = info.lines().find_map(|line| line.strip_prefix("Pages:")).context("`pdfinfo` says no pages")?;
    let pages: u64 = pages.trim().parse()?;
    ensure!(file.pages == Some(pages), "{:?} pages of {pages}", file.pages);
    let expected = words(&process::output(Command::new("pdftotext").arg(&path).arg("-"))?);
    let ours = words(&text(program, &path)?);
    let all: usize = expected.values().sum();
    let found: usize = expected.iter().map(|(word, count)| ours.get(word).copied().unwrap_or(0).min(*count)).sum();
    println!("{}: {pages} pages, {:.2} % of {all} words", file.path, ratio(found, all) * 100.0);
    ensure!(ratio(found, all) >= LEAST_WORDS, "only {found} of {all} words are read");
    Ok(())
}

/// The text of a PDF, as the program gives it to the server that starts it.
fn text(program: &Path, path: &PathBuf) -> Result<String> {
    #[derive(Deserialize)]
    enum Read {
        Ok {
            pages: Vec<Text>,
            #[serde(default)]
            left_out: Vec<Text>,
        },
        Err(serde_json::Value),
    }
    #[derive(Deserialize)]
    struct Text {
        text: String,
    }
    let mut command = Command::new(program);
    let bytes = std::fs::read(path)?;
    command.args(["read-document", "--format", "pdf", "--memory", "4294967296", "--seconds", "60"]);
    command.args(["--size", &bytes.len().to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let mut stdin = child.stdin.take().context("its input is a pipe")?;
    stdin.write_all(&bytes)?;
    // It ends when its input does.
    let mut said = String::new();
    child.stdout.take().context("its output is a pipe")?.read_to_string(&mut said)?;
    drop(stdin);
    child.wait()?;
    match serde_json::from_str(&said)? {
        Read::Ok { pages, left_out } => Ok(pages.into_iter().chain(left_out).map(|part| part.text + "\n").collect()),
        Read::Err(reason) => bail!("{reason}"),
    }
}

/// A raised digit as `pdftotext` gives it.
fn on_the_line(letter: char) -> char {
    let raised = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = raised.iter().position(|raised| *raised == letter).and_then(|digit| u32::try_from(digit).ok());
    digit.and_then(|digit| char::from_digit(digit, 10)).unwrap_or(letter)
}

/// The words of a text, and how often it has each.
fn words(text: &str) -> BTreeMap<String, usize> {
    let mut words = BTreeMap::new();
    let text: String = text.chars().map(on_the_line).collect();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *words.entry(word.to_lowercase()).or_default() += 1;
    }
    words
}

fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}
