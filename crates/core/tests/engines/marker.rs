//! Reads markers without any code of the rewrite, so that a fault of the rewrite cannot hide itself.

use citewire_core::answer::MarkerGrammar;

/// The sources that a bracket names, by place or by name.
pub(super) struct Marker {
    pub(super) places: Vec<usize>,
    pub(super) names: Vec<String>,
    /// Whether only a machine writes it.
    pub(super) machine: bool,
    /// Whether it is a marker only if each of its places is a source.
    pub(super) whole: bool,
}

impl Marker {
    fn of(places: Vec<usize>, machine: bool) -> Self {
        Self { places, names: Vec::new(), machine, whole: false }
    }
}

/// The words of generated markers.
const WORDS: [&str; 4] = ["source", "citation:", "来源", "s"];

/// A word and numbers: `Source 1`, `S1, S2`.
pub(super) fn worded(inner: &str) -> Option<Marker> {
    let lower = inner.trim().to_lowercase();
    let word = WORDS.into_iter().find(|word| lower.starts_with(word))?;
    let place = |item: &str| number(item.trim().strip_prefix(word).unwrap_or(item.trim()).trim_start());
    let places = lower.split([',', ';']).map(place).collect::<Option<Vec<usize>>>()?;
    Some(Marker { whole: true, ..Marker::of(places, false) })
}

/// Whether a definition of this label could be meant for a marker.
pub(super) fn is_marker_label(label: &str) -> bool {
    bracket(label, &MarkerGrammar::ALL).is_some_and(|marker| marker.names.is_empty()) && worded(label).is_none()
}

pub(super) fn bracket(inner: &str, grammar: &MarkerGrammar) -> Option<Marker> {
    if grammar.exact_documents {
        let place = inner.strip_prefix("doc").and_then(number);
        return place.map(|place| Marker::of(vec![place], true)).or_else(|| worded(inner));
    }
    let inner = inner.trim();
    if let Some(footnote) = inner.strip_prefix('^').filter(|_| grammar.numbers) {
        if footnote.ends_with('^') {
            let raised = |item: &str| counted(item.trim_matches('^'));
            return Some(Marker::of(list(footnote, raised)?, false));
        }
        let place = counted(footnote)?;
        return grammar.footnotes.then(|| Marker::of(vec![place], false));
    }
    if let Some(places) = list(inner, counted).filter(|_| grammar.numbers) {
        let whole = inner.contains(['-', '–']);
        return Some(Marker { whole, ..Marker::of(places, false) });
    }
    if let Some(places) = list(inner, document).filter(|_| grammar.documents) {
        return Some(Marker::of(places, true));
    }
    if let Some(marker) = worded(inner) {
        return Some(marker);
    }
    // A name is a marker only when a source has it.
    let named = grammar.names && inner.len() > 1;
    named.then(|| Marker { names: vec![inner.to_owned()], ..Marker::of(Vec::new(), false) })
}

pub(super) fn lenticular(inner: &str, grammar: &MarkerGrammar) -> Option<Marker> {
    if !grammar.lenticular {
        return worded(inner);
    }
    let inner = inner.trim();
    if let Some(marker) = worded(inner) {
        return Some(marker);
    }
    let places = list(inner, |item| counted(item).or_else(|| document(item)));
    if let Some(places) = places.filter(|_| grammar.lenticular_places) {
        return Some(Marker::of(places, true));
    }
    let (place, name) = inner.split_once('†')?;
    let (places, names) = match place.split_once(':') {
        Some((message, place)) => {
            number(message.trim()).and(number(place.trim()))?;
            (Vec::new(), vec![name.trim().to_owned()])
        }
        None => (vec![number(place.trim())?].into_iter().filter(|_| grammar.lenticular_places).collect(), Vec::new()),
    };
    Some(Marker { names, ..Marker::of(places, true) })
}

pub(super) fn machine_names(inner: &str) -> Vec<String> {
    inner.split('\u{e202}').skip(1).map(|name| name.trim().to_owned()).collect()
}

fn list(inner: &str, read: impl Fn(&str) -> Option<usize>) -> Option<Vec<usize>> {
    let mut places = Vec::new();
    for item in inner.split([',', ';', '，']).map(str::trim) {
        let (from, to) = match item.split_once(['-', '–']) {
            Some((from, to)) => (read(from.trim())?, read(to.trim()).or_else(|| counted(to.trim()))?),
            None => (read(item)?, read(item)?),
        };
        if from > to || to - from >= 20 || item.contains(['-', '–']) && from == to {
            return None;
        }
        places.extend(from..=to);
    }
    (places.len() <= 20).then_some(places)
}

fn document(item: &str) -> Option<usize> {
    let item = item.to_ascii_lowercase();
    let rest = item.strip_prefix("docs").or_else(|| item.strip_prefix("doc"))?;
    number(rest.trim_start())
}

fn counted(digits: &str) -> Option<usize> {
    number(digits).filter(|_| !digits.starts_with('0'))
}

fn number(digits: &str) -> Option<usize> {
    let plain = (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}
