//! No circles of files inside a room: types below, tables above.

use std::collections::BTreeSet;
use std::path::Path;

use super::graph::Graph;
use super::{CRATES, sources};

/// The circles that there still are in `src`. The list may only get shorter: whoever cuts one takes it out here.
const KNOWN: &[&str] = &[
    "http/address.rs http/answers.rs http/audit.rs http/auth.rs http/check.rs http/completions/create.rs \
     http/completions/models.rs http/connector.rs http/conversations.rs http/convert.rs http/direct_line.rs http/docs.rs \
     http/documents.rs http/door/host.rs http/embed.rs http/envelope.rs http/fault.rs http/feedback.rs http/figures.rs \
     http/health.rs http/manifest.rs http/messages.rs http/openapi.rs http/options.rs http/outputs.rs http/page.rs \
     http/problem/render.rs http/problem/verdict.rs http/records.rs http/routes.rs http/session.rs http/socket.rs http/state.rs http/upload.rs \
     http/users.rs http/web_chat.rs",
];

type Rings = BTreeSet<BTreeSet<String>>;

fn rings_in(root: &Path) -> Rings {
    let files: Vec<(String, String)> = sources(root)
        .into_iter()
        .map(|path| {
            let file = path.strip_prefix(root).expect("inside the root").to_string_lossy().replace('\\', "/");
            (file, std::fs::read_to_string(&path).expect("a source"))
        })
        .collect();
    Graph::new(&files).rings()
}

/// What is wrong with the circles of a crate: those that are new, and those that are known but are no more.
fn faults(found: &Rings, known: &Rings) -> Vec<String> {
    let shown = |ring: &BTreeSet<String>| ring.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    let new = found.difference(known).map(|ring| format!("these files import each other: {}", shown(ring)));
    let gone =
        known.difference(found).map(|ring| format!("no circle any more, take it out of the list: {}", shown(ring)));
    new.chain(gone).collect()
}

fn rings(lines: &[&str]) -> Rings {
    lines.iter().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
fn no_files_of_a_room_import_each_other_in_a_circle() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (folder, _) in CRATES {
        let known = if folder == "src" { rings(KNOWN) } else { Rings::new() };
        let faults = faults(&rings_in(&project.join(folder)), &known);
        assert!(faults.is_empty(), "{folder}:\n{}", faults.join("\n"));
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

#[test]
fn the_list_of_known_circles_may_only_get_shorter() {
    let (one, other) = (rings(&["a.rs b.rs"]), rings(&["c.rs d.rs"]));
    assert_eq!(faults(&one, &one), Vec::<String>::new());
    assert_eq!(faults(&one, &Rings::new()), ["these files import each other: a.rs b.rs"]);
    assert_eq!(faults(&Rings::new(), &other), ["no circle any more, take it out of the list: c.rs d.rs"]);
}
