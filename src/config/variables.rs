//! Finds misspelled `CITEWIRE_…` variables in the environment.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::assistants;
use super::setting::environment_name;
use super::settings::settings;

const PREFIX: &str = "CITEWIRE_";

/// Variables that the command reads besides the settings: the name of the file.
const CONFIG: &str = "CITEWIRE_CONFIG";

/// A line for the operator about variables that nothing reads, because a name with a typing error changes nothing and is hard to see. It
/// is no reason not to start: a platform may set variables of its own.
pub(super) fn unknown_variables(environment: &BTreeMap<String, String>, named: &BTreeSet<String>) -> Option<String> {
    let known = known();
    let is_named =
        |name: &str| named.contains(name) || name.strip_suffix("_FILE").is_some_and(|name| named.contains(name));
    let unknown = environment.iter().filter(|(name, value)| {
        name.starts_with(PREFIX) && !known.contains(*name) && !is_named(name) && !is_of_kubernetes(name, value)
    });
    let told: Vec<String> = unknown.map(|(name, _)| told(name, &known)).collect();
    let ending = if told.len() == 1 {
        "is not a setting; citewire ignores it"
    } else {
        "are not settings; citewire ignores them"
    };
    (!told.is_empty()).then(|| format!("warning: {} in the environment {ending}", told.join(", ")))
}

/// The texts of a table, however deep: sections name the variables of their secrets under keys of their own (`secret_env`, `key_env`,
/// `headers_env`).
pub(super) fn named_in(table: &Table) -> BTreeSet<String> {
    fn collect(value: &Value, into: &mut BTreeSet<String>) {
        match value {
            Value::String(text) if text.starts_with(PREFIX) => {
                into.insert(text.clone());
            }
            Value::Array(list) => list.iter().for_each(|value| collect(value, into)),
            Value::Table(table) => table.values().for_each(|value| collect(value, into)),
            Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {}
        }
    }
    let mut texts = BTreeSet::new();
    table.values().for_each(|value| collect(value, &mut texts));
    texts
}

fn known() -> BTreeSet<String> {
    let names = settings().flat_map(|setting| {
        let name = environment_name(setting.key);
        let file = setting.is_secret().then(|| format!("{name}_FILE"));
        [Some(name), file]
    });
    names.flatten().chain([CONFIG, assistants::VARIABLE].map(str::to_owned)).collect()
}

/// The name, with the one that was perhaps meant.
fn told(name: &str, known: &BTreeSet<String>) -> String {
    // These are names that users of Docker expect, and the name of another setting is not near.
    if name == "CITEWIRE_PORT" || name == "CITEWIRE_HOST" {
        return format!("{name} (CITEWIRE_BIND is the address with the port)");
    }
    let given = &name[PREFIX.len()..];
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(&known[PREFIX.len()..], given);
    let nearest = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match nearest.filter(|nearest| likeness(nearest) >= LIKE) {
        Some(meant) => format!("{name} (do you mean {meant}?)"),
        None => name.to_owned(),
    }
}

/// Two letters of three are the same at least in a name and the one that was meant: `ASISTANT`, `BNID`.
const LIKE: f64 = 0.66;

/// Kubernetes tells every container of the Services of its namespace: for one called `citewire`, and each whose name begins with
/// `citewire-`, it sets `…_SERVICE_HOST`, `…_SERVICE_PORT`, `…_SERVICE_PORT_NAME`, `…_PORT` with a URL, and `…_PORT_80_TCP` with
/// `_PROTO`, `_PORT` and `_ADDR` (kubernetes.io, *Accessing the Service*).
fn is_of_kubernetes(name: &str, value: &str) -> bool {
    let is_port = |part: &str| {
        let mut words = part.split('_');
        words.next().is_some_and(|number| number.parse::<u16>().is_ok())
            && words.next().is_some_and(|protocol| ["TCP", "UDP", "SCTP"].contains(&protocol))
    };
    name.ends_with("_SERVICE_HOST")
        || name.ends_with("_SERVICE_PORT")
        || name.contains("_SERVICE_PORT_")
        || (name.ends_with("_PORT") && value.contains("://"))
        || name.match_indices("_PORT_").any(|(at, found)| is_port(&name[at + found.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(set: &[(&str, &str)], toml: &str) -> Option<String> {
        let environment = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        unknown_variables(&environment, &named_in(&toml.parse().expect("TOML")))
    }

    /// A misspelt variable was left aside without a word, so that a server ran with other settings than its operator believed.
    #[test]
    fn a_variable_that_nothing_reads_is_named_with_the_one_that_was_meant() {
        let one = said(&[("CITEWIRE_ASISTANT", "hr"), ("HOME", "/root")], "");
        assert_eq!(
            one.as_deref(),
            Some(
                "warning: CITEWIRE_ASISTANT (do you mean CITEWIRE_ASSISTANT?) in the environment is not a setting; citewire ignores it"
            )
        );
        let two = said(&[("CITEWIRE_PORT", "8080"), ("CITEWIRE_SOMETHING_ELSE", "1")], "");
        assert_eq!(
            two.as_deref(),
            Some(
                "warning: CITEWIRE_PORT (CITEWIRE_BIND is the address with the port), CITEWIRE_SOMETHING_ELSE in the environment are \
                 not settings; citewire ignores them"
            )
        );
    }

    #[test]
    fn settings_their_files_and_variables_of_sections_are_known() {
        let set = [
            ("CITEWIRE_BIND", ""),
            ("CITEWIRE_CONFIG", "x"),
            ("CITEWIRE_ASSISTANTS", "{}"),
            ("CITEWIRE_API_KEY_FILE", "/run/secrets/key"),
            ("CITEWIRE_HR_SECRET", "x"),
            ("CITEWIRE_HR_KEY_FILE", "/run/secrets/hr"),
        ];
        let toml = "[assistants.hr]\nsecret_env = 'CITEWIRE_HR_SECRET'\nupstream = { headers_env = { x = 'CITEWIRE_HR_KEY' } }";
        assert_eq!(said(&set, toml), None);
        assert!(said(&set, "").is_some_and(|line| line.contains("CITEWIRE_HR_SECRET")));
    }

    /// These are what `kubectl exec POD -- env` shows where a Service is called citewire, and another citewire-web.
    #[test]
    fn names_that_kubernetes_sets_for_a_service_called_citewire_are_left_aside() {
        let set = [
            ("CITEWIRE_SERVICE_HOST", "10.96.7.1"),
            ("CITEWIRE_SERVICE_PORT", "80"),
            ("CITEWIRE_SERVICE_PORT_HTTP", "80"),
            ("CITEWIRE_PORT", "tcp://10.96.7.1:80"),
            ("CITEWIRE_PORT_80_TCP", "tcp://10.96.7.1:80"),
            ("CITEWIRE_PORT_80_TCP_PROTO", "tcp"),
            ("CITEWIRE_PORT_80_TCP_PORT", "80"),
            ("CITEWIRE_PORT_80_TCP_ADDR", "10.96.7.1"),
            ("CITEWIRE_WEB_SERVICE_HOST", "10.96.7.2"),
            ("CITEWIRE_WEB_PORT_443_UDP_ADDR", "10.96.7.2"),
        ];
        assert_eq!(said(&set, ""), None);
    }
}
