//! A path of a mapping: JSONPath of [RFC 9535](https://www.rfc-editor.org/rfc/rfc9535), bounded so that no body makes it slow.

use jsonpath_rust::parser::model::{JpQuery, Segment, Selector};
use jsonpath_rust::parser::parse_json_path;
use jsonpath_rust::query::js_path_process;
use serde_json::Value;

/// The longest path, in bytes.
const MAX_BYTES: usize = 300;

/// The most commas in one path. Each list of selectors may multiply what the path finds.
const MAX_COMMAS: usize = 4;

/// The most members that a message about a body names.
const MAX_SHOWN: usize = 12;

/// A checked path.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Path {
    /// The path as written in the mapping.
    written: String,
    query: JpQuery,
}

/// A value that a path found.
#[derive(Clone, Debug)]
pub(super) struct Found<'v> {
    /// Its JSON pointer.
    pub(super) pointer: String,
    pub(super) value: &'v Value,
}

impl Path {
    /// A path that begins at the body or the event: `$.answer.text`.
    pub(super) fn absolute(written: &str) -> Result<Self, String> {
        let written = written.trim();
        match written.strip_prefix('@') {
            Some(rest) => Err(format!("`{written}` begins at a source or a span; a path from the top is `${rest}`")),
            None if written.starts_with('$') => Self::parse(written, written),
            None => Err(format!("`{written}` does not begin with `$`, which is the whole body, as in `$.answer`")),
        }
    }

    /// A path that begins at a source or a span: `@.title`.
    pub(super) fn relative(written: &str) -> Result<Self, String> {
        let written = written.trim();
        match written.strip_prefix('@') {
            Some(rest) => Self::parse(written, &format!("${rest}")),
            None => {
                Err(format!("`{written}` does not begin with `@`, which is the source or the span, as in `@.title`"))
            }
        }
    }

    /// A condition on an event, as the inside of a filter: `@.type == 'delta'`. It finds something in a list of events where
    /// one fulfils it.
    pub(super) fn condition(written: &str) -> Result<Self, String> {
        let written = written.trim();
        if written.starts_with('@') || written.starts_with('!') || written.starts_with('(') || written.contains("(@") {
            Self::parse(written, &format!("$[?{written}]"))
        } else {
            Err(format!("`{written}` is no condition on an event, such as `@.type == 'delta'`"))
        }
    }

    fn parse(written: &str, path: &str) -> Result<Self, String> {
        if let Some(reason) = unbounded(path) {
            return Err(format!("`{written}` {reason}"));
        }
        match parse_json_path(path) {
            Ok(query) => Ok(Self { written: written.to_owned(), query }),
            Err(error) => Err(format!("`{written}` is no JSONPath (RFC 9535): {}", fault(&error.to_string(), path))),
        }
    }

    /// The path as written.
    pub(super) fn written(&self) -> &str {
        &self.written
    }

    /// All values that the path finds, in the order of the document. `below` is the JSON pointer of `value`.
    pub(super) fn find<'v>(&self, value: &'v Value, below: &str) -> Vec<Found<'v>> {
        let found = js_path_process(&self.query, value).unwrap_or_default();
        found.into_iter().map(|found| Found { pointer: pointer(below, &found.path), value: found.val }).collect()
    }

    /// Whether the path finds anything but `null`.
    pub(super) fn is_in(&self, value: &Value) -> bool {
        js_path_process(&self.query, value).is_ok_and(|found| found.iter().any(|found| !found.val.is_null()))
    }

    /// Whether the path leads to something, or to the empty list or object in which it would stand.
    pub(super) fn leads_to_any(&self, value: &Value) -> bool {
        let Some((there, segment)) = self.end(value, "") else { return true };
        is_empty(there.value) && (selects_all(segment) || there.value.is_object() && !there.pointer.is_empty())
    }

    /// Where the path ends: the last value that is there, and the segment that finds nothing in it. `None` for a path that finds
    /// something.
    fn end<'v>(&self, value: &'v Value, below: &str) -> Option<(Found<'v>, &Segment)> {
        if !self.find(value, below).is_empty() {
            return None;
        }
        let mut there = Found { pointer: below.to_owned(), value };
        for segment in &self.query.segments {
            let next = js_path_process(&JpQuery::new(vec![segment.clone()]), there.value).unwrap_or_default();
            match next.into_iter().next() {
                Some(next) => there = Found { pointer: pointer(&there.pointer, &next.path), value: next.val },
                None => return Some((there, segment)),
            }
        }
        None
    }

    /// Why the path finds nothing: the part of it that is there, and what stands there instead. `None` where the path ends in
    /// a list that is empty.
    pub(super) fn missing(&self, value: &Value, below: &str) -> Option<String> {
        let (there, segment) = self.end(value, below)?;
        if selects_all(segment) && is_empty(there.value) {
            return None;
        }
        let place = if there.pointer.is_empty() { "the top" } else { &there.pointer };
        Some(format!("{place} {}", shown(there.value)))
    }
}

