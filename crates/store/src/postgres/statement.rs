//! One statement that writes rows of several tables.

use chrono::{DateTime, Utc};
use sqlx::postgres::{PgArguments, PgConnection};
use sqlx::{Arguments as _, AssertSqlSafe};

/// A column of the rows of a part.
pub(super) enum Column {
    Numbers(Vec<i64>),
    MaybeNumbers(Vec<Option<i64>>),
    Texts(Vec<String>),
    MaybeTexts(Vec<Option<String>>),
    Times(Vec<DateTime<Utc>>),
    MaybeTimes(Vec<Option<DateTime<Utc>>>),
    Bytes(Vec<Vec<u8>>),
}

impl Column {
    fn is_empty(&self) -> bool {
        match self {
            Self::Numbers(values) => values.is_empty(),
            Self::MaybeNumbers(values) => values.is_empty(),
            Self::Texts(values) => values.is_empty(),
            Self::MaybeTexts(values) => values.is_empty(),
            Self::Times(values) => values.is_empty(),
            Self::MaybeTimes(values) => values.is_empty(),
            Self::Bytes(values) => values.is_empty(),
        }
    }

    /// Becomes an argument; the name of its type.
    fn bind(self, arguments: &mut PgArguments) -> Result<&'static str, sqlx::Error> {
        let (bound, kind) = match self {
            Self::Numbers(values) => (arguments.add(values), "bigint"),
            Self::MaybeNumbers(values) => (arguments.add(values), "bigint"),
            Self::Texts(values) => (arguments.add(values), "text"),
            Self::MaybeTexts(values) => (arguments.add(values), "text"),
            Self::Times(values) => (arguments.add(values), "timestamptz"),
            Self::MaybeTimes(values) => (arguments.add(values), "timestamptz"),
            Self::Bytes(values) => (arguments.add(values), "bytea"),
        };
        bound.map(|()| kind).map_err(sqlx::Error::Encode)
    }
}

/// Parts that have rows: most groups need three of nine, and each costs something even when it has nothing to do. A combination is
/// prepared when it comes for the first time.
#[derive(Default)]
pub(super) struct Statement {
    sql: String,
    arguments: PgArguments,
    parts: usize,
}

impl Statement {
    /// Adds a part that reads these columns between `head` and `tail`.
    pub(super) fn part<const N: usize>(
        &mut self,
        head: &str,
        columns: [Column; N],
        tail: &str,
    ) -> Result<(), sqlx::Error> {
        if columns.iter().all(Column::is_empty) {
            return Ok(());
        }
        let mut names = Vec::with_capacity(N);
        for column in columns {
            let kind = column.bind(&mut self.arguments)?;
            names.push(format!("${}::{kind}[]", self.arguments.len()));
        }
        let separator = if self.parts == 0 { "WITH" } else { "," };
        self.sql += &format!("{separator} part{} AS ({head} unnest({}) {tail})", self.parts, names.join(", "));
        self.parts += 1;
        Ok(())
    }

    /// Runs the parts; says which transaction that is.
    pub(super) async fn run(mut self, connection: &mut PgConnection) -> Result<String, sqlx::Error> {
        self.sql += " SELECT pg_current_xact_id()::text";
        // Made of constants, with nothing of a client in it.
        sqlx::query_scalar_with(AssertSqlSafe(self.sql), self.arguments).fetch_one(connection).await
    }
}
