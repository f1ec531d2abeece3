//! Classifies errors of PostgreSQL.

use std::error::Error;
use std::io::ErrorKind;
use std::sync::Arc;

use sqlx::error::DatabaseError;

use crate::StoreError;
use crate::writing::FailureKind;

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The connection is lost, or the server ends, starts, or has no connection left.
    Gone,
    /// The server takes no writes: it was the primary, or is not one yet.
    ReadOnly,
    /// Another transaction was in the way. The same one can succeed at once.
    Conflict,
    /// The disk of the server is full.
    Full,
    /// The user or the password is refused, or lacks a right.
    Denied,
    /// Statements of one connection come to several servers' sessions, which know nothing of each other.
    Pooled,
    /// Tables are damaged, or not those of citewire.
    Damaged,
    /// Anything else; a statement that the server refuses, for instance.
    Other,
}

impl Failure {
    pub(super) fn of(error: &sqlx::Error) -> Self {
        let Some(code) = error.as_database_error().and_then(DatabaseError::code) else {
            let is_gone = matches!(error, sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_))
                || matches!(error, sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed);
            return if is_gone { Self::Gone } else { Self::Other };
        };
        match &*code {
            // The identity of a conversation that another node has just created is a conflict as well.
            "40001" | "40P01" | "23505" => Self::Conflict,
            "25006" => Self::ReadOnly,
            "53100" => Self::Full,
            // A statement that this connection has prepared is unknown, or one that another connection has prepared is there.
            "26000" | "42P05" => Self::Pooled,
            // Without a schema that it may see, a user may create nothing.
            "42501" | "3F000" => Self::Denied,
            // A table or a column is missing; a page or an index is corrupt; a file of the server is missing.
            "42P01" | "42703" | "XX001" | "XX002" | "58P01" => Self::Damaged,
            "53300" | "57P01" | "57P02" | "57P03" | "57P05" | "25P03" => Self::Gone,
            code if code.starts_with("08") => Self::Gone,
            code if code.starts_with("28") => Self::Denied,
            _ => Self::Other,
        }
    }

    /// Whether the same work can succeed on another connection, or a little later.
    pub(super) fn may_pass(self) -> bool {
        matches!(self, Self::Gone | Self::ReadOnly | Self::Conflict)
    }

    /// Whether others of a group could succeed where one change has not.
    pub(super) fn may_be_of_one_change(self) -> bool {
        matches!(self, Self::Full | Self::Damaged | Self::Other)
    }

    /// Whether every work fails for this reason, not only this one.
    pub(super) fn is_of_the_server(self) -> bool {
        matches!(self, Self::Gone | Self::ReadOnly | Self::Pooled)
    }

    /// Advice to the operator on ending this failure.
    fn mend(self) -> &'static str {
        match self {
            Self::Gone => {
                "see that PostgreSQL runs, can be reached and has connections left; citewire continues by itself"
            }
            Self::ReadOnly => {
                "name the server that takes writes in store.url (several hosts stand there with commas), or unset \
                 default_transaction_read_only, which managed services set when the disk is nearly full"
            }
            Self::Full => "free space on the disk of PostgreSQL; citewire then continues by itself",
            Self::Denied => "let the user of store.url log in and write to the tables of citewire",
            Self::Pooled => {
                "let the pooler in front of PostgreSQL pool sessions (PgBouncer: pool_mode = session), or name PostgreSQL itself in \
                 store.url"
            }
            Self::Damaged => {
                "look at the log of PostgreSQL, restore the tables of citewire from a backup, and start citewire anew"
            }
            Self::Conflict | Self::Other => "report this error",
        }
    }
}

impl FailureKind for Failure {
    fn lasting(self) -> Option<&'static str> {
        match self {
            Self::Damaged => {
                Some("tables of the database are damaged or missing; restore them and start citewire anew")
            }
            Self::Gone | Self::ReadOnly | Self::Conflict | Self::Full | Self::Denied | Self::Pooled | Self::Other => {
                None
            }
        }
    }
}

