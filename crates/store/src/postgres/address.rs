//! The address of a database, as `store.url` names it.

use std::fmt;
use std::fs::File;
use std::io;
use std::str::FromStr as _;

use sqlx::ConnectOptions as _;
use sqlx::postgres::PgConnectOptions;

/// The name by which the server lists the connections.
const APPLICATION: &str = "citewire";

/// Parameters that a URL may have. One that the library does not know would go to the log with its value.
const PARAMETERS: [&str; 12] = [
    "application_name",
    "dbname",
    "host",
    "options",
    "password",
    "port",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "user",
    "hostaddr",
];

/// Those that name files, or hold what a file would.
const FILES: [&str; 3] = ["sslcert", "sslkey", "sslrootcert"];

/// Where a database is: one host, or several of which the first that takes writes is used.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    /// With the password, where it has one.
    urls: Vec<String>,
    /// Without.
    shown: String,
}

/// A URL that names no database. The message does not repeat it, because it may contain a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It has another form.
    #[error(
        "a PostgreSQL URL has the form postgres://USER:PASSWORD@HOST:PORT/DATABASE, where % escapes special characters"
    )]
    Form,
    /// A parameter that has no meaning here.
    #[error("a PostgreSQL URL takes no parameter `{name}`; it takes {}", PARAMETERS.join(", "))]
    Parameter {
        /// Its name.
        name: String,
    },
}

impl Address {
    /// Reads a URL with one or more hosts, separated by commas.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(url: &str) -> Result<Self, AddressError> {
        let (scheme, rest) = url.split_once("://").ok_or(AddressError::Form)?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at(end);
        let (user, hosts) = match authority.rsplit_once('@') {
            Some((user, hosts)) => (format!("{user}@"), hosts),
            None => (String::new(), authority),
        };
        let mut urls = Vec::new();
        for host in hosts.split(',') {
            let url = format!("{scheme}://{user}{host}{tail}");
            let parsed = url::Url::parse(&url).map_err(|_| AddressError::Form)?;
            for (name, _) in parsed.query_pairs() {
                if !PARAMETERS.contains(&&*name) && !name.starts_with("options[") {
                    return Err(AddressError::Parameter { name: name.into_owned() });
                }
            }
            PgConnectOptions::from_str(&url).map_err(|_| AddressError::Form)?;
            urls.push(url);
        }
        let database = tail.split(['?', '#']).next().unwrap_or_default();
        let user = user.split([':', '@']).next().filter(|user| !user.is_empty());
        let user = user.map(|user| format!("{user}@")).unwrap_or_default();
        Ok(Self { urls, shown: format!("postgres://{user}{hosts}{database}") })
    }

    /// The first file that a parameter names and that cannot be read: the parameter, the file, and why.
    pub(super) fn unreadable_file(&self) -> Option<(String, String, io::Error)> {
        let url = url::Url::parse(self.urls.first()?).ok()?;
        let files = url.query_pairs().filter(|(name, value)| FILES.contains(&&**name) && !value.contains("-----BEGIN"));
        files.into_iter().find_map(|(parameter, path)| {
            let error = File::open(&*path).err()?;
            Some((parameter.into_owned(), path.into_owned(), error))
        })
    }

    /// How to connect to each host, in the order of the URL.
    pub(super) fn hosts(&self) -> impl Iterator<Item = Result<PgConnectOptions, sqlx::Error>> {
        self.urls.iter().map(|url| {
            let options = PgConnectOptions::from_str(url)?;
            let named = options.get_application_name().is_some();
            let options = if named { options } else { options.application_name(APPLICATION) };
            // A statement is logged with what it is about, which is nobody's business.
            Ok(options.disable_statement_logging())
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_not_shown() {
        let address = Address::parse("postgres://me:hunter2@a:1,b:2/chats?sslmode=require&password=hunter2");
        let address = address.expect("an address");
        assert_eq!(address.to_string(), "postgres://me@a:1,b:2/chats");
        assert!(!format!("{address:?}").contains("hunter2"));
    }

    #[test]
    fn each_host_is_connected_to_in_its_turn() {
        let address = Address::parse("postgresql://me:x%40y@a:1,b,[::1]:7/chats").expect("an address");
        let hosts: Vec<_> = address.hosts().map(|host| host.expect("options")).collect();
        let places: Vec<_> = hosts.iter().map(|host| (host.get_host(), host.get_port())).collect();
        assert_eq!(places, [("a", 1), ("b", 5432), ("[::1]", 7)]);
        assert!(hosts.iter().all(|host| host.get_database() == Some("chats") && host.get_username() == "me"));
        let address = Address::parse("postgres:///chats?host=/run/postgresql").expect("an address");
        let host = address.hosts().next().expect("a host").expect("options");
        assert_eq!(host.get_socket().map(|path| path.display().to_string()).as_deref(), Some("/run/postgresql"));
    }

    #[test]
    fn what_is_no_address_is_refused_without_repeating_it() {
        for url in ["postgres:hunter2", "postgres://me:hunter2@a:port/x", "postgres://a/x?sslmode=hunter2"] {
            let error = Address::parse(url).expect_err("refused");
            assert_eq!(error, AddressError::Form, "{url}");
        }
        let error = Address::parse("postgres://a/x?pasword=hunter2").expect_err("refused").to_string();
        assert!(error.contains("pasword") && !error.contains("hunter2"), "{error}");
    }
}