/// A segment that takes any number of entries, none included.
fn selects_all(segment: &Segment) -> bool {
    match segment {
        Segment::Descendant(_) => true,
        Segment::Selector(selector) => is_many(selector),
        Segment::Selectors(selectors) => selectors.iter().any(is_many),
    }
}

fn is_many(selector: &Selector) -> bool {
    match selector {
        Selector::Wildcard | Selector::Slice(..) | Selector::Filter(_) => true,
        Selector::Name(_) | Selector::Index(_) => false,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// A value in the words of a message.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "is null".to_owned(),
        Value::Bool(_) => "is true or false".to_owned(),
        Value::Number(_) => "is a number".to_owned(),
        Value::String(_) => "is a string".to_owned(),
        Value::Array(list) if list.is_empty() => "is an empty list".to_owned(),
        Value::Array(list) => format!("is a list of {}", list.len()),
        Value::Object(members) if members.is_empty() => "is an empty object".to_owned(),
        Value::Object(members) => {
            let name = |name: &String| name.chars().take(40).collect::<String>().escape_debug().to_string();
            let names: Vec<String> = members.keys().take(MAX_SHOWN).map(|key| format!("`{}`", name(key))).collect();
            let more = if members.len() > MAX_SHOWN { " and more" } else { "" };
            format!("has {}{more}", names.join(", "))
        }
    }
}

/// Why a path might take longer than one walk over a body; `None` for a path that does not.
fn unbounded(path: &str) -> Option<String> {
    let (mut descents, mut commas, mut roots) = (0, 0, 0);
    let mut quote = None;
    let mut before = ' ';
    for c in path.chars() {
        match quote {
            // An escaped quote stays inside; two escapes stand for a backslash.
            Some(open) if c == open && before != '\\' => quote = None,
            Some(_) => {
                before = if before == '\\' { ' ' } else { c };
                continue;
            }
            None if c == '\'' || c == '"' => quote = Some(c),
            None => {
                descents += usize::from(c == '.' && before == '.');
                commas += usize::from(c == ',');
                roots += usize::from(c == '$');
            }
        }
        before = c;
    }
    if path.len() > MAX_BYTES {
        Some(format!("is longer than {MAX_BYTES} bytes"))
    } else if descents > 1 {
        Some("has more than one `..`: name the members between them".to_owned())
    } else if commas > MAX_COMMAS {
        Some(format!("has more than {MAX_COMMAS} commas: write several paths as a list"))
    } else if roots > 1 {
        Some("has another `$` inside: a filter can compare with `@` only".to_owned())
    } else {
        None
    }
}

/// The place and the wish of the parser, out of its drawing of several lines.
fn fault(error: &str, path: &str) -> String {
    let expected = error.lines().find_map(|line| line.trim().strip_prefix("= ")).unwrap_or("it cannot be read");
    let place = error.lines().find_map(|line| line.split_once("--> 1:")).map(|(_, place)| place);
    match place.and_then(|place| place.trim().parse::<usize>().ok()) {
        Some(at) => {
            let rest: String = path.chars().skip(at.saturating_sub(1)).take(20).collect();
            if rest.is_empty() { format!("{expected} at its end") } else { format!("{expected} at `{rest}`") }
        }
        None => expected.to_owned(),
    }
}

/// The JSON pointer of a normalized path (RFC 9535, section 2.7), below another pointer: `$['a'][0]` → `/a/0`.
fn pointer(below: &str, normalized: &str) -> String {
    let mut pointer = below.to_owned();
    let mut rest = normalized.strip_prefix('$').unwrap_or(normalized).chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '[' => pointer.push('/'),
            '\'' => name(&mut rest, &mut pointer),
            ']' => {}
            digit => pointer.push(digit),
        }
    }
    pointer
}

