//! The secrets that a section of the configuration can name.

use std::collections::BTreeMap;
use std::fmt;

use crate::host_names::HostNames;
use crate::secret::{Secret, SecretError, in_environment};

/// A secret of `[secrets]`.
#[derive(Clone, PartialEq, Eq)]
pub struct NamedSecret {
    /// The secret itself.
    pub text: String,
    /// The hosts to which it may go. Without them, a section that came over HTTP can send it nowhere.
    pub hosts: Option<HostNames>,
}

impl NamedSecret {
    /// A secret that may go to these hosts.
    #[must_use]
    pub fn new(text: impl Into<String>, hosts: Option<HostNames>) -> Self {
        Self { text: text.into(), hosts }
    }
}

/// A key that was entered for the back end of one assistant, and is named nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct EnteredKey {
    /// The key.
    pub secret: Secret,
    /// The origin of the addresses to which it may go: `https://api.openai.com`.
    pub origin: String,
}

impl EnteredKey {
    /// A key that may go to addresses of this origin.
    #[must_use]
    pub fn new(secret: Secret, origin: impl Into<String>) -> Self {
        Self { secret, origin: origin.into() }
    }
}

/// The secrets that a section can name: those of `[secrets]`, and for sections of the configuration file also the variables of
/// the environment. A section that came over HTTP must not read the environment, so it gets [`named_only`](Self::named_only).
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SecretSource {
    named: BTreeMap<String, NamedSecret>,
    environment: Option<BTreeMap<String, String>>,
    entered: Option<EnteredKey>,
}

impl SecretSource {
    /// The variables of the environment.
    #[must_use]
    pub fn of_environment(environment: BTreeMap<String, String>) -> Self {
        Self { named: BTreeMap::new(), environment: Some(environment), entered: None }
    }

    /// Adds the secrets of `[secrets]`, which come before variables of the same name.
    #[must_use]
    pub fn with_named(self, named: BTreeMap<String, NamedSecret>) -> Self {
        Self { named, ..self }
    }

    /// The secrets of `[secrets]` alone.
    #[must_use]
    pub fn named_only(&self) -> Self {
        Self { named: self.named.clone(), environment: None, entered: None }
    }

    /// Adds the key that was entered for the back end of the section.
    #[must_use]
    pub fn with_entered(self, entered: Option<EnteredKey>) -> Self {
        Self { entered, ..self }
    }

    /// The key that was entered for the back end of the section.
    #[must_use]
    pub fn entered(&self) -> Option<&EnteredKey> {
        self.entered.as_ref()
    }

    /// The secret of this name: its text in `[secrets]`, else the variable of this name or the file that `NAME_FILE` names.
    ///
    /// # Errors
    /// When the variable and `NAME_FILE` are both set, or the file cannot be read.
    pub fn find(&self, name: &str) -> Result<Option<String>, SecretError> {
        match (self.named.get(name), &self.environment) {
            (Some(secret), _) => Ok(Some(secret.text.clone())),
            (None, Some(environment)) => in_environment(environment, name),
            (None, None) => Ok(None),
        }
    }

    /// The value of a variable of the environment, without blanks around it, unless it is empty.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        let text = self.environment.as_ref()?.get(name)?.trim();
        Some(text).filter(|text| !text.is_empty())
    }

    /// The place that a name refers to, for messages: `NAME in the environment`, or `the secret NAME`.
    #[must_use]
    pub fn describe(&self, name: &str) -> String {
        match (&self.environment, self.named.contains_key(name)) {
            (Some(_), false) => format!("{name} in the environment"),
            (Some(_) | None, _) => format!("the secret {name}"),
        }
    }

    /// Judges whether the secret of this name may go to a host.
    ///
    /// # Errors
    /// When it may not, or there is no host: with the reason. It repeats the host, and not the name.
    pub fn may_go_to(&self, name: &str, host: Option<&str>) -> Result<(), String> {
        let entry = self.named.get(name);
        let host = host.unwrap_or_default();
        match (entry.and_then(|secret| secret.hosts.as_ref()), &self.environment) {
            (Some(hosts), _) if hosts.has(host) => Ok(()),
            (Some(_), _) => Err(format!(
                "this secret may not go to the host {host:?}; the configuration file of the server says in hosts of [secrets] \
                 where it may go"
            )),
            // The section is the operator's own, so a variable of any name is meant.
            (None, Some(_)) => Ok(()),
            (None, None) => Err(format!(
                "the configuration file of the server does not say to which hosts this secret may go; add \
                 hosts = [{host:?}] to its entry in [secrets]"
            )),
        }
    }

    /// The reason why a name is refused that [`find`](Self::find) does not know.
    #[must_use]
    pub fn missing(&self, name: &str) -> String {
        match &self.environment {
            Some(_) => format!("the environment variable {name} is not set"),
            None => {
                format!("the configuration file of the server has no secret {name}; its section [secrets] lists them")
            }
        }
    }
}

impl fmt::Debug for SecretSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretSource(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(entries: &[(&str, &str)]) -> BTreeMap<String, String> {
        entries.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn a_secret_goes_to_its_hosts_alone() {
        let hosts = |text: &str| Some(text.parse::<HostNames>().expect("hosts"));
        let named = [("openai", hosts("api.openai.com, *.azure.example")), ("plain", None)];
        let named = named.map(|(name, hosts)| (name.to_owned(), NamedSecret::new("sk-1", hosts)));
        let of_file = SecretSource::of_environment(map(&[("KEY", "x")])).with_named(named.into());
        let of_api = of_file.named_only();
        let may = |source: &SecretSource, name: &str, host: &str| source.may_go_to(name, Some(host)).is_ok();
        for source in [&of_file, &of_api] {
            assert!(may(source, "openai", "api.openai.com") && may(source, "openai", "eu.azure.example"));
            for other in
                ["openai.com", "api.openai.com.", "api.openai.com.evil.example", "xapi.openai.com", "azure.example", ""]
            {
                assert!(!may(source, "openai", other), "{other}");
            }
            assert!(source.may_go_to("openai", None).is_err());
        }
        assert!(may(&of_file, "plain", "a.example") && may(&of_file, "KEY", "a.example"));
        assert!(!may(&of_api, "plain", "a.example") && !may(&of_api, "KEY", "a.example"));
    }

    #[test]
    fn a_section_from_elsewhere_cannot_read_the_environment() {
        let all = SecretSource::of_environment(map(&[("KEY", "of the environment"), ("OTHER", "x")]))
            .with_named([("KEY".to_owned(), NamedSecret::new("named", None))].into());
        let find = |source: &SecretSource, name: &str| source.find(name).expect("no file");
        assert_eq!(find(&all, "KEY").as_deref(), Some("named"));
        assert_eq!((find(&all, "OTHER").as_deref(), all.variable("OTHER")), (Some("x"), Some("x")));
        let named = all.named_only();
        assert_eq!(find(&named, "KEY").as_deref(), Some("named"));
        assert_eq!((find(&named, "OTHER"), named.variable("OTHER")), (None, None));
        assert!(named.missing("OTHER").contains("[secrets]") && !format!("{all:?}").contains("named"));
    }
}
