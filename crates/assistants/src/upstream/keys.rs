//! API keys of back ends from the environment, and the request headers that carry them.

use std::collections::BTreeMap;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::UpstreamFault;
use crate::secret::Secret;
use crate::secret_source::SecretSource;

/// Headers that are citewire's own to set, or that would change what a call is.
const TAKEN: [&str; 9] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "host",
    "te",
    "transfer-encoding",
];

/// Headers that carry keys, which do not belong into a file.
const FOR_KEYS: [&str; 5] = ["authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie"];

/// The setting that names the key of a back end.
const KEY: &str = "key_env";

/// Reads the keys of one back end from the environment, and collects errors.
#[derive(Debug)]
pub(super) struct Keys<'a> {
    source: &'a SecretSource,
    /// All that were read.
    pub(super) secrets: Vec<Secret>,
    pub(super) headers: HeaderMap,
    /// The names of the secrets, and the keys that name them.
    named: Vec<(String, String)>,
    /// The origin to which the key may go that was entered for the back end, if it is used.
    entered_for: Option<&'a str>,
    pub(super) faults: Vec<UpstreamFault>,
}

impl<'a> Keys<'a> {
    pub(super) fn new(source: &'a SecretSource) -> Self {
        Self {
            source,
            secrets: Vec::new(),
            headers: HeaderMap::new(),
            named: Vec::new(),
            entered_for: None,
            faults: Vec::new(),
        }
    }

    /// The value of a variable, unless it is empty.
    pub(super) fn variable(&self, name: &str) -> Option<&'a str> {
        self.source.variable(name)
    }

    /// The key that the variable holds which `key` names, if it names one.
    pub(super) fn secret(&mut self, key: &str, variable: Option<&String>) -> Option<Secret> {
        let variable = variable?.clone();
        let key = key.to_owned();
        let text = match self.source.find(&variable) {
            Ok(text) => text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()),
            Err(error) => {
                self.faults.push(UpstreamFault::NoKeyFile { key, reason: error.to_string() });
                return None;
            }
        };
        let Some(text) = text else {
            let reason = self.source.missing(&name_alone(variable));
            self.faults.push(UpstreamFault::NoSecret { key, reason });
            return None;
        };
        match Secret::issued(&text) {
            Ok(secret) => {
                self.secrets.push(secret.clone());
                self.named.push((key, variable));
                Some(secret)
            }
            Err(_) => {
                let place = self.source.describe(&name_alone(variable));
                self.faults.push(UpstreamFault::UnusableKey { key, place });
                None
            }
        }
    }

    /// The key of the back end: the one that `key_env` names, else the one that was entered.
    fn of_back_end(&mut self, named: Option<&String>) -> Option<Secret> {
        let Some(entered) = self.source.entered().filter(|_| named.is_none()) else {
            return self.secret(KEY, named);
        };
        self.secrets.push(entered.secret.clone());
        self.entered_for = Some(&entered.origin);
        Some(entered.secret.clone())
    }

    /// A header with the key of the back end behind `scheme`.
    pub(super) fn header_of_back_end(&mut self, name: HeaderName, scheme: &str, named: Option<&String>) {
        let secret = self.of_back_end(named);
        self.put(name, scheme, secret);
    }

    /// Judges whether the secrets that `is_meant` keys name may go to the host of an address.
    pub(super) fn go_to(&mut self, url: &Url, is_meant: impl Fn(&str) -> bool) {
        if let Some(origin) =
            self.entered_for.filter(|origin| is_meant(KEY) && url.origin().ascii_serialization() != **origin)
        {
            let reason = format!("the key was entered for {origin}, and goes nowhere else: enter the key again");
            self.faults.push(UpstreamFault::NoSecret { key: KEY.to_owned(), reason });
        }
        for (key, name) in self.named.iter().filter(|(key, _)| is_meant(key)) {
            if let Err(reason) = self.source.may_go_to(name, url.host_str()) {
                self.faults.push(UpstreamFault::NoSecret { key: key.clone(), reason });
            }
        }
    }

    /// A header with the key that the variable holds which `key` names, behind `scheme`.
    pub(super) fn header(&mut self, name: HeaderName, scheme: &str, key: &str, variable: Option<&String>) {
        let secret = self.secret(key, variable);
        self.put(name, scheme, secret);
    }

    fn put(&mut self, name: HeaderName, scheme: &str, secret: Option<Secret>) {
        let Some(secret) = secret else { return };
        // Visible characters can always stand in a header.
        if let Ok(mut value) = HeaderValue::from_str(&format!("{scheme}{}", secret.expose())) {
            value.set_sensitive(true);
            self.headers.insert(name, value);
        }
    }

    /// Headers as they are written in the file, and headers with keys.
    pub(super) fn extra(&mut self, plain: &BTreeMap<String, String>, with_keys: &BTreeMap<String, String>) {
        for (name, text) in plain {
            let key = format!("headers.{name}");
            let Some(name) = self.name(&key, name) else { continue };
            if FOR_KEYS.contains(&name.as_str()) {
                self.impossible(
                    key,
                    "do not write keys into the file; name the variable of the key in key_env or headers_env",
                );
                continue;
            }
            match HeaderValue::from_str(text) {
                Ok(value) => {
                    self.headers.insert(name, value);
                }
                Err(_) => self.impossible(key, "this value is not valid in a header"),
            }
        }
        for (name, variable) in with_keys {
            let key = format!("headers_env.{name}");
            if let Some(name) = self.name(&key, name) {
                self.header(name, "", &key, Some(variable));
            }
        }
    }

    fn name(&mut self, key: &str, name: &str) -> Option<HeaderName> {
        match HeaderName::from_bytes(name.as_bytes()) {
            Ok(name) if TAKEN.contains(&name.as_str()) => {
                self.impossible(key.to_owned(), "citewire sets this header itself");
                None
            }
            Ok(name) => Some(name),
            Err(_) => {
                self.impossible(key.to_owned(), "this is not a valid header name");
                None
            }
        }
    }

    pub(super) fn impossible(&mut self, key: impl Into<String>, reason: &'static str) {
        self.faults.push(UpstreamFault::Impossible { key: key.into(), reason });
    }

    /// Checks a text that must not be empty.
    pub(super) fn filled(&mut self, key: &str, text: &str) {
        if text.trim().is_empty() {
            self.impossible(key, "this must not be empty");
        }
    }
}

