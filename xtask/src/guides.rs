//! The test that runs the commands of the README and the guides as they are written.
//!
//! Each page is one script of bash, in a folder and a network of its own, so that every page has the port 3978 for itself and reaches
//! nobody. `tests/guides/stage.sh` is read before it: it starts servers in the background and has HTTP errors fail. What a page
//! expects to be there, such as an `answer.json`, is made by `tests/guides/PAGE.sh`. A block behind `<!-- not run: REASON -->` is left out
//! and listed.

use crate::repository::Repository;
use crate::{dist, process, web_chat};
use anyhow::{Context as _, Result, bail};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The first word of a command, by which blocks without a language are known.
const PROGRAMS: &str = "apt az cargo cd cp curl citewire devtunnel docker export jq llm mkdir node npm npx openssl pip python sed sqlite3 systemctl uvx zip";

/// No page takes longer.
const LONGEST_SECONDS: &str = "120";

/// Commands that stand together in a page.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    /// The number of the line with the first of them.
    line: usize,
    commands: String,
    /// Why they are not run, if they are not.
    not_run: Option<String>,
}

/// Runs all pages, and fails when a command of one fails.
pub(crate) fn test(repository: &Repository) -> Result<()> {
    let folder = repository.target("guides");
    let packages = packages(repository, &folder)?;
    let (mut run, mut left_out, mut failed) = (0, Vec::new(), Vec::new());
    for page in pages(repository)? {
        let name = page.strip_prefix(repository.path("")).unwrap_or(&page).display().to_string();
        let text = fs::read_to_string(&page).with_context(|| format!("{name} cannot be read"))?;
        let blocks = blocks(&text);
        left_out.extend(blocks.iter().filter_map(|block| {
            let reason = block.not_run.as_ref()?;
            Some(format!("{name}:{}: {reason}", block.line))
        }));
        let wanted: Vec<&Block> = blocks.iter().filter(|block| block.not_run.is_none()).collect();
        if wanted.is_empty() {
            continue;
        }
        run += wanted.len();
        println!("{name}: {} blocks of commands", wanted.len());
        let work = folder.join(name.replace('/', "-"));
        if let Err(error) = run_page(repository, &name, &wanted, &work, &packages) {
            println!("{name}: {error:#}");
            failed.push(name);
        }
    }
    println!("{run} blocks were run; {} were not:", left_out.len());
    for line in left_out {
        println!("  {line}");
    }
    if !failed.is_empty() {
        bail!("commands failed on {}", failed.join(", "));
    }
    Ok(())
}

/// The packages for npm and PyPI, as they are published, around a stand-in that becomes the program which the tests have built.
fn packages(repository: &Repository, folder: &Path) -> Result<PathBuf> {
    let binary = repository.build_for_tests()?;
    let stand_in = folder.join("citewire");
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", binary.display());
    fs::write(&stand_in, script).with_context(|| format!("cannot write {}", stand_in.display()))?;
    process::run(Command::new("chmod").arg("+x").arg(&stand_in))?;
    let packages = folder.join("packages");
    dist::for_guides(repository, stand_in, &packages)?;
    Ok(packages)
}

/// The pages for users. Commands in `docs/inside`, such as benchmarks, take long.
fn pages(repository: &Repository) -> Result<Vec<PathBuf>> {
    let mut pages = vec![repository.path("README.md")];
    for folder in [
        "docs/start",
        "docs/guides",
        "docs/guides/agents",
        "docs/guides/clients",
        "docs/guides/middleware",
        "docs/guides/moving",
        "docs/reference",
        "docs/operate",
    ] {
        let path = repository.path(folder);
        let entries = fs::read_dir(&path).with_context(|| format!("cannot list {}", path.display()))?;
        let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        found.sort();
        pages.extend(found.into_iter().filter(|file| file.extension().is_some_and(|extension| extension == "md")));
    }
    Ok(pages)
}

fn run_page(repository: &Repository, name: &str, blocks: &[&Block], work: &Path, packages: &Path) -> Result<()> {
    if work.exists() {
        fs::remove_dir_all(work).with_context(|| format!("cannot remove {}", work.display()))?;
    }
    fs::create_dir_all(work.join("home")).with_context(|| format!("cannot create {}", work.display()))?;
    let stage = repository.path("tests/guides");
    let scene = stage.join(format!("{}.sh", name.trim_end_matches(".md").replace('/', "-")));
    let mut script = format!(". '{}'\n", stage.join("stage.sh").display());
    if scene.exists() {
        writeln!(script, "at='{}'\n. '{}'", scene.display(), scene.display())?;
    }
    for block in blocks {
        write!(script, "at='{name}:{}'\n{}\n", block.line, block.commands)?;
    }
    let file = work.join("home/script.sh");
    fs::write(&file, script).with_context(|| format!("cannot write {}", file.display()))?;
    // A network without others, and an end of all that was started when the script ends. `unshare` ignores a polite TERM.
    let mut command = Command::new("timeout");
    // In the foreground, it stays in the group of processes that an interrupt ends.
    command.args(["--foreground", "--signal=KILL", LONGEST_SECONDS]);
    command.args(["unshare", "--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child"]);
    command.arg("bash").arg(&file).current_dir(work);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CITEWIRE_")) {
        command.env_remove(name);
    }
    let web_chat = web_chat::ensure(repository, &web_chat::RELEASE)?;
    command.env("HOME", work.join("home")).env("REPOSITORY", repository.path("")).env("PACKAGES", packages);
    command.env(web_chat::VARIABLE, web_chat);
    let said = work.join("home/output");
    let output = File::create(&said).with_context(|| format!("cannot write {}", said.display()))?;
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    let status = command.status().context("cannot start `timeout` and `unshare`: install coreutils and util-linux")?;
    if !status.success() {
        bail!("{status}\n{}", String::from_utf8_lossy(&fs::read(&said)?));
    }
    Ok(())
}

