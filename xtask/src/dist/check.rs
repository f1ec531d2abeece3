//! Installs each package in an empty place, starts what it brought, and asks a question on the page in a real browser.
//!
//! The places know neither Rust nor this repository: an empty home, and no more of the environment than a search path. The packages
//! come from the folder where they were made: npm gets a registry on this machine, pip a folder of links.

use super::build;
use super::parts::{megabytes, size};
use super::platform::GLIBC;
use crate::repository::Repository;
use crate::{chromium, npm, process, python};
use anyhow::{Context as _, Result, bail};
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Asked on the page; citewire's own documentation answers.
const QUESTION: &str = "What happens to a marker that names no source?";

/// The release of Debian in which its package is tried.
const DEBIAN: &str = "bookworm";

/// One way to have citewire.
struct Way {
    name: &'static str,
    /// The bytes that were fetched.
    fetched: u64,
    /// How long the installation took.
    installed: Duration,
    /// From then until the page was there.
    started: Duration,
    /// From then until a source of the answer was opened in the browser.
    answered: Duration,
    /// The bytes on the disk.
    on_disk: u64,
}

struct Checker<'r> {
    repository: &'r Repository,
    packages: &'r [PathBuf],
    place: PathBuf,
}

/// Tries every package that this system can install, and prints how long each took.
pub(super) fn all(repository: &Repository, packages: &[PathBuf]) -> Result<()> {
    npm::install(&repository.path("tests/browser"))?;
    let place = repository.target("package/.check");
    let checker = Checker { repository, packages, place };
    let ways = [checker.archive()?, checker.npm()?, checker.pip()?, checker.debian()?];
    for Way { name, fetched, on_disk, installed, started, answered } in ways {
        let (fetched, on_disk) = (megabytes(fetched), megabytes(on_disk));
        let [installed, started, answered] = [installed, started, answered].map(|time| time.as_secs_f64());
        let all = installed + started + answered;
        println!(
            "{name:10} {fetched:>6.1} MB fetched, {on_disk:>6.1} MB on disk; {all:>5.1} s until an answer is cited:"
        );
        println!(
            "           {installed:>5.1} s to install, {started:>5.1} s to the page, {answered:>5.1} s to the source"
        );
    }
    Ok(())
}

