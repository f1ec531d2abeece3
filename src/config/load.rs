//! Loads settings from flags, the environment and the file.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::{Table, Value};

use super::error::{ConfigFault, FaultOrigin};
use super::raw_config::RawConfig;
use super::setting::{Setting, ValueKind, environment_name};
use super::settings::{defaults, settings};
use super::{assistants, formats, keys, labels, secrets, variables};
use crate::secret::{in_environment, in_file};
use crate::secret_source::SecretSource;

/// The sources of settings.
#[derive(Clone, Debug, Default)]
pub struct ConfigSources {
    /// The file, when one is named.
    pub file: Option<PathBuf>,
    /// The environment. An empty value counts as absent.
    pub environment: BTreeMap<String, String>,
    /// Settings of the command line: keys and values.
    pub flags: Vec<(&'static str, String)>,
}

impl ConfigSources {
    /// The environment of this process, and a file when one is named.
    #[must_use]
    pub fn of_this_process(file: Option<PathBuf>) -> Self {
        let text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        Self { file, environment: std::env::vars_os().filter_map(text).collect(), flags: Vec::new() }
    }
}

/// Reads all sources; what comes later in them wins.
pub(super) fn load(sources: &ConfigSources) -> (RawConfig, Vec<ConfigFault>) {
    let mut raw = defaults();
    let mut faults = Vec::new();
    let (mut table, fault) = read_file(sources);
    faults.extend(fault);
    let given = assistants::given(&sources.environment, &mut faults);
    raw.named_variables = [&table, &given].into_iter().flat_map(variables::named_in).collect();
    raw.labels = Arc::new(labels::take(&mut table, &mut faults));
    raw.formats = formats::take(&mut table, &mut faults);
    let named = secrets::take(&mut table, &sources.environment, &mut faults);
    raw.secrets = SecretSource::of_environment(sources.environment.clone()).with_named(named);
    raw.assistants = assistants::take(&mut table, given, &raw.secrets, &mut faults);
    raw.keys = keys::take(&mut table, &raw.secrets, &mut faults);
    let mut given = BTreeMap::new();
    flatten("", &table, &mut given);
    raw.file_holds_secrets = settings().any(|setting| setting.is_secret() && given.contains_key(setting.key));
    for key in given.keys().filter(|key| !is_known(key)) {
        faults.push(ConfigFault::new(FaultOrigin::File(key.clone()), "there is no such setting"));
    }
    for setting in settings() {
        for (origin, text) in values(setting, &given, sources) {
            let applied = text.and_then(|text| (setting.apply)(&mut raw, &text));
            faults.extend(applied.err().map(|reason| ConfigFault::new(origin, reason)));
        }
    }
    (raw, faults)
}

/// Whether the file may have this key: that of a setting, or of the file in which a secret stands.
fn is_known(key: &str) -> bool {
    settings().any(|setting| {
        let file = key.strip_suffix(FILE).filter(|_| setting.is_secret());
        setting.key == key || file == Some(setting.key)
    })
}

/// The ending of a key that names the file of a secret.
const FILE: &str = "_file";

/// The values of a setting, in the order in which they count: the last wins. A place without a usable value gives a
/// reason.
fn values(
    setting: &Setting,
    given: &BTreeMap<String, Value>,
    sources: &ConfigSources,
) -> Vec<(FaultOrigin, Result<String, String>)> {
    let mut values = Vec::new();
    let is_list = setting.kind == ValueKind::List;
    let in_table = |key: &str| {
        let value = given.get(key)?;
        let wanted = if is_list { "a list of texts" } else { "a single value" };
        let wrong = || format!("{wanted} is required, not a value of type {}", value.type_str());
        let list = value.as_array().filter(|_| is_list).and_then(|list| texts(list));
        Some((FaultOrigin::File(key.to_owned()), list.or_else(|| scalar(value)).ok_or_else(wrong)))
    };
    values.extend(in_table(setting.key));
    if setting.is_secret() {
        let of_file = in_table(&format!("{}{FILE}", setting.key)).map(|(origin, path)| {
            let text = path.and_then(|path| in_file(Path::new(&path)).map_err(|error| error.to_string()));
            let is_alone = values.is_empty();
            (
                origin,
                text.and_then(|text| {
                    if is_alone {
                        Ok(text)
                    } else {
                        Err(format!("{} is set as well; leave one of them out", setting.key))
                    }
                }),
            )
        });
        values.extend(of_file);
    }
    let name = environment_name(setting.key);
    let in_environment = if setting.is_secret() {
        in_environment(&sources.environment, &name).map_err(|error| error.to_string()).transpose()
    } else {
        sources.environment.get(&name).filter(|text| !text.is_empty()).cloned().map(Ok)
    };
    values.extend(in_environment.map(|text| (FaultOrigin::Environment(name), text)));
    let flags = sources.flags.iter().filter(|(key, _)| *key == setting.key);
    values.extend(flags.map(|(key, text)| (FaultOrigin::Flag((*key).to_owned()), Ok(text.clone()))));
    values
}

fn read_file(sources: &ConfigSources) -> (Table, Option<ConfigFault>) {
    let Some(path) = &sources.file else {
        return (Table::new(), None);
    };
    let fault = |reason| Some(ConfigFault::new(FaultOrigin::Together, format!("{}: {reason}", path.display())));
    match std::fs::read_to_string(path) {
        Ok(text) => match text.trim_start_matches('\u{feff}').parse::<Table>() {
            Ok(table) => (table, None),
            // The parser's own text quotes the line, which may hold a secret.
            Err(error) => {
                let offset = error.span().map_or(0, |span| span.start);
                let line = text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1;
                (Table::new(), fault(format!("line {line}: {}", error.message())))
            }
        },
        Err(error) => (Table::new(), fault(error.to_string())),
    }
}

fn flatten(prefix: &str, table: &Table, into: &mut BTreeMap<String, Value>) {
    for (name, value) in table {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            Value::Table(table) => flatten(&key, table, into),
            Value::String(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_)
            | Value::Array(_) => {
                into.insert(key, value.clone());
            }
        }
    }
}