/// Reads a quoted name up to its end, and writes it as a part of a pointer.
fn name(rest: &mut std::iter::Peekable<std::str::Chars<'_>>, pointer: &mut String) {
    while let Some(c) = rest.next() {
        let c = match c {
            '\'' => return,
            '\\' => match rest.next() {
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some('u') => {
                    let digits: String = rest.by_ref().take(4).collect();
                    u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}')
                }
                Some(c) => c,
                None => return,
            },
            c => c,
        };
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pointers(path: &str, value: &Value) -> Vec<String> {
        Path::absolute(path).expect(path).find(value, "").into_iter().map(|found| found.pointer).collect()
    }

    #[test]
    fn each_value_has_the_pointer_of_its_place() {
        let value = json!({"a": [{"t/x": 1}, {"it's": 2, "~": 3}], "quo\"te\\": {"\n": 4}, "é": 5});
        for (path, expected) in [
            ("$", vec![""]),
            ("$.a[*].*", vec!["/a/0/t~1x", "/a/1/it's", "/a/1/~0"]),
            ("$.*['\\n']", vec!["/quo\"te\\/\n"]),
            ("$.é", vec!["/é"]),
            ("$..['t/x']", vec!["/a/0/t~1x"]),
            ("$.a[-1:]", vec!["/a/1"]),
            ("$.a[?@['t/x'] == 1]", vec!["/a/0"]),
            ("$.b", vec![]),
        ] {
            let found = pointers(path, &value);
            assert_eq!(found, expected, "{path}");
            for pointer in found {
                assert!(value.pointer(&pointer).is_some(), "{pointer}");
            }
        }
        let source = json!({"x": 1});
        let below = Path::relative("@.x").expect("a path").find(&source, "/3/a");
        assert_eq!(below[0].pointer, "/3/a/x");
    }

    #[test]
    fn a_fault_in_a_path_says_what_is_wanted() {
        for (path, told) in [
            ("answer", "`answer` does not begin with `$`"),
            ("$.a[*", "`$.a[*` is no JSONPath (RFC 9535): "),
            ("$.a[", "at its end"),
            ("$.a-b", "at `-b`"),
            ("@.a", "a path from the top is `$.a`"),
            ("$..a..b", "more than one `..`"),
            ("$.a[?@.b == $.c]", "another `$`"),
            ("$[*,*,*,*,*,*]", "more than 4 commas"),
            (&"$.a".repeat(200), "longer than 300 bytes"),
        ] {
            let error = Path::absolute(path).expect_err(path);
            assert!(error.contains(told) && !error.contains('\n'), "{path}: {error}");
        }
        assert!(Path::absolute("$['a..b..c,$'].d").is_ok());
        assert!(Path::relative("title").expect_err("no @").contains("`@.title`"));
        assert!(Path::condition("type").is_err());
    }

    #[test]
    fn what_is_missing_is_told_by_what_is_there() {
        let value = json!({"data": {"answer": {"txt": "a"}, "docs": [], "list": [1]}});
        let missing = |path: &str| Path::absolute(path).expect(path).missing(&value, "");
        assert_eq!(missing("$.data.answer.text").as_deref(), Some("/data/answer has `txt`"));
        assert_eq!(missing("$.result").as_deref(), Some("the top has `data`"));
        assert_eq!(missing("$.data.docs[*]"), None);
        assert_eq!(missing("$.data.docs[0]").as_deref(), Some("/data/docs is an empty list"));
        assert_eq!(missing("$.data.list[*].x").as_deref(), Some("/data/list/0 is a number"));
    }

    #[test]
    fn no_body_makes_a_path_slow() {
        let mut deep = json!([1, 2, 3]);
        for _ in 0..120 {
            deep = json!({"a": deep, "b": [1, {"a": 2}]});
        }
        let wide = json!((0..10_000).map(|n| json!({"id": n, "a": {"b": "x"}})).collect::<Vec<_>>());
        for path in ["$..*", "$..[*,*,*,*,*]", "$[?@..a]", "$[*].a.b", "$..b", "$[?match(@.a.b, 'x+')]"] {
            let path = Path::absolute(path).expect(path);
            for value in [&deep, &wide] {
                assert!(path.find(value, "").len() < 400_000, "{}", path.written());
            }
        }
    }
}