/// The name of a variable, unless it could be a key that somebody has put in its place.
fn name_alone(variable: String) -> String {
    let is_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let is_short = variable.len() <= LONGEST_NAME;
    if is_short && variable.bytes().all(is_name) { variable } else { "of this name".to_owned() }
}

/// Names of variables that are repeated have no more bytes.
const LONGEST_NAME: usize = 48;

#[cfg(test)]
mod tests {
    use reqwest::header::AUTHORIZATION;

    use super::*;

    fn map(entries: &[(&str, &str)]) -> BTreeMap<String, String> {
        entries.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    fn said(keys: &Keys<'_>) -> Vec<String> {
        keys.faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_key_comes_from_the_environment_and_is_not_shown() {
        let environment = SecretSource::of_environment(map(&[("KEY", " sk-1234\n"), ("GATE", "gate-key")]));
        let mut keys = Keys::new(&environment);
        keys.header(AUTHORIZATION, "Bearer ", "key_env", Some(&"KEY".to_owned()));
        keys.extra(&map(&[("X-Team", "hr")]), &map(&[("X-Gate", "GATE")]));
        assert_eq!(keys.headers[AUTHORIZATION], "Bearer sk-1234");
        assert_eq!(
            (&keys.headers["x-team"], &keys.headers["x-gate"]),
            (&HeaderValue::from_static("hr"), &HeaderValue::from_static("gate-key"))
        );
        let shown = format!("{:?} {:?}", keys.headers, keys.secrets);
        assert!(!shown.contains("sk-1234") && !shown.contains("gate-key"), "{shown}");
        assert_eq!((keys.secrets.len(), keys.faults.len()), (2, 0));
    }

    #[test]
    fn every_fault_names_its_key_and_never_a_value() {
        let environment = SecretSource::of_environment(map(&[("EMPTY", " "), ("BLANK", "two words")]));
        let mut keys = Keys::new(&environment);
        keys.secret("key_env", Some(&"NOWHERE".to_owned()));
        keys.secret("search_key_env", Some(&"EMPTY".to_owned()));
        let plain = map(&[("Authorization", "Bearer xyz"), ("Host", "a"), ("a b", "c"), ("X-Line", "a\nb")]);
        keys.extra(&plain, &map(&[("X-Gate", "BLANK")]));
        let said = said(&keys);
        let named = [
            "key_env",
            "search_key_env",
            "headers.Authorization",
            "headers.Host",
            "headers.X-Line",
            "headers.a b",
            "headers_env.X-Gate",
        ];
        assert_eq!(said.len(), named.len(), "{said:#?}");
        for (fault, key) in said.iter().zip(named) {
            assert!(
                fault.starts_with(&format!("{key}: ")) && !fault.contains("xyz") && !fault.contains("two words"),
                "{fault}"
            );
        }
        assert_eq!(keys.secret("key_env", None), None);
        // The key in the place of its variable.
        keys.secret("key_env", Some(&"sk-proj-1234".to_owned()));
        let last = keys.faults.last().expect("a fault").to_string();
        assert_eq!(last, "key_env: the environment variable of this name is not set");
    }
}