/// The texts of a list as they are written elsewhere. None of them has a comma: the settings that are lists refuse it.
fn texts(list: &[Value]) -> Option<String> {
    let texts: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
    texts.map(|texts| texts.join(","))
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Boolean(truth) => Some(truth.to_string()),
        Value::Float(_) | Value::Datetime(_) | Value::Array(_) | Value::Table(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ConfigError;

    fn sources(
        file: &str,
        environment: &[(&str, &str)],
        flags: &[(&'static str, &str)],
    ) -> (tempfile::TempDir, ConfigSources) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("citewire.toml");
        std::fs::write(&path, file).expect("written");
        let environment = environment.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let flags = flags.iter().map(|(key, text)| (*key, (*text).to_owned())).collect();
        (folder, ConfigSources { file: Some(path), environment, flags })
    }

    #[test]
    fn the_flag_comes_before_the_environment_before_the_file_before_the_default() {
        let ports = |file: &str, environment: &[(&str, &str)], flags: &[(&'static str, &str)]| {
            let (_folder, sources) = sources(file, environment, flags);
            let (raw, faults) = load(&sources);
            assert_eq!(faults, []);
            raw.bind.port()
        };
        let file = "bind = '127.0.0.1:1'";
        let environment = [("CITEWIRE_BIND", "127.0.0.1:2")];
        let flag = [("bind", "127.0.0.1:3")];
        assert_eq!(ports(file, &environment, &flag), 3);
        assert_eq!(ports(file, &environment, &[]), 2);
        assert_eq!(ports(file, &[("CITEWIRE_BIND", "")], &[]), 1);
        assert_eq!(ports("", &[], &[]), 3978);
    }

    /// Secrets could stand in the environment or in the file only, of which one is shown by `/proc` and the other is often shared.
    #[test]
    fn every_secret_may_stand_in_a_file_of_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("secret");
        for setting in settings().filter(|setting| setting.is_secret()) {
            let text = if setting.key == "bus.url" { "redis://:secret@bus" } else { "sixteen-or-more-characters" };
            std::fs::write(&path, format!("{text}\n")).expect("written");
            let path = path.to_str().expect("a path");
            let key = format!("{}_file", setting.key);
            let named = environment_name(&key);
            for (file, environment) in
                [(format!("{key} = '{path}'"), None), (String::new(), Some((named.as_str(), path)))]
            {
                let (_folder, sources) = sources(&file, environment.as_slice(), &[]);
                let (raw, faults) = load(&sources);
                assert_eq!(faults, [], "{}", setting.key);
                assert_ne!(format!("{raw:?}"), format!("{:?}", RawConfig { labels: raw.labels.clone(), ..defaults() }));
            }
            let (_folder, sources) = sources(&format!("{key} = '/nowhere/secret'"), &[], &[]);
            let (_, faults) = load(&sources);
            assert_eq!(faults.len(), 1, "{}", setting.key);
            assert!(faults[0].reason.starts_with("/nowhere/secret: "), "{}", faults[0].reason);
        }
        let both = format!("api_key = 'sixteen-or-more-characters'\napi_key_file = '{}'", path.display());
        let (_folder, sources) = sources(&both, &[], &[]);
        let (_, faults) = load(&sources);
        assert_eq!(faults[0].reason, "api_key is set as well; leave one of them out");
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once() {
        let file = "bnid = 'x'\nworkers = [1]\n[direct_line]\ntoken_seconds = 5\nsecert = 'a'";
        let (_folder, sources) = sources(file, &[("CITEWIRE_PAGE", "maybe")], &[("bind", "nowhere")]);
        let (_, faults) = load(&sources);
        let mut origins: Vec<_> = faults.iter().map(|fault| fault.origin.to_string()).collect();
        origins.sort();
        assert_eq!(
            origins,
            [
                "--bind",
                "CITEWIRE_PAGE in the environment",
                "bnid in the configuration file",
                "direct_line.secert in the configuration file",
                "direct_line.token_seconds in the configuration file",
                "workers in the configuration file",
            ]
        );
    }

    #[test]
    fn a_value_that_may_be_a_secret_is_not_repeated() {
        for file in ["api_key = 'hunter2'", "api_key = 'hunter2", "[store]\nurl = 'postgres://a:hunter2@b:x/c'"] {
            let (_folder, sources) = sources(file, &[], &[]);
            let (_, faults) = load(&sources);
            let text = ConfigError(faults).to_string();
            assert!(!text.is_empty() && !text.contains("hunter2"), "{text}");
        }
    }

    /// A container had to mount a file to have an assistant.
    #[test]
    fn assistants_may_stand_in_the_environment_and_go_before_those_of_the_file() {
        let file = "[assistants.hr]\ngreeting = 'from the file'\ndocuments = { folder = '/a' }\n[assistants.it.documents]\nfolder = '/b'";
        let json = r#"{"hr": {"greeting": "from the environment", "documents": {"folder": "/srv/hr"}}, "new": {"documents": {"folder": "/c"}}}"#;
        let (_folder, sources) = sources(file, &[("CITEWIRE_ASSISTANTS", json)], &[]);
        let (raw, faults) = load(&sources);
        assert_eq!(faults, []);
        let mut plans: Vec<_> =
            raw.assistants.iter().map(|plan| (plan.name.as_str(), plan.options.greeting.as_str())).collect();
        plans.sort_unstable();
        assert_eq!((plans[0], plans.len()), (("hr", "from the environment"), 3));
    }

    #[test]
    fn what_is_wrong_with_assistants_of_the_environment_is_told_with_its_place() {
        for (json, expected) in [
            ("[]", "CITEWIRE_ASSISTANTS in the environment: an object is required"),
            ("{", "CITEWIRE_ASSISTANTS in the environment: this cannot be read as JSON"),
            (r#"{"hr": {"greeting": null}}"#, "without null: invalid type: null"),
            (r#"{"hr": {}}"#, "CITEWIRE_ASSISTANTS in the environment: hr.documents: documents are required"),
            (r#"{"hr": {"documents": {"folder": "/a"}, "greting": "x"}}"#, "hr.greting: unknown field `greting`"),
            (r#"{"hr": 5}"#, "hr: a section is required"),
        ] {
            let (_folder, sources) = sources("", &[("CITEWIRE_ASSISTANTS", json)], &[]);
            let (_, faults) = load(&sources);
            let text = ConfigError(faults).to_string();
            assert!(text.contains(expected), "{json}: {text}");
        }
    }
}
