//! `cargo xtask bom`: the packages that the command is made of, as a list in the format CycloneDX 1.6.
//!
//! `cargo tree` says which packages these are and which of them needs which: `cargo metadata` also has packages that only tests
//! need, and such as no feature turns on. `cargo metadata` says what each is, and `Cargo.lock` what its archive hashes to. The list
//! has neither a time nor a serial number, so the same `Cargo.lock` gives the same bytes.

use crate::packages::Package;
use crate::process;
use crate::repository::Repository;
use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;

/// The package whose parts are listed.
const COMMAND: &str = "citewire";

/// The root of a CycloneDX document (<https://cyclonedx.org/docs/1.6/json/>), as far as it is written.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Bom {
    #[serde(rename = "$schema")]
    schema: &'static str,
    bom_format: &'static str,
    spec_version: &'static str,
    version: u32,
    metadata: About,
    components: Vec<Component>,
    dependencies: Vec<Needs>,
}

#[derive(Debug, Serialize)]
struct About {
    component: Component,
}

#[derive(Debug, Serialize)]
struct Component {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(rename = "bom-ref")]
    reference: String,
    name: String,
    version: String,
    /// `excluded` is what CycloneDX calls parts that are not there when the program runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hashes: Vec<Hash>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    licenses: Vec<Licence>,
    purl: String,
}

#[derive(Debug, Serialize)]
struct Hash {
    alg: &'static str,
    content: String,
}

#[derive(Debug, Serialize)]
struct Licence {
    expression: String,
}

impl Licence {
    /// `A/B` is how cargo packages once wrote `A OR B`.
    fn new(text: &str) -> Self {
        let words = text.replace('/', " OR ");
        Self { expression: words.split_whitespace().collect::<Vec<_>>().join(" ") }
    }
}

/// What one component needs, by references.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Needs {
    #[serde(rename = "ref")]
    reference: String,
    depends_on: Vec<String>,
}

/// `Cargo.lock`, as far as it is read.
#[derive(Debug, Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Debug, Deserialize)]
struct Locked {
    name: String,
    version: String,
    /// The SHA-256 of the archive in the registry.
    checksum: Option<String>,
}

/// A version of a package. crates.io is the only source that `deny.toml` lets in, so the two parts name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Id {
    name: String,
    version: String,
}

impl Id {
    /// The package URL (<https://github.com/package-url/purl-spec>), in which `+` is written as `%2B`.
    fn purl(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version.replace('+', "%2B"))
    }
}

/// Each package with those that it needs.
type Tree = BTreeMap<Id, BTreeSet<Id>>;

/// Writes the list into the file that the arguments name, or to stdout.
pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<()> {
    let text = text(repository)?;
    match arguments {
        [] => std::io::stdout().write_all(text.as_bytes()).context("cannot write to stdout")?,
        [file] => std::fs::write(file, text).with_context(|| format!("cannot write {file}"))?,
        _ => bail!("one file at most: cargo xtask bom [FILE]"),
    }
    Ok(())
}

/// Names and versions of the packages whose code is in the command, on whatever platform.
pub(crate) fn inside(repository: &Repository) -> Result<Vec<(String, String)>> {
    let tree = tree(repository, "normal,no-proc-macro")?;
    Ok(tree.into_keys().map(|Id { name, version }| (name, version)).collect())
}

/// The list as text.
pub(crate) fn text(repository: &Repository) -> Result<String> {
    let everything = tree(repository, "normal,build")?;
    let built_in = tree(repository, "normal,no-proc-macro")?;
    let lock = read_lock(&repository.path("Cargo.lock"))?;
    let bom = Bom::new(&repository.metadata.packages, &everything, &built_in, &lock)?;
    Ok(serde_json::to_string_pretty(&bom)? + "\n")
}

/// The packages that are reached from the command over edges of the kinds that `cargo tree --edges` names, on every platform, with
/// the features of a plain `cargo build`.
fn tree(repository: &Repository, edges: &str) -> Result<Tree> {
    let options = ["--target", "all", "--prefix", "depth", "--format", "|{p}", "--color", "never"];
    let mut command = repository.cargo(&["tree", "--locked", "--package", COMMAND, "--edges", edges]);
    parse_tree(&process::output(command.args(options))?)
}