impl Checker<'_> {
    fn archive(&self) -> Result<Way> {
        let place = self.empty("archive")?;
        let archive = self.package("-gnu.tar.zst")?;
        let begun = Instant::now();
        process::run(Command::new("tar").args(["--zstd", "-xf"]).arg(archive).arg("-C").arg(&place))?;
        let folder = fs::read_dir(&place)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|path| path.join("citewire").is_file());
        let folder = folder.context("the archive holds no program")?;
        let installed = begun.elapsed();
        glibc(&folder.join("citewire"))?;
        let mut citewire = self.bare(folder.join("citewire"), &place);
        citewire.args(["serve", "--bind", "127.0.0.1:0"]);
        self.way("archive", &[archive], installed, &folder, citewire)
    }

    fn npm(&self) -> Result<Way> {
        let place = self.empty("npm")?;
        let archives = self.packages.iter().filter(|package| package.extension().is_some_and(|end| end == "tgz"));
        let archives: Vec<&Path> = archives.map(PathBuf::as_path).collect();
        let mut registry = Command::new("node");
        registry.arg(self.repository.path("packaging/npm/registry.mjs")).arg(self.out()?);
        let mut registry = Running::start(registry.stdout(Stdio::piped())).context("cannot start node")?;
        let mut address = String::new();
        BufReader::new(registry.0.stdout.take().context("a pipe")?).read_line(&mut address)?;
        let begun = Instant::now();
        let mut npm = self.bare("npm", &place);
        npm.env("npm_config_registry", address.trim());
        npm.args(["install", "--no-audit", "--no-fund", "--no-update-notifier", "citewire"]);
        process::run(npm.current_dir(&place))?;
        let installed = begun.elapsed();
        let mut npx = self.bare("npx", &place);
        npx.env("npm_config_registry", address.trim()).current_dir(&place);
        npx.args(["citewire", "serve", "--bind", "127.0.0.1:0"]);
        self.way("npm", &archives, installed, &place.join("node_modules"), npx)
    }

    fn pip(&self) -> Result<Way> {
        let place = self.empty("pip")?;
        let wheel = self.package(".whl")?;
        let python = python::program(&build::tools(self.repository)?);
        process::run(self.bare(&python, &place).args(["-m", "venv"]).arg(place.join("venv")))?;
        let before = size(&place)?;
        let begun = Instant::now();
        let mut pip = self.bare(place.join("venv/bin/pip"), &place);
        pip.env("PIP_NO_INDEX", "1").env("PIP_FIND_LINKS", self.out()?);
        process::run(pip.args(["install", "--quiet", "--disable-pip-version-check", "citewire-server"]))?;
        let installed = begun.elapsed();
        let mut citewire = self.bare(place.join("venv/bin/citewire"), &place);
        citewire.args(["serve", "--bind", "127.0.0.1:0"]);
        let mut way = self.way("pip", &[wheel], installed, &place, citewire)?;
        way.on_disk -= before;
        Ok(way)
    }

    /// In a root of Debian with nothing in it but the least that Debian needs, and certificates.
    fn debian(&self) -> Result<Way> {
        let place = self.empty("debian")?;
        let package = self.package(".deb")?;
        let root = place.join("root");
        process::run(
            Command::new("mmdebstrap")
                .args(["--quiet", "--variant=essential", "--include=ca-certificates,passwd", DEBIAN])
                .arg(&root),
        )?;
        let before = size(&root)?;
        fs::copy(package, root.join("citewire.deb"))?;
        let begun = Instant::now();
        process::run(Command::new("chroot").arg(&root).args(["dpkg", "--install", "/citewire.deb"]))?;
        let installed = begun.elapsed();
        fs::remove_file(root.join("citewire.deb"))?;
        fs::create_dir_all(root.join("var/lib/citewire"))?;
        process::run(Command::new("chroot").arg(&root).args(["chown", "65534:65534", "/var/lib/citewire"]))?;
        // As the service and the image start it: no root, and nothing to write to but its one folder.
        let mut citewire = self.bare("chroot", &place);
        citewire.arg("--userspec=65534:65534").arg(&root).env("CITEWIRE_DATA_DIR", "/var/lib/citewire");
        citewire.args([
            "/usr/bin/citewire",
            "serve",
            "--config",
            "/etc/citewire/citewire.toml",
            "--bind",
            "127.0.0.1:0",
        ]);
        let mut way = self.way("debian", &[package], installed, &root, citewire)?;
        way.on_disk -= before;
        upgrade(package, &place, &root)?;
        process::run(Command::new("chroot").arg(&root).args(["dpkg", "--purge", "citewire"]))?;
        if root.join("usr/bin/citewire").exists() || root.join("etc/citewire").exists() {
            bail!("the package leaves files behind when it is purged");
        }
        Ok(way)
    }

    /// Starts citewire and asks it on its page.
    fn way(
        &self,
        name: &'static str,
        files: &[&Path],
        installed: Duration,
        on_disk: &Path,
        mut citewire: Command,
    ) -> Result<Way> {
        let begun = Instant::now();
        let mut running =
            Running::start(citewire.stderr(Stdio::piped())).with_context(|| format!("{name}: cannot start it"))?;
        let url =
            address(running.0.stderr.take().context("a pipe")?).with_context(|| format!("{name}: it did not start"))?;
        let started = begun.elapsed();
        let begun = Instant::now();
        let mut ask = Command::new("node");
        ask.arg("ask.mjs").arg(&url).arg(QUESTION).current_dir(self.repository.path("tests/browser"));
        chromium::tell(&mut ask)?;
        process::run(&mut ask)?;
        let answered = begun.elapsed();
        let mut fetched = 0;
        for file in files {
            fetched += fs::metadata(file)?.len();
        }
        Ok(Way { name, fetched, installed, started, answered, on_disk: size(on_disk)? })
    }

    /// A command that knows of this machine only where programs are.
    fn bare(&self, program: impl AsRef<OsStr>, home: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", home).current_dir(home);
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
        command
    }

    /// The package whose name ends so.
    fn package(&self, end: &str) -> Result<&Path> {
        let named = |path: &&PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(end));
        let found = self.packages.iter().find(named);
        found.map(PathBuf::as_path).with_context(|| format!("there is no package named …{end}"))
    }

    fn out(&self) -> Result<&Path> {
        self.packages.first().and_then(|package| package.parent()).context("there are no packages")
    }

    fn empty(&self, name: &str) -> Result<PathBuf> {
        let place = self.place.join(name);
        super::parts::empty(&place)?;
        Ok(place)
    }
}

