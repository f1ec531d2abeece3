//! What a bracket says, read without any code of the rewrite.

use citewire_core::answer::MarkerGrammar;

/// What a bracket names.
pub(super) struct Marker {
    pub(super) places: Vec<usize>,
    pub(super) names: Vec<String>,
    /// Whether only a machine writes it.
    pub(super) machine: bool,
}

/// Whether a definition of this label could be meant for a marker.
pub(super) fn is_marker_label(label: &str) -> bool {
    bracket(label, &MarkerGrammar::ALL).is_some_and(|marker| marker.names.is_empty())
}

pub(super) fn bracket(inner: &str, grammar: &MarkerGrammar) -> Option<Marker> {
    if grammar.exact_documents {
        let place = inner.strip_prefix("doc").and_then(number)?;
        return Some(Marker { places: vec![place], names: Vec::new(), machine: true });
    }
    let inner = inner.trim();
    if let Some(footnote) = inner.strip_prefix('^').filter(|_| grammar.numbers) {
        let superscript = footnote.strip_suffix('^');
        let place = counted(superscript.unwrap_or(footnote))?;
        let is_marker = superscript.is_some() || grammar.footnotes;
        return is_marker.then(|| Marker { places: vec![place], names: Vec::new(), machine: false });
    }
    if let Some(places) = list(inner, counted).filter(|_| grammar.numbers) {
        return Some(Marker { places, names: Vec::new(), machine: false });
    }
    if let Some(places) = list(inner, document).filter(|_| grammar.documents) {
        return Some(Marker { places, names: Vec::new(), machine: true });
    }
    // A name is a marker only when a source has it.
    let named = grammar.names && inner.len() > 1;
    named.then(|| Marker { places: Vec::new(), names: vec![inner.to_owned()], machine: false })
}

pub(super) fn lenticular(inner: &str, grammar: &MarkerGrammar) -> Option<Marker> {
    if !grammar.lenticular {
        return None;
    }
    let inner = inner.trim();
    let places = list(inner, |item| counted(item).or_else(|| document(item)));
    if let Some(places) = places.filter(|_| grammar.lenticular_places) {
        return Some(Marker { places, names: Vec::new(), machine: true });
    }
    let (place, name) = inner.split_once('†')?;
    let (places, names) = match place.split_once(':') {
        Some((message, place)) => {
            number(message.trim()).and(number(place.trim()))?;
            (Vec::new(), vec![name.trim().to_owned()])
        }
        None => (vec![number(place.trim())?].into_iter().filter(|_| grammar.lenticular_places).collect(), Vec::new()),
    };
    Some(Marker { places, names, machine: true })
}

pub(super) fn machine_names(inner: &str) -> Vec<String> {
    inner.split('\u{e202}').skip(1).map(|name| name.trim().to_owned()).collect()
}

fn list(inner: &str, read: impl Fn(&str) -> Option<usize>) -> Option<Vec<usize>> {
    let mut places = Vec::new();
    for item in inner.split(',').map(str::trim) {
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
