//! Which file of a crate imports which, and the circles among them.
//!
//! An import of something that a `mod.rs` re-exports is an import of the file that defines it. Methods are not imported: a call
//! of one that another file adds to a type is not seen.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Source, read};

/// The path of a module: `["ingest", "json"]` for `ingest/json.rs` and `["ingest"]` for `ingest/mod.rs`.
type Name = Vec<String>;

pub(super) struct Graph {
    modules: BTreeMap<Name, Module>,
}

struct Module {
    file: String,
    source: Source,
}

/// The target of a path: a module, or an item that a module defines.
enum Target {
    Module(Name),
    Item(Name),
}

/// The maximum number of re-exports that may lead to a definition. The compiler refuses those that lead nowhere; this
/// one must only end.
const MAX_REEXPORTS: usize = 20;

impl Graph {
    /// The graph of a crate, whose files are given by their paths below `src` and their texts.
    pub(super) fn new(files: &[(String, String)]) -> Self {
        let modules = files.iter().map(|(file, text)| (name(file), Module { file: file.clone(), source: read(text) }));
        Self { modules: modules.collect() }
    }

    /// The largest sets of files each of which imports all others of its set, by way of files in between.
    pub(super) fn rings(&self) -> BTreeSet<BTreeSet<String>> {
        let compiled = self.modules.keys().filter(|name| self.is_compiled(name));
        let arrows: BTreeMap<&Name, BTreeSet<Name>> = compiled.map(|name| (name, self.imports(name))).collect();
        let reached: BTreeMap<&Name, BTreeSet<&Name>> =
            arrows.keys().map(|from| (*from, reached(from, &arrows))).collect();
        let ring_of = |name: &Name| -> BTreeSet<String> {
            let around = reached[name].iter().filter(|other| reached[*other].contains(name));
            around.map(|name| self.modules[*name].file.clone()).collect()
        };
        reached.keys().map(|name| ring_of(name)).filter(|ring| ring.len() > 1).collect()
    }

    /// Whether a file belongs to the crate when its tests are not built.
    fn is_compiled(&self, name: &[String]) -> bool {
        let Some((last, parent)) = name.split_last() else { return true };
        self.modules.get(parent).is_some_and(|parent| parent.source.children.contains(last)) && self.is_compiled(parent)
    }

    /// The other files that a file imports.
    fn imports(&self, from: &Name) -> BTreeSet<Name> {
        let Module { file, source } = &self.modules[from];
        // A `mod.rs` names things to hand them on. What its own code needs of them is among the paths.
        let hands_on = file.ends_with("mod.rs") || file == "lib.rs";
        let uses = source.uses.values().filter(|_| !hands_on);
        let found = uses.chain(&source.paths).filter_map(|path| match self.resolve(from, path, MAX_REEXPORTS)? {
            Target::Item(module) => Some(module),
            Target::Module(_) => None,
        });
        found.filter(|to| to != from && self.is_compiled(to)).collect()
    }

    /// The target of a path that a module names; `None` for another crate, and for items that the module itself
    /// defines.
    fn resolve(&self, from: &[String], path: &[String], reexports: usize) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let source = &self.modules.get(from)?.source;
        match first.as_str() {
            "crate" => self.walk(&[], rest, reexports),
            "self" => self.walk(from, rest, reexports),
            "super" => {
                let (_, parent) = from.split_last()?;
                let goes_on_upwards = rest.first().is_some_and(|next| next == "super");
                if goes_on_upwards { self.resolve(parent, rest, reexports) } else { self.walk(parent, rest, reexports) }
            }
            name if source.children.contains(name) || source.uses.contains_key(name) => {
                self.walk(from, path, reexports)
            }
            _ => None,
        }
    }

    /// Follows a path from a module downwards, and through what the modules on its way re-export.
    fn walk(&self, module: &[String], path: &[String], reexports: usize) -> Option<Target> {
        let Some((first, rest)) = path.split_first() else { return Some(Target::Module(module.to_vec())) };
        let source = &self.modules.get(module)?.source;
        let used = source.uses.get(first);
        // Of a function and a module with one name, the path goes on behind the module alone.
        if source.children.contains(first) && (used.is_none() || !rest.is_empty()) {
            return self.walk(&[module, std::slice::from_ref(first)].concat(), rest, reexports);
        }
        let Some(used) = used else { return Some(Target::Item(module.to_vec())) };
        match self.resolve(module, used, reexports.checked_sub(1)?)? {
            Target::Module(module) => self.walk(&module, rest, reexports),
            item @ Target::Item(_) => Some(item),
        }
    }
}

fn name(file: &str) -> Name {
    let mut parts: Name = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    parts.pop_if(|last| last == "mod" || last == "lib");
    parts
}

/// The files that a file imports, those that they import, and so on.
fn reached<'a>(from: &Name, arrows: &'a BTreeMap<&Name, BTreeSet<Name>>) -> BTreeSet<&'a Name> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Name> = arrows[from].iter().collect();
    while let Some(next) = open.pop() {
        if found.insert(next) {
            open.extend(&arrows[next]);
        }
    }
    found
}