/// Installs the same package as a newer version. What the operator wrote and what the server keeps has to stay.
fn upgrade(package: &Path, place: &Path, root: &Path) -> Result<()> {
    let newer = place.join("newer");
    process::run(Command::new("dpkg-deb").arg("--raw-extract").arg(package).arg(&newer))?;
    let control = newer.join("DEBIAN/control");
    let text = fs::read_to_string(&control)?;
    let old = text.lines().find(|line| line.starts_with("Version: ")).context("the package has no version")?;
    fs::write(&control, text.replacen(old, &format!("{old}+newer"), 1))?;
    process::run(Command::new("dpkg-deb").arg("--build").arg(&newer).arg(root.join("newer.deb")))?;

    let settings = root.join("etc/citewire/citewire.toml");
    let written = fs::read_to_string(&settings)? + "retention_hours = 48\n";
    fs::write(&settings, &written)?;
    let key = root.join("var/lib/citewire/api-key");
    let kept = fs::read(&key).context("the server has kept no key")?;
    process::run(Command::new("chroot").arg(root).args(["dpkg", "--install", "/newer.deb"]))?;
    fs::remove_file(root.join("newer.deb"))?;
    let version = process::output(Command::new("chroot").arg(root).args([
        "dpkg-query",
        "--show",
        "--showformat=${Version}",
        "citewire",
    ]))?;
    if format!("Version: {version}") != format!("{old}+newer") {
        bail!("the newer version is not installed, but {version}");
    }
    if fs::read_to_string(&settings)? != written || fs::read(&key)? != kept {
        bail!("an upgrade changes the settings or what the server keeps");
    }
    Ok(())
}

/// A process that is ended when it is no longer needed, and with it those that it started: npx ends without its program.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> std::io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        command.spawn().map(Self)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A negative number names the group of the process.
        let asked = Command::new("kill").args(["-TERM", "--"]).arg(format!("-{}", self.0.id())).status();
        if !asked.is_ok_and(|status| status.success()) {
            self.0.kill().ok();
        }
        self.0.wait().ok();
    }
}

/// The address at which the server says it listens. Lines before that name addresses of single routes.
fn address(stderr: impl std::io::Read) -> Result<String> {
    let mut said = String::new();
    for line in BufReader::new(stderr).lines() {
        let line = line?;
        if let Some((_, address)) = line.split_once("citewire is listening on ") {
            return Ok(address.trim_end().to_owned());
        }
        said += &format!("\n{line}");
    }
    bail!("it ended without naming an address:{said}")
}

/// Fails when the program wants a newer glibc than it is said to need.
fn glibc(program: &Path) -> Result<()> {
    let symbols = process::output(Command::new("objdump").arg("-T").arg(program))?;
    let newest = newest_glibc(&symbols).context("objdump names no version of glibc")?;
    println!("the newest symbol is of glibc {}.{}", newest.0, newest.1);
    if Some(newest) > version(GLIBC) {
        bail!("the program needs glibc {}.{}, and packages promise {GLIBC}", newest.0, newest.1);
    }
    Ok(())
}

/// The newest `GLIBC_X.Y` that a text names.
fn newest_glibc(symbols: &str) -> Option<(u32, u32)> {
    symbols.split("GLIBC_").skip(1).filter_map(version).max()
}

/// 2 and 17 from a text that begins with `2.17`.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::{address, newest_glibc};

    #[test]
    fn the_newest_glibc_is_found_by_number_and_not_by_letters() {
        let symbols = "DF *UND* (GLIBC_2.9) a\nDF *UND* (GLIBC_2.17) b\nDF *UND* (GLIBC_2.2.5) c\n";
        assert_eq!(newest_glibc(symbols), Some((2, 17)));
        assert_eq!(newest_glibc("nothing"), None);
    }

    #[test]
    fn the_address_is_where_the_server_listens_and_not_that_of_a_route() {
        let said =
            "    curl http://127.0.0.1:4711/v1/activities -d x\ncitewire is listening on http://127.0.0.1:4711\n";
        assert_eq!(address(said.as_bytes()).expect("an address"), "http://127.0.0.1:4711");
        assert!(address("no port left\n".as_bytes()).expect_err("nothing").to_string().contains("no port left"));
    }
}
