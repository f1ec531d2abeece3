//! No circles of files inside a room: types below, tables above.

use std::collections::BTreeSet;
use std::path::Path;

use super::graph::Graph;
use super::{CRATES, Crate, sources};

type Rings = BTreeSet<BTreeSet<String>>;

fn rings_in(root: &Path) -> Rings {
    let files: Vec<(String, String)> = sources(root)
        .into_iter()
        .map(|path| {
            let file = path.strip_prefix(root).expect("inside the root").to_string_lossy().replace('\\', "/");
            // The file at the root of a program is like that of a library.
            let is_root = file == "main.rs" && !root.join("lib.rs").exists();
            let file = if is_root { "lib.rs".to_owned() } else { file };
            (file, std::fs::read_to_string(&path).expect("a source"))
        })
        .collect();
    Graph::new(&files).rings()
}

fn rings(lines: &[&str]) -> Rings {
    lines.iter().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
fn no_files_of_a_room_import_each_other_in_a_circle() {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR")).join("xtask/src");
    for folder in CRATES.iter().map(Crate::sources).chain([xtask]) {
        let rings = rings_in(&folder);
        let shown: Vec<String> = rings.iter().map(|ring| ring.iter().cloned().collect::<Vec<_>>().join(" ")).collect();
        assert!(shown.is_empty(), "{}: these files import each other:\n{}", folder.display(), shown.join("\n"));
    }
}

/// The circles in sources that are given as `(file, text)`.
fn of(files: &[(&str, &str)]) -> Rings {
    let owned: Vec<_> = files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect();
    Graph::new(&owned).rings()
}

const LIB: (&str, &str) = ("lib.rs", "pub mod room;");

#[test]
fn a_circle_is_found_however_an_import_is_written() {
    let door = ("room/mod.rs", "mod a;\nmod b;\npub use a::A;\npub(crate) use b::{B, other as renamed};");
    let circle = rings(&["room/a.rs room/b.rs"]);
    for import in [
        "use super::B;",
        "use super::b::B;",
        "use crate::room::{B};",
        "use crate::{nothing, room::{self as r, b::B}};",
        "use super::{\n    renamed,\n};",
        "fn f() { super::b::other() }",
        "use super::b;\nfn f() { b::other() }",
    ] {
        let a = format!("pub struct A;\n{import}");
        assert_eq!(
            of(&[LIB, door, ("room/a.rs", &a), ("room/b.rs", "use super::A;\npub struct B;")]),
            circle,
            "{import}"
        );
    }
}

#[test]
fn what_is_no_import_makes_no_circle() {
    let door =
        ("room/mod.rs", "//! [`a`](super::a)\nmod a;\nmod b;\n#[cfg(test)]\nmod tests;\npub use a::A;\npub use b::B;");
    for text in [
        "// use super::B;",
        "const B: &str = \"super::B\";",
        "const B: &str = r#\"\"super::B\"#;",
        "#[cfg(test)]\nmod tests {\n    use super::super::B;\n}",
        "use other::B;",
        "use super::b;",
        "const Q: char = '\"'; // super::B\nfn f<'a>(_: &'a str) {}",
    ] {
        let a = format!("pub struct A;\n{text}");
        let files = [LIB, door, ("room/a.rs", &a), ("room/b.rs", "use super::A;\npub struct B;")];
        assert_eq!(of(&files), Rings::new(), "{text}");
    }
    let test = ("room/tests.rs", "use super::A;\nuse super::tests::X;");
    assert_eq!(
        of(&[LIB, door, ("room/a.rs", "pub struct A;"), ("room/b.rs", "use super::tests::X;"), test]),
        Rings::new()
    );
}

#[test]
fn a_door_with_code_of_its_own_is_a_file_like_all_others() {
    let user = ("room/a.rs", "use super::Own;\npub fn f() {}");
    let own = "mod a;\npub struct Own;\npub use a::f;\n";
    assert_eq!(of(&[LIB, ("room/mod.rs", own), user]), Rings::new());
    let calls = format!("{own}fn g() {{ a::f() }}");
    assert_eq!(of(&[LIB, ("room/mod.rs", &calls), user]), rings(&["room/a.rs room/mod.rs"]));
}

#[test]
fn circles_of_several_files_are_one_each() {
    let door = ("room/mod.rs", "mod a; mod b; mod c; mod d; mod e;");
    let files = [
        ("room/a.rs", "use super::b::B;"),
        ("room/b.rs", "use super::c::C;"),
        ("room/c.rs", "use super::a::A; use super::d::D;"),
        ("room/d.rs", "use super::e::E;"),
        ("room/e.rs", "use super::d::D;"),
    ];
    let all = [&[LIB, door][..], &files].concat();
    assert_eq!(of(&all), rings(&["room/a.rs room/b.rs room/c.rs", "room/d.rs room/e.rs"]));
}