/// Reads lines like `2|serde v1.0.0 (proc-macro) (*)`. The number is how deep the package stands below the first line.
fn parse_tree(text: &str) -> Result<Tree> {
    let mut tree = Tree::new();
    let mut path: Vec<Id> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let (depth, id) = parse_line(line).with_context(|| format!("`cargo tree` wrote `{line}`"))?;
        if depth > path.len() {
            bail!("`cargo tree` wrote `{line}` below nothing");
        }
        path.truncate(depth);
        if let Some(parent) = path.last() {
            tree.entry(parent.clone()).or_default().insert(id.clone());
        }
        // What is marked with `(*)` has its own lines elsewhere.
        tree.entry(id.clone()).or_default();
        path.push(id);
    }
    Ok(tree)
}

fn parse_line(line: &str) -> Option<(usize, Id)> {
    let (depth, package) = line.split_once('|')?;
    let mut words = package.split(' ');
    let (name, version) = (words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned());
    Some((depth.parse().ok()?, Id { name, version }))
}

fn read_lock(file: &Path) -> Result<BTreeMap<Id, String>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let lock: Lock = toml::from_str(&text).with_context(|| format!("{} is not understood", file.display()))?;
    let hashed = lock
        .package
        .into_iter()
        .filter_map(|Locked { name, version, checksum }| checksum.map(|checksum| (Id { name, version }, checksum)));
    Ok(hashed.collect())
}

impl Bom {
    fn new(packages: &[Package], everything: &Tree, built_in: &Tree, lock: &BTreeMap<Id, String>) -> Result<Self> {
        let mut components = Vec::new();
        let mut command = None;
        for id in everything.keys() {
            let package = packages.iter().find(|package| package.name == id.name && package.version == id.version);
            let licence = package.and_then(|package| package.license.as_deref());
            let mut component = Component {
                kind: "library",
                reference: id.purl(),
                name: id.name.clone(),
                version: id.version.clone(),
                scope: None,
                hashes: Vec::new(),
                licenses: licence.map(Licence::new).into_iter().collect(),
                purl: id.purl(),
            };
            if id.name == COMMAND {
                component.kind = "application";
                command = Some(component);
                continue;
            }
            // A crate of this workspace is no archive that could have a hash.
            if package.is_none_or(|package| package.source.is_some()) {
                let content =
                    lock.get(id).with_context(|| format!("Cargo.lock has no hash of {} {}", id.name, id.version))?;
                component.hashes.push(Hash { alg: "SHA-256", content: content.clone() });
            }
            component.scope = Some(if built_in.contains_key(id) { "required" } else { "excluded" });
            components.push(component);
        }
        let dependencies = everything
            .iter()
            .map(|(id, needed)| Needs { reference: id.purl(), depends_on: needed.iter().map(Id::purl).collect() });
        Ok(Self {
            schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
            bom_format: "CycloneDX",
            spec_version: "1.6",
            version: 1,
            metadata: About { component: command.with_context(|| format!("`cargo tree` does not name {COMMAND}"))? },
            components,
            dependencies: dependencies.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Bom, Id, Licence, Tree, parse_tree, text};
    use crate::packages::samples::{CRATES_IO, package};
    use crate::repository::Repository;
    use serde_json::{Value, json};
    use std::collections::{BTreeMap, BTreeSet};

    const EVERYTHING: &str = "\
0|citewire v0.1.0 (/somewhere/with a space)
1|cc v1.2.0
2|shlex v1.3.0
1|derive v1.0.0 (proc-macro)
1|toml v1.2.1+spec-1.1.0
2|cc v1.2.0 (*)
";
    const BUILT_IN: &str = "0|citewire v0.1.0 (/somewhere)\n1|toml v1.2.1+spec-1.1.0\n";

    fn id(name: &str, version: &str) -> Id {
        Id { name: name.to_owned(), version: version.to_owned() }
    }

    fn texts<'v>(list: &'v Value, member: &str) -> Vec<&'v str> {
        let list = list.as_array().expect("a list").iter();
        list.map(|item| item[member].as_str().expect("a text")).collect()
    }

    fn sample() -> anyhow::Result<Bom> {
        let everything = parse_tree(EVERYTHING)?;
        let packages: Vec<_> = everything.keys().map(|id| package(&id.name, &id.version, Some(CRATES_IO))).collect();
        let lock = everything.keys().map(|id| (id.clone(), "0123".to_owned())).collect();
        Bom::new(&packages, &everything, &parse_tree(BUILT_IN)?, &lock)
    }

