//! The part of a document that a source is, as its name says it.

use std::collections::HashSet;

use smallvec::SmallVec;

/// The part of a document that a source is: *Manual, page 7*, *Q3 report: Guidance*.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// The page in words: `page 7`, `slide 3`.
    pub page: Option<String>,
    /// The heading above it.
    pub heading: Option<String>,
}

impl Part {
    /// A part by its page and its heading, of which either may be unknown.
    #[must_use]
    pub fn new(page: Option<String>, heading: Option<String>) -> Self {
        Self { page, heading }
    }

    /// What two parts have in common: that of a source that is both.
    #[must_use]
    pub fn common(self, other: &Self) -> Self {
        let Self { page, heading } = self;
        Self {
            page: page.filter(|page| other.page.as_ref() == Some(page)),
            heading: heading.filter(|heading| other.heading.as_ref() == Some(heading)),
        }
    }

    /// The name of a part of the document with this name.
    #[must_use]
    pub fn of(&self, document: &str) -> String {
        let page = self.page.as_ref().map(|page| format!(", {page}")).unwrap_or_default();
        let heading = self.heading.as_ref().map(|heading| format!(": {heading}")).unwrap_or_default();
        format!("{document}{page}{heading}")
    }

    fn is_whole(&self) -> bool {
        self.page.is_none() && self.heading.is_none()
    }
}

/// The names with which sources are told apart that have one name, each with the place of its source in the list: they say besides
/// the page, else the heading, else both. Names stay where nothing differs. `name` and `part` give those of the source at a place.
pub(crate) fn told_apart<'n>(
    count: usize,
    name: impl Fn(usize) -> &'n str,
    part: impl Fn(usize) -> Option<Part>,
) -> Vec<(usize, String)> {
    let mut places: SmallVec<[usize; 8]> = (0..count).collect();
    places.sort_by_key(|at| name(*at));
    let same = places.chunk_by(|one, other| name(*one) == name(*other)).filter(|places| places.len() > 1);
    same.flat_map(|places| {
        let parts: Vec<Part> = places.iter().map(|at| part(*at).unwrap_or_default()).collect();
        places.iter().copied().zip(apart(name(places[0]), &parts))
    })
    .collect()
}

/// The names of parts of documents with one name.
fn apart(name: &str, parts: &[Part]) -> Vec<String> {
    let pages = || parts.iter().map(|part| Part { heading: None, ..part.clone() }.of(name)).collect::<Vec<_>>();
    let headings = || parts.iter().map(|part| Part { page: None, ..part.clone() }.of(name)).collect::<Vec<_>>();
    let both = || parts.iter().map(|part| part.of(name)).collect::<Vec<_>>();
    let different = |names: &[String]| names.iter().collect::<HashSet<_>>().len();
    let (pages, headings, both) = (pages(), headings(), both());
    match different(&both) {
        // They are all of one part, which says nothing.
        1 => vec![name.to_owned(); parts.len()],
        most if different(&pages) == most => pages,
        most if different(&headings) == most => headings,
        _ => both,
    }
}

/// The part that all of these sources have in common; `None` where they are of the whole document.
pub(crate) fn common<'p>(mut parts: impl Iterator<Item = Option<&'p Part>>) -> Option<Part> {
    let first = parts.next()??.clone();
    let common = parts.try_fold(first, |common, part| Some(common.common(part?)))?;
    (!common.is_whole()).then_some(common)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(page: &str, heading: &str) -> Part {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Part::new(some(page), some(heading))
    }

    #[test]
    fn a_name_has_the_page_and_the_heading() {
        for (page, heading, expected) in [
            ("page 7", "", "Manual, page 7"),
            ("", "Guidance", "Manual: Guidance"),
            ("slide 3", "Guidance", "Manual, slide 3: Guidance"),
            ("", "", "Manual"),
        ] {
            assert_eq!(part(page, heading).of("Manual"), expected);
        }
    }

    #[test]
    fn names_that_several_sources_have_say_what_differs() {
        let told = |parts: &[(&str, &str)]| {
            let mut names: Vec<String> =
                parts.iter().map(|_| "Manual".to_owned()).chain(["Other".to_owned()]).collect();
            let part_at = |at: usize| {
                Some(parts.get(at).map_or_else(|| part("page 1", "x"), |(page, heading)| part(page, heading)))
            };
            for (at, name) in told_apart(names.len(), |at| &names[at], part_at) {
                names[at] = name;
            }
            assert_eq!(names.pop().as_deref(), Some("Other"), "it is the only one of its name");
            names
        };
        assert_eq!(told(&[("page 7", "Leave"), ("page 8", "Leave")]), ["Manual, page 7", "Manual, page 8"]);
        assert_eq!(told(&[("page 7", "Leave"), ("page 7", "Sick")]), ["Manual: Leave", "Manual: Sick"]);
        let three = [("page 7", "Leave"), ("page 7", "Sick"), ("page 8", "Sick")];
        assert_eq!(told(&three), ["Manual, page 7: Leave", "Manual, page 7: Sick", "Manual, page 8: Sick"]);
        assert_eq!(told(&[("page 7", "Leave"), ("page 7", "Leave")]), ["Manual", "Manual"]);
        assert_eq!(told(&[("", ""), ("page 7", "Leave")]), ["Manual", "Manual, page 7"]);
        assert_eq!(told(&[("", ""), ("", "")]), ["Manual", "Manual"]);
        assert_eq!(told(&[("page 7", "Leave")]), ["Manual"]);
    }

    #[test]
    fn several_parts_have_the_name_of_what_they_share() {
        let (one, other) = (part("page 7", "Leave"), part("page 7", "Sick"));
        let of = |parts: &[Option<&Part>]| common(parts.iter().copied());
        assert_eq!(of(&[Some(&one), Some(&other)]), Some(part("page 7", "")));
        assert_eq!(of(&[Some(&one), Some(&one)]), Some(one.clone()));
        assert_eq!(of(&[Some(&one), Some(&part("page 8", "Sick"))]), None);
        assert_eq!(of(&[Some(&one), None]), None);
        assert_eq!(of(&[]), None);
    }
}
