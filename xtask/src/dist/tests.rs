//! The contents of the packages. The program is a stand-in: the packages are made as always, for each platform.

use super::platform::PLATFORMS;
use super::{Arguments, make, parse};
use crate::process;
use crate::repository::Repository;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn texts(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|&argument| argument.to_owned()).collect()
}

/// The files that a command lists, by what `name` makes of a line.
fn listed(command: &mut Command, name: impl Fn(&str) -> Option<String>) -> BTreeSet<String> {
    let text = process::output(command).expect("a list");
    text.lines().filter_map(name).filter(|name| !name.ends_with('/')).collect()
}

fn first_word(line: &str) -> Option<String> {
    line.split_whitespace().next().map(str::to_owned)
}

/// The contents of an archive of either kind of npm or of `tar.zst` holds.
fn in_tar(archive: &Path) -> BTreeSet<String> {
    listed(Command::new("tar").arg("-tf").arg(archive), first_word)
}

fn in_zip(archive: &Path) -> BTreeSet<String> {
    let list = listed(Command::new("python3").args(["-m", "zipfile", "--list"]).arg(archive), first_word);
    list.into_iter().filter(|name| name != "File").collect()
}

/// The files of a package for Debian, with the mode of each file.
fn in_debian(package: &Path) -> BTreeSet<String> {
    listed(Command::new("dpkg-deb").arg("--contents").arg(package), |line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = words.last()?;
        (!name.ends_with('/')).then(|| format!("{} {}", words[0], name.trim_start_matches('.')))
    })
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn arguments_are_read_and_odd_ones_are_named() {
    let parsed = parse(&texts(&["--target", "x86_64-pc-windows-msvc", "--check"])).expect("arguments");
    let expected = Arguments { target: Some("x86_64-pc-windows-msvc".to_owned()), program: None, check: true };
    assert_eq!(parsed, expected);
    assert!(parse(&texts(&["--program"])).expect_err("no value").to_string().contains("--program"));
    assert!(parse(&texts(&["--nonsense"])).expect_err("unknown").to_string().contains("--nonsense"));
}

#[test]
fn every_package_holds_the_program_its_licences_and_nothing_else() {
    let repository = Repository::find().expect("the repository");
    let version = repository.version().expect("a version");
    let place = tempfile::tempdir().expect("a folder");
    let program = place.path().join("program");
    std::fs::write(&program, "a stand-in").expect("written");
    for platform in &PLATFORMS {
        let out = place.path().join(platform.short());
        let made = make(&repository, platform, program.clone(), &out, &[]).expect("packages");
        let named = |end: &str| -> PathBuf {
            let found = made.iter().find(|path| path.to_string_lossy().ends_with(end));
            found.unwrap_or_else(|| panic!("{end} is not among {made:?}")).clone()
        };
        let file = platform.program();
        let folder = format!("citewire-{version}-{}/", platform.triple);
        let archive = if platform.is_windows() { in_zip(&named(".zip")) } else { in_tar(&named(".tar.zst")) };
        let papers = ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE-APACHE", "LICENSE-MIT"];
        let more = [file, "THIRD-PARTY-LICENSES.txt"];
        let expected: BTreeSet<String> = papers.iter().chain(&more).map(|name| format!("{folder}{name}")).collect();
        assert_eq!(archive, expected);

        let common = ["package/package.json", "package/README.md", "package/LICENSE-APACHE", "package/LICENSE-MIT"];
        let mut launcher = set(&common);
        launcher.insert("package/citewire.js".to_owned());
        assert_eq!(in_tar(&named(&format!("/citewire-{version}.tgz"))), launcher);
        let mut with_program = set(&common);
        with_program.insert(format!("package/bin/{file}"));
        with_program.insert("package/THIRD-PARTY-LICENSES.txt".to_owned());
        assert_eq!(in_tar(&named(&format!("/citewire-{}-{version}.tgz", platform.short()))), with_program);

        let about = format!("citewire_server-{version}.dist-info");
        let wheel = [
            format!("citewire_server-{version}.data/scripts/{file}"),
            format!("{about}/METADATA"),
            format!("{about}/RECORD"),
            format!("{about}/WHEEL"),
            format!("{about}/licenses/LICENSE-APACHE"),
            format!("{about}/licenses/LICENSE-MIT"),
            format!("{about}/licenses/THIRD-PARTY-LICENSES.txt"),
        ];
        assert_eq!(in_zip(&named(".whl")), wheel.into_iter().collect());

        if let Some(architecture) = platform.debian {
            let package = named(&format!("_{architecture}.deb"));
            let expected = [
                "-rwxr-xr-x /usr/bin/citewire",
                "-rw-r--r-- /usr/lib/systemd/system/citewire.service",
                "-rw-r--r-- /etc/citewire/citewire.toml",
                "-rw-r--r-- /usr/share/doc/citewire/copyright",
                "-rw-r--r-- /usr/share/doc/citewire/CHANGELOG.md",
                "-rw-r--r-- /usr/share/doc/citewire/THIRD-PARTY-LICENSES.txt",
            ];
            assert_eq!(in_debian(&package), set(&expected));
            let field = |name| {
                process::output(Command::new("dpkg-deb").arg("--field").arg(&package).arg(name)).expect("a field")
            };
            assert_eq!(field("Version").trim(), format!("{version}-1"));
            assert_eq!(field("Architecture").trim(), architecture);
            assert_eq!(field("Depends").trim(), format!("libc6 (>= {}), ca-certificates", super::platform::GLIBC));
        }
        let sums = named(&format!("SHA256SUMS-{}", platform.short()));
        let sums = Command::new("sha256sum").args(["--check", "--quiet"]).arg(sums).current_dir(&out).status();
        assert!(sums.expect("sha256sum").success(), "the checksums are those of the files");
    }
}

