//! The full-text index, in memory.

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, QueryBuilder, Sqlite};
use tokio::sync::Mutex;

use super::question::Term;
use super::words::spaced;

/// The index keeps no texts, which are in memory already. English words are stemmed, and no writer has to know where the
/// diacritics belong.
const TABLE: &str = "CREATE VIRTUAL TABLE passages USING fts5(\
    title, headings, text, content = '', tokenize = 'porter unicode61 remove_diacritics 2')";

/// A word in a heading counts as much as four in the text; one in the title, which all passages of a document share, as one.
const BEST: &str =
    "SELECT rowid, bm25(passages, 1.0, 4.0, 1.0) FROM passages WHERE passages MATCH ? ORDER BY 2, 1 LIMIT ?";

const COUNT: &str = "SELECT count(*) FROM passages WHERE passages MATCH ?";

/// So many passages are written in one statement.
const BATCH: usize = 500;

/// The searched text of a passage.
pub(super) struct Entry<'e> {
    pub(super) title: &'e str,
    pub(super) headings: String,
    pub(super) text: &'e str,
}

/// An index of passages, which are identified by their positions.
#[derive(Debug)]
pub(super) struct Index(Mutex<SqliteConnection>);

/// A passage that matches.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hit {
    /// Its place among the passages that were indexed.
    pub(super) place: usize,
    /// How well it matches: more is better, and nothing else is known of it.
    pub(super) weight: f64,
    /// Which of the terms it has.
    pub(super) has: Vec<bool>,
}

impl Index {
    /// Indexes passages in their order.
    pub(super) async fn build(entries: &[Entry<'_>]) -> Result<Self, sqlx::Error> {
        let options = SqliteConnectOptions::new().disable_statement_logging();
        let mut connection = options.connect().await?;
        sqlx::query(TABLE).execute(&mut connection).await?;
        let mut transaction = connection.begin().await?;
        for (batch, entries) in entries.chunks(BATCH).enumerate() {
            let rows = entries.iter().enumerate().map(|(at, entry)| (batch * BATCH + at, entry));
            let mut insert = QueryBuilder::<Sqlite>::new("INSERT INTO passages (rowid, title, headings, text) ");
            insert.push_values(rows, |mut row, (place, entry)| {
                row.push_bind(i64::try_from(place).unwrap_or(i64::MAX));
                row.push_bind(spaced(entry.title)).push_bind(spaced(&entry.headings)).push_bind(spaced(entry.text));
            });
            insert.build().execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(Self(Mutex::new(connection)))
    }

    /// How many passages have each of the terms.
    pub(super) async fn count(&self, terms: &[Term]) -> Result<Vec<usize>, sqlx::Error> {
        let mut connection = self.0.lock().await;
        let mut counts = Vec::with_capacity(terms.len());
        for term in terms {
            let count: i64 = sqlx::query_scalar(COUNT).bind(term.expression()).fetch_one(&mut *connection).await?;
            counts.push(usize::try_from(count).unwrap_or_default());
        }
        Ok(counts)
    }

    /// The passages that match best, with any of the terms.
    pub(super) async fn best(&self, terms: &[Term], limit: usize) -> Result<Vec<Hit>, sqlx::Error> {
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let mut connection = self.0.lock().await;
        let any = terms.iter().map(Term::expression).collect::<Vec<_>>().join(" OR ");
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows: Vec<(i64, f64)> = sqlx::query_as(BEST).bind(any).bind(limit).fetch_all(&mut *connection).await?;
        let places = rows.iter().map(|(place, _)| place.to_string()).collect::<Vec<_>>().join(", ");
        let mut hits: Vec<Hit> = rows
            .iter()
            .map(|(place, rank)| Hit {
                place: usize::try_from(*place).unwrap_or_default(),
                // SQLite gives the best the least.
                weight: -rank,
                has: Vec::with_capacity(terms.len()),
            })
            .collect();
        // The places are numbers, and nothing else reaches the statement unbound.
        let among = format!("SELECT rowid FROM passages WHERE passages MATCH ? AND rowid IN ({places})");
        for term in terms {
            let query = sqlx::query_scalar(AssertSqlSafe(among.as_str())).bind(term.expression());
            let having: Vec<i64> = query.fetch_all(&mut *connection).await?;
            for (hit, (place, _)) in hits.iter_mut().zip(&rows) {
                hit.has.push(having.contains(place));
            }
        }
        Ok(hits)
    }
}
