//! The section `[secrets]`: names for secrets that stand in the environment or in files of their own.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use toml::{Table, Value};
use utoipa::ToSchema;

use super::error::{ConfigFault, FaultOrigin};
use crate::host_names::HostNames;
use crate::secret::{in_environment, in_file};
use crate::secret_source::NamedSecret;

/// The key of the section in the file.
pub(super) const KEY: &str = "secrets";

/// The place of a secret.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "{ env = \"VARIABLE\" } or { file = \"PATH\" }, and hosts = [\"HOST\"]")]
#[schema(as = NamedSecret)]
pub(super) struct SecretEntry {
    /// The environment variable with the secret.
    env: Option<String>,
    /// The file with the secret.
    #[schema(value_type = Option<String>)]
    file: Option<PathBuf>,
    /// The hosts to which the secret may go, as names or `*.contoso.example`. Assistants over HTTP can send it nowhere else;
    /// without hosts they cannot send it at all.
    hosts: Option<Vec<String>>,
}

/// Takes the section out of the file's table, and reads the secrets.
pub(super) fn take(
    table: &mut Table,
    environment: &BTreeMap<String, String>,
    faults: &mut Vec<ConfigFault>,
) -> BTreeMap<String, NamedSecret> {
    let mut wrong = |name: &str, reason: String| {
        let key = if name.is_empty() { KEY.to_owned() } else { format!("{KEY}.{name}") };
        faults.push(ConfigFault::new(FaultOrigin::File(key), reason));
    };
    let entries = match table.remove(KEY) {
        None => return BTreeMap::new(),
        Some(Value::Table(entries)) => entries,
        Some(other) => {
            wrong("", format!("a section is required, not a value of type {}", other.type_str()));
            return BTreeMap::new();
        }
    };
    let mut named = BTreeMap::new();
    for (name, entry) in entries {
        match read(entry, environment) {
            Ok(secret) => {
                named.insert(name, secret);
            }
            Err(reason) => wrong(&name, reason),
        }
    }
    named
}

fn read(entry: Value, environment: &BTreeMap<String, String>) -> Result<NamedSecret, String> {
    // A text here could be the secret itself, so it is not repeated.
    let wanted = || {
        "write { env = \"VARIABLE\" } or { file = \"PATH\" }, and hosts = [\"HOST\"] for assistants over HTTP; the secret itself \
         does not belong here"
            .to_owned()
    };
    let entry: SecretEntry = entry.try_into().map_err(|_| wanted())?;
    let hosts = entry.hosts.as_deref().map(read_hosts).transpose()?;
    let text = match entry {
        SecretEntry { env: Some(variable), file: None, .. } => {
            let text = in_environment(environment, &variable).map_err(|error| error.to_string())?;
            text.ok_or_else(|| format!("the environment variable {variable} is not set"))?
        }
        SecretEntry { env: None, file: Some(file), .. } => in_file(&file).map_err(|error| error.to_string())?,
        SecretEntry { .. } => return Err(wanted()),
    };
    let text = text.trim();
    if text.is_empty() { Err("the secret is empty".to_owned()) } else { Ok(NamedSecret::new(text, hosts)) }
}

fn read_hosts(hosts: &[String]) -> Result<HostNames, String> {
    let read: HostNames = hosts.join(",").parse().map_err(|error| format!("hosts: {error}"))?;
    if read.is_empty() { Err("hosts: name the hosts to which the secret may go".to_owned()) } else { Ok(read) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ConfigError;

    fn read_all(toml: &str) -> (BTreeMap<String, NamedSecret>, String) {
        let mut table: Table = toml.parse().expect("TOML");
        let environment = BTreeMap::from([("KEY".to_owned(), " sk-1234\n".to_owned())]);
        let mut faults = Vec::new();
        let named = take(&mut table, &environment, &mut faults);
        assert!(table.is_empty());
        (named, ConfigError(faults).to_string())
    }

    #[test]
    fn a_secret_has_a_name_and_stands_elsewhere() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        std::fs::write(&path, "from-the-file\n").expect("written");
        let (named, _) = read_all(&format!(
            "[secrets]\nopenai = {{ env = 'KEY', hosts = ['api.openai.com'] }}\nsearch = {{ file = '{}' }}",
            path.display()
        ));
        assert_eq!((named["openai"].text.as_str(), named["search"].text.as_str()), ("sk-1234", "from-the-file"));
        assert!(named["openai"].hosts.as_ref().is_some_and(|hosts| hosts.has("api.openai.com")));
        assert!(named["search"].hosts.is_none());
    }

    #[test]
    fn an_error_names_the_secret_and_never_repeats_it() {
        for (toml, expected) in [
            ("secrets = 'sk-9'", "secrets in the configuration file: a section is required"),
            ("[secrets]\na = 'sk-9'", "secrets.a in the configuration file: write { env"),
            ("[secrets]\na = { env = 'NOWHERE' }", "the environment variable NOWHERE is not set"),
            ("[secrets]\na = { env = 'KEY', file = '/x' }", "write { env"),
            ("[secrets]\na = {}", "write { env"),
            ("[secrets]\na = { env = 'KEY', hosts = [] }", "hosts: name the hosts"),
            ("[secrets]\na = { env = 'KEY', hosts = ['https://a.example'] }", "`https://a.example` is not a host name"),
            ("[secrets]\na = { env = 'KEY', hosts = ['*'] }", "`*` is not a host name"),
            ("[secrets]\na = { env = 'KEY', host = 'a.example' }", "write { env"),
            ("[secrets]\na = { file = '/nowhere/x' }", "/nowhere/x"),
        ] {
            let (named, words) = read_all(toml);
            assert!(named.is_empty() && words.contains(expected) && !words.contains("sk-9"), "{words}");
        }
    }
}
