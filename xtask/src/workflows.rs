//! What holds for the workflows of GitHub.

use std::fs;
use std::path::Path;

/// Each workflow with its name.
fn workflows() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.github/workflows");
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    files.map(|file| (file.display().to_string(), fs::read_to_string(&file).expect("text"))).collect()
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
