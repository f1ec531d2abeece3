//! citewire's own documentation, built into the program.

use include_dir::{Dir, DirEntry, include_dir};

/// The folder `docs` as it was when the program was built.
static DOCS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/docs");

/// Pages for maintainers, or for one other system: their sentences crowd out the answers that users look for.
const ASIDE: [&str; 3] = ["guides/clients/", "guides/moving/", "inside/"];

fn is_for_users(path: &str) -> bool {
    !ASIDE.iter().any(|aside| path.starts_with(aside))
}

/// Paths and texts of its pages, those for users.
pub(super) fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut entries: Vec<&'static DirEntry<'static>> = DOCS.entries().iter().collect();
    let mut pages = Vec::new();
    while let Some(entry) = entries.pop() {
        match entry {
            DirEntry::Dir(folder) => entries.extend(folder.entries()),
            DirEntry::File(file) => pages.extend(file.path().to_str().zip(file.contents_utf8())),
        }
    }
    pages.into_iter().filter(|(path, _)| path.ends_with(".md") && is_for_users(path))
}