    #[test]
    fn a_tree_is_read_with_what_each_package_needs() {
        let tree = parse_tree(EVERYTHING).expect("a tree");
        let needs = |name, version| -> Vec<&str> { tree[&id(name, version)].iter().map(|id| &*id.name).collect() };
        assert_eq!(needs("citewire", "0.1.0"), ["cc", "derive", "toml"]);
        assert_eq!(needs("cc", "1.2.0"), ["shlex"]);
        assert_eq!(needs("toml", "1.2.1+spec-1.1.0"), ["cc"]);
        assert_eq!(tree.len(), 5);
        for odd in ["citewire", "0|citewire", "0|citewire 0.1.0", "1|citewire v0.1.0"] {
            assert!(parse_tree(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn what_is_needed_for_building_only_is_told_apart() {
        let bom = serde_json::to_value(sample().expect("a list")).expect("JSON");
        assert_eq!(texts(&bom["components"], "name"), ["cc", "derive", "shlex", "toml"]);
        assert_eq!(texts(&bom["components"], "scope"), ["excluded", "excluded", "excluded", "required"]);
        assert_eq!(
            bom["components"][3],
            json!({
                "type": "library",
                "bom-ref": "pkg:cargo/toml@1.2.1%2Bspec-1.1.0",
                "name": "toml",
                "version": "1.2.1+spec-1.1.0",
                "scope": "required",
                "hashes": [{ "alg": "SHA-256", "content": "0123" }],
                "licenses": [{ "expression": "MIT" }],
                "purl": "pkg:cargo/toml@1.2.1%2Bspec-1.1.0",
            })
        );
        assert_eq!(bom["metadata"]["component"]["type"], "application");
    }

    #[test]
    fn the_old_way_to_write_alternatives_becomes_an_expression() {
        for (written, expression) in
            [("MIT / Apache-2.0", "MIT OR Apache-2.0"), ("MIT/ISC", "MIT OR ISC"), ("MIT", "MIT")]
        {
            assert_eq!(Licence::new(written).expression, expression);
        }
    }

    #[test]
    fn a_package_without_a_hash_is_no_part_of_a_list() {
        let tree = parse_tree(EVERYTHING).expect("a tree");
        let error = Bom::new(&[], &tree, &Tree::new(), &BTreeMap::new()).expect_err("no hashes").to_string();
        assert_eq!(error, "Cargo.lock has no hash of cc 1.2.0");
    }

    /// The members that the schema of CycloneDX 1.6 requires, its patterns for what we write, and references that lead somewhere.
    #[test]
    fn the_list_of_this_repository_keeps_the_rules_of_cyclonedx() {
        let repository = Repository::find().expect("this repository");
        let text = text(&repository).expect("a list");
        let bom: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(
            (&bom["bomFormat"], &bom["specVersion"], &bom["version"]),
            (&json!("CycloneDX"), &json!("1.6"), &json!(1))
        );

        let command = &bom["metadata"]["component"];
        assert_eq!((&command["type"], &command["name"]), (&json!("application"), &json!("citewire")));
        let components = bom["components"].as_array().expect("components");
        for component in components {
            assert_eq!(component["type"], "library", "{component}");
            assert!(["required", "excluded"].map(Value::from).contains(&component["scope"]), "{component}");
            assert_eq!(component["purl"], component["bom-ref"], "{component}");
            let is_ours = component["name"].as_str().is_some_and(|name| name.starts_with("citewire-"));
            let hash = component["hashes"][0]["content"].as_str().unwrap_or_default();
            assert!(is_ours || hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{component}");
            let licence = component["licenses"][0]["expression"].as_str().expect("a licence");
            assert!(!licence.is_empty() && !licence.contains('/'), "{component}");
        }

        let mut references = BTreeSet::from([command["bom-ref"].as_str().expect("a reference")]);
        for reference in texts(&bom["components"], "bom-ref") {
            assert!(references.insert(reference), "{reference} is there twice");
        }
        let dependencies = &bom["dependencies"];
        assert_eq!(texts(dependencies, "ref").into_iter().collect::<BTreeSet<_>>(), references);
        for needs in dependencies.as_array().expect("a list") {
            for needed in needs["dependsOn"].as_array().expect("a list") {
                assert!(references.contains(needed.as_str().expect("a reference")), "{needed}");
            }
        }

        let names: BTreeSet<&str> = texts(&bom["components"], "name").into_iter().collect();
        for part in ["actix-web", "aws-lc-sys", "governor", "ipnet", "libsqlite3-sys", "json-ld", "cc"] {
            assert!(names.contains(part), "{part} is built with");
        }
        // Tests need the first three; Cargo.lock has the others because they are options of what we build with.
        for other in ["criterion", "proptest", "comrak", "ring", "quinn", "xtask"] {
            assert!(!names.contains(other), "{other} is not built with");
        }
        assert_eq!(text, self::text(&repository).expect("a list"), "the same Cargo.lock gives the same bytes");
    }
}
