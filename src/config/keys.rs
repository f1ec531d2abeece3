//! API keys: the sections `[keys.NAME]` in the file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Table, Value};
use utoipa::ToSchema;

use super::error::{ConfigFault, FaultOrigin};
use crate::http::{ApiKey, Scope};
use crate::secret::{Secret, in_file};
use crate::secret_source::SecretSource;

/// The key of the sections in the file.
pub(super) const KEY: &str = "keys";

/// An API key.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
#[schema(as = Key)]
pub(super) struct KeySection {
    /// The environment variable with the key.
    secret_env: Option<String>,
    /// The file with the key, instead of a variable.
    #[schema(value_type = Option<String>)]
    secret_file: Option<PathBuf>,
    /// The environment variable with a second key that is also valid, while you replace the first.
    second_secret_env: Option<String>,
    /// The file with the second key, instead of a variable.
    #[schema(value_type = Option<String>)]
    second_secret_file: Option<PathBuf>,
    /// The parts of the API that the key may call: `convert`, `answer`, `conversations`, `metrics`, `admin`.
    scopes: Vec<String>,
}

/// Takes the keys out of the file's table. Their secrets stand in the environment or in files of their own.
pub(super) fn take(table: &mut Table, source: &SecretSource, faults: &mut Vec<ConfigFault>) -> Vec<ApiKey> {
    let sections = match table.remove(KEY) {
        None => return Vec::new(),
        Some(Value::Table(sections)) => sections,
        Some(other) => {
            let reason = format!("sections are required ([keys.NAME]), not a value of type {}", other.type_str());
            faults.push(ConfigFault::new(FaultOrigin::File(KEY.to_owned()), reason));
            return Vec::new();
        }
    };
    let mut keys = Vec::new();
    for (name, section) in sections {
        let mut wrong = |key: &str, reason: String| {
            let path = [KEY, &name, key];
            let path: Vec<&str> = path.into_iter().filter(|part| !part.is_empty()).collect();
            faults.push(ConfigFault::new(FaultOrigin::File(path.join(".")), reason));
        };
        if name == ApiKey::SINGLE {
            wrong("", "`api_key` is the name of the key for the whole API; choose another name".to_owned());
        }
        keys.extend(read(&name, section, source, &mut wrong));
    }
    keys
}

/// Reads a section and reports all its errors.
fn read(name: &str, section: Value, source: &SecretSource, wrong: &mut impl FnMut(&str, String)) -> Option<ApiKey> {
    let section: KeySection = match serde_path_to_error::deserialize(section) {
        Ok(section) => section,
        Err(error) => {
            let path = error.path().to_string();
            let reason = error.inner().message().trim_end().replace('\n', " ");
            wrong(if path == "." { "" } else { &path }, reason);
            return None;
        }
    };
    let KeySection { secret_env, secret_file, second_secret_env, second_secret_file, scopes } = section;
    let mut secrets = Vec::new();
    for (at, variable, file) in
        [("secret", secret_env, secret_file), ("second_secret", second_secret_env, second_secret_file)]
    {
        match given_secret(source, variable.as_deref(), file.as_deref()) {
            Ok(secret) => secrets.extend(secret),
            Err(reason) => wrong(&format!("{at}_{}", if file.is_some() { "file" } else { "env" }), reason),
        }
    }
    let scopes: BTreeSet<Scope> = scopes
        .iter()
        .filter_map(|scope| scope.parse().map_err(|error| wrong("scopes", format!("`{scope}`: {error}"))).ok())
        .collect();
    if scopes.is_empty() {
        wrong("scopes", format!("a key needs at least one scope; {}", crate::http::InvalidScope));
    }
    if secrets.is_empty() {
        wrong("", "secret_env or secret_file is missing".to_owned());
    }
    Some(ApiKey { name: name.to_owned(), secrets, scopes })
}

/// The secret that a section names: a variable of the environment, or a file.
pub(super) fn given_secret(
    source: &SecretSource,
    variable: Option<&str>,
    file: Option<&Path>,
) -> Result<Option<Secret>, String> {
    let (text, place) = match (variable, file) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => return Err("a variable and a file are both named; leave one of them out".to_owned()),
        (Some(variable), None) => {
            let text = source.find(variable).map_err(|error| error.to_string())?;
            (text.ok_or_else(|| source.missing(variable))?, source.describe(variable))
        }
        (None, Some(file)) => (in_file(file).map_err(|error| error.to_string())?, file.display().to_string()),
    };
    Secret::parse(&text).map(Some).map_err(|error| format!("{place}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(toml: &str) -> (Vec<ApiKey>, Vec<String>) {
        let environment = [("A", "sixteen-or-more-characters"), ("B", "another-sixteen-characters"), ("S", "short")];
        let environment = environment.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
        let environment = SecretSource::of_environment(environment);
        let mut faults = Vec::new();
        let mut table: Table = toml.parse().expect("TOML");
        let keys = take(&mut table, &environment, &mut faults);
        (keys, faults.iter().map(|fault| format!("{}: {}", fault.origin, fault.reason)).collect())
    }

    #[test]
    fn a_key_has_a_name_secrets_and_scopes() {
        let (keys, faults) =
            keys("[keys.open-webui]\nsecret_env = 'A'\nsecond_secret_env = 'B'\nscopes = ['answer', 'convert']");
        assert_eq!(faults, Vec::<String>::new());
        assert_eq!(keys[0].name, "open-webui");
        assert!(keys[0].matches("sixteen-or-more-characters") && keys[0].matches("another-sixteen-characters"));
        assert!(keys[0].opens(Scope::Answer) && !keys[0].opens(Scope::Conversations));
    }

    #[test]
    fn everything_that_is_wrong_with_a_key_is_told_with_its_place() {
        for (toml, expected) in [
            ("keys = 'x'", "keys in the configuration file: sections are required"),
            ("[keys.a]\nscopes = ['answer']", "keys.a in the configuration file: secret_env or secret_file is missing"),
            (
                "[keys.a]\nsecret_env = 'A'\nscopes = []",
                "keys.a.scopes in the configuration file: a key needs at least one scope",
            ),
            (
                "[keys.a]\nsecret_env = 'A'\nscopes = ['all']",
                "`all`: scopes are convert, answer, conversations, metrics, admin",
            ),
            (
                "[keys.a]\nsecret_env = 'N'\nscopes = ['answer']",
                "keys.a.secret_env in the configuration file: the environment variable N is not set",
            ),
            ("[keys.a]\nsecret_env = 'S'\nscopes = ['answer']", "S in the environment: a secret has at least 16"),
            (
                "[keys.a]\nsecret_file = '/nowhere'\nscopes = ['answer']",
                "keys.a.secret_file in the configuration file: /nowhere: ",
            ),
            ("[keys.a]\nsecret = 'x'\nscopes = ['answer']", "unknown field `secret`"),
            (
                "[keys.api_key]\nsecret_env = 'A'\nscopes = ['answer']",
                "keys.api_key in the configuration file: `api_key` is the name",
            ),
        ] {
            let (_, faults) = keys(toml);
            assert!(faults.iter().any(|fault| fault.contains(expected)), "{toml}: {faults:?}");
        }
    }
}