/// Advice to the operator on ending the failure. TLS comes first, because [`Failure`] does not tell it apart.
pub(super) fn mend(error: &sqlx::Error) -> &'static str {
    if is_about_tls(error) {
        "see that PostgreSQL has a valid certificate for the host in store.url, from a root that sslrootcert names"
    } else {
        Failure::of(error).mend()
    }
}

/// Whether the connection is lost, or there is none, because of TLS. The library that does TLS tells so by this kind.
pub(super) fn is_about_tls(error: &sqlx::Error) -> bool {
    let is_invalid = matches!(error, sqlx::Error::Io(error) if error.kind() == ErrorKind::InvalidData);
    is_invalid || matches!(error, sqlx::Error::Tls(_))
}

/// The work was not done in time.
pub(super) fn timed_out() -> sqlx::Error {
    sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, "PostgreSQL did not answer in time"))
}

/// The last cause that the server itself has named for work that is tried several times. The deadline cuts the last attempt, often
/// while it connects, and that says nothing of why the ones before it failed.
#[derive(Debug, Default)]
pub(super) struct NamedCause(Option<sqlx::Error>);

impl NamedCause {
    /// Notes the error of an attempt that another one follows.
    pub(super) fn note(&mut self, error: sqlx::Error) {
        if Failure::of(&error) == Failure::ReadOnly {
            self.0 = Some(error);
        }
    }

    /// The error to tell when the last attempt has failed with this one.
    pub(super) fn or(self, last: sqlx::Error) -> sqlx::Error {
        let is_cut = matches!(&last, sqlx::Error::Io(error) if error.kind() == ErrorKind::TimedOut);
        self.0.filter(|_| is_cut).unwrap_or(last)
    }
}

/// Tells the operator what has failed and how to mend it, and gives what the caller may know.
pub(super) fn report(error: sqlx::Error, what: &'static str) -> StoreError {
    tracing::error!(%error, mend = mend(&error), "{what}");
    told_of(error)
}

/// Translates an error of the library into the one that the caller gets.
pub(super) fn told_of(error: sqlx::Error) -> StoreError {
    let failure = Failure::of(&error);
    // The one inside says the same, and says it once.
    let cause: Arc<dyn Error + Send + Sync> =
        if let sqlx::Error::Database(inside) = error { inside.into_error().into() } else { Arc::new(error) };
    match failure {
        Failure::Full => StoreError::NoSpace { cause },
        Failure::Gone
        | Failure::ReadOnly
        | Failure::Conflict
        | Failure::Denied
        | Failure::Pooled
        | Failure::Damaged
        | Failure::Other => StoreError::Failed { cause },
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::fmt;

    use sqlx::error::ErrorKind as Violation;

    use super::*;

    /// An answer of PostgreSQL with this code.
    #[derive(Debug)]
    struct Answer(&'static str);

    impl fmt::Display for Answer {
        fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str(self.0)
        }
    }

    impl Error for Answer {}

    impl DatabaseError for Answer {
        fn message(&self) -> &str {
            self.0
        }

        fn code(&self) -> Option<Cow<'_, str>> {
            Some(self.0.into())
        }

        fn as_error(&self) -> &(dyn Error + Send + Sync + 'static) {
            self
        }

        fn as_error_mut(&mut self) -> &mut (dyn Error + Send + Sync + 'static) {
            self
        }

        fn into_error(self: Box<Self>) -> Box<dyn Error + Send + Sync + 'static> {
            self
        }

        fn kind(&self) -> Violation {
            Violation::Other
        }
    }

    fn answer(code: &'static str) -> sqlx::Error {
        sqlx::Error::Database(Box::new(Answer(code)))
    }

    #[test]
    fn a_deadline_that_cuts_the_last_attempt_does_not_hide_why_others_failed() {
        let of = |attempts: Vec<sqlx::Error>, last| {
            let mut cause = NamedCause::default();
            attempts.into_iter().for_each(|error| cause.note(error));
            Failure::of(&cause.or(last))
        };
        assert_eq!(of(vec![answer("25006"), timed_out()], timed_out()), Failure::ReadOnly);
        assert_eq!(of(vec![answer("40001"), timed_out()], timed_out()), Failure::Gone);
        assert_eq!(of(vec![answer("25006")], answer("53100")), Failure::Full);
    }
}