/// The settings of the package are read by the program that it brings, and the service names both.
#[test]
fn the_service_starts_the_program_of_the_package_with_the_settings_of_the_package() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/debian");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
    let unit = read("citewire.service");
    assert!(unit.contains("ExecStart=/usr/bin/citewire serve --config /etc/citewire/citewire.toml\n"));
    assert_eq!(read("conffiles"), "/etc/citewire/citewire.toml\n");
    // One folder: systemd makes it, citewire keeps everything in it, and a purge removes it.
    assert!(unit.contains("StateDirectory=citewire\n"));
    assert!(unit.contains("CITEWIRE_DATA_DIR=/var/lib/citewire\n"));
    assert!(read("postrm").contains("/var/lib/private/citewire /var/lib/citewire\n"));
    let settings: toml::Table = read("citewire.toml").parse().expect("TOML");
    assert_eq!(settings["bind"].as_str(), Some("127.0.0.1:3978"));
    let text = read("citewire.toml");
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let switched_off = text.lines().filter_map(|line| line.strip_prefix("# "));
    let switched_off: Vec<&str> =
        switched_off.filter(|line| line.split_once(" = ").is_some_and(|(name, _)| is_name(name))).collect();
    assert_eq!(switched_off.len(), 2, "{switched_off:?}");
    for line in switched_off {
        assert!(line.parse::<toml::Table>().is_ok(), "a setting that is to be switched on: {line}");
    }
}

/// A word that systemd does not know is left aside when the service starts, and what it was to forbid is allowed.
#[test]
fn systemd_reads_every_line_of_the_unit_and_finds_the_service_confined() {
    let unit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/debian/citewire.service");
    let place = tempfile::tempdir().expect("a folder");
    let written = place.path().join("citewire.service");
    let analyze = |unit: &str, arguments: &[&str]| {
        // The program is not installed here.
        std::fs::write(&written, unit.replace("/usr/bin/citewire", "/bin/true")).expect("written");
        let output = Command::new("systemd-analyze").args(arguments).arg(&written).output();
        let output = output.expect("`systemd-analyze`, of the package systemd");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let right = std::fs::read_to_string(unit).expect("the unit");
    assert_eq!(analyze(&right, &["verify", "--man=no"]), (true, String::new()));
    let (_, said) = analyze(&right.replace("ProtectHome", "ProtectHouse"), &["verify", "--man=no"]);
    assert!(said.contains("ProtectHouse"), "{said}");
    // systemd's own figure for what a service could do to its machine, in tenths: 96 with no line about it.
    let confined = ["security", "--no-pager", "--offline=true", "--threshold=20"];
    assert!(analyze(&right, &confined).0, "the service may do more than it needs");
    assert!(!analyze(&right.replace("CapabilityBoundingSet=\n", ""), &confined).0);
}