/// The blocks of commands of a page: those with the language `sh`, and indented ones that begin with a prompt or a program.
fn blocks(page: &str) -> Vec<Block> {
    let lines: Vec<&str> = page.lines().collect();
    let mut blocks = Vec::new();
    let mut marker = None;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if let Some(reason) = line.trim().strip_prefix("<!-- not run: ").and_then(|rest| rest.strip_suffix(" -->")) {
            marker = Some(reason.to_owned());
            at += 1;
        } else if let Some(language) = line.trim_start().strip_prefix("```") {
            let length = lines[at + 1..].iter().take_while(|line| !line.trim_start().starts_with("```")).count();
            if language == "sh" {
                let commands = commands(lines[at + 1..at + 1 + length].iter().map(|line| line.trim_start()));
                blocks.push(Block { line: at + 2, commands, not_run: marker.take() });
            }
            at += length + 2;
            marker = None;
        } else if line.starts_with("    ") && (at == 0 || lines[at - 1].trim().is_empty()) {
            let length = lines[at..].iter().take_while(|line| line.starts_with("    ")).count();
            // In a list a block is deeper.
            let depth = line.len() - line.trim_start().len();
            let deeper = |line: &str| (line.len() - line.trim_start().len()).min(depth);
            let indented: Vec<&str> = lines[at..at + length].iter().map(|line| &line[deeper(line)..]).collect();
            if is_command(indented[0]) {
                let commands = commands(indented.into_iter());
                blocks.push(Block { line: at + 1, commands, not_run: marker.take() });
            }
            at += length;
            marker = None;
        } else {
            if !line.trim().is_empty() {
                marker = None;
            }
            at += 1;
        }
    }
    blocks
}

/// Whether a line is a prompt with a command, or begins with a program, behind settings of variables.
fn is_command(line: &str) -> bool {
    let mut words = line.split(' ').skip_while(|word| {
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'))
    });
    let first = words.next().unwrap_or_default();
    first == "$" || (PROGRAMS.split(' ').any(|program| program == first) && words.next().is_some())
}

/// The commands among lines. Where some stand behind a prompt, the others are what they print.
fn commands<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    let lines: Vec<&str> = lines.collect();
    if !lines.iter().any(|line| line.starts_with("$ ")) {
        return lines.join("\n");
    }
    let mut commands = Vec::new();
    let mut goes_on = false;
    for line in lines {
        let command = line.strip_prefix("$ ");
        if let Some(text) = command.or(goes_on.then_some(line)) {
            commands.push(text);
            goes_on = text.ends_with('\\');
        }
    }
    commands.join("\n")
}

#[cfg(test)]
mod tests {
    use super::{Block, blocks};

    fn block(line: usize, commands: &str, not_run: Option<&str>) -> Block {
        Block { line, commands: commands.to_owned(), not_run: not_run.map(str::to_owned) }
    }

    #[test]
    fn commands_are_found_in_both_kinds_of_blocks_and_output_is_left_out() {
        let page = "Text\n\n    A=1 citewire serve\n    curl x\n\n```sh\nnpx y\n```\n\n    $ curl -s \\\n        x\n    {\"a\": 1}\n    $ echo z\n";
        let expected = [
            block(3, "A=1 citewire serve\ncurl x", None),
            block(7, "npx y", None),
            block(10, "curl -s \\\n    x\necho z", None),
        ];
        assert_eq!(blocks(page), expected);
    }

    #[test]
    fn commands_in_a_list_are_found_as_well() {
        let page = "1. Pack it:\n\n        zip x y\n          z\n    w\n\n- Ask:\n\n  <!-- not run: an account -->\n\n      curl x\n";
        let expected = [block(3, "zip x y\n  z\nw", None), block(11, "curl x", Some("an account"))];
        assert_eq!(blocks(page), expected);
    }

    #[test]
    fn other_blocks_are_no_commands() {
        let page = "```json\ncitewire serve\n```\n\n    citewire: a line of the log\n\n    bind = 1\n\ntext\n    citewire goes on\n";
        assert_eq!(blocks(page), []);
    }

    #[test]
    fn a_marker_holds_for_the_next_block_alone() {
        let page = "<!-- not run: an account -->\n\n    az login x\n\n    az list x\n\n<!-- not run: a tunnel -->\nText.\n\n```sh\nx\n```\n";
        let expected = [block(3, "az login x", Some("an account")), block(5, "az list x", None), block(11, "x", None)];
        assert_eq!(blocks(page), expected);
    }
}
