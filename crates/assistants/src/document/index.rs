//! The full-text index, in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, QueryBuilder, Sqlite};
use tokio::sync::Mutex;

use super::file::FileContent;
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

const ADD: &str = "INSERT INTO passages (rowid, title, headings, text) ";

/// The index keeps no texts, so a row is taken out with the texts that it was made from.
const REMOVE: &str = "INSERT INTO passages (passages, rowid, title, headings, text) ";

/// The number of passages that are written in one statement.
const BATCH: usize = 500;

/// An index of the passages of documents. A change of one document costs what that document does.
///
/// Rows stand in the order of the paths of their documents, as they would if all were indexed at once: the search ranks equal
/// passages by it. Each document has a label, and there is room between labels for others.
#[derive(Debug)]
pub(super) struct Index(Mutex<IndexState>);

#[derive(Debug)]
struct IndexState {
    connection: SqliteConnection,
    /// The files in the index, by path.
    present: BTreeMap<String, (i64, FileContent)>,
}

/// The place of a passage in the index: the label of its document, and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct IndexRow {
    pub(super) label: i64,
    pub(super) passage: usize,
}

/// The number of bits of a row that are the place in the document, which has fewer passages.
const PASSAGE_BITS: u32 = 24;

/// The distance between the labels of two documents in a new index.
const STEP: i64 = 1 << 20;

/// The most labels, which leave the sign of a row alone.
const LABELS: i64 = 1 << (62 - PASSAGE_BITS);

/// A document that follows another in the order of paths often comes in that order, and is followed by others.
const NEAR: i64 = 1 << 10;

impl IndexRow {
    fn of(number: i64) -> Self {
        let passage = number & ((1 << PASSAGE_BITS) - 1);
        Self { label: number >> PASSAGE_BITS, passage: usize::try_from(passage).unwrap_or_default() }
    }

    fn number(label: i64, passage: usize) -> i64 {
        (label << PASSAGE_BITS) | i64::try_from(passage).unwrap_or_default()
    }
}

/// A passage that matches.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hit {
    pub(super) row: IndexRow,
    /// The weight of the match: more is better, and nothing else is known of it.
    pub(super) weight: f64,
    /// The terms that it has, as flags.
    pub(super) has: Vec<bool>,
}

impl Index {
    pub(super) async fn new() -> Result<Self, sqlx::Error> {
        let options = SqliteConnectOptions::new().disable_statement_logging();
        let mut connection = options.connect().await?;
        sqlx::query(TABLE).execute(&mut connection).await?;
        Ok(Self(Mutex::new(IndexState { connection, present: BTreeMap::new() })))
    }

    /// Makes these the documents of the index, and returns their labels in the order of the paths. Only what differs is written.
    ///
    /// # Errors
    /// When the index fails: it is then as it was before.
    pub(super) async fn become_these(&self, wanted: &[&FileContent]) -> Result<Vec<i64>, sqlx::Error> {
        let mut state = self.0.lock().await;
        let IndexState { connection, present } = &mut *state;
        let is_same = |(_, before): &(i64, FileContent), content: &FileContent| {
            Arc::ptr_eq(&before.passages, &content.passages) || before.digest == content.digest
        };
        let known = wanted.iter().map(|content| {
            let before = present.get(&content.document.path).filter(|before| is_same(before, content));
            before.map(|(label, _)| *label)
        });
        let known: Vec<Option<i64>> = known.collect();
        let kept: BTreeSet<i64> = known.iter().flatten().copied().collect();
        let (labels, is_new) = match labels(&known) {
            Some(labels) => (labels, false),
            // No room is left between two documents: all get new labels.
            None => ((1..).map(|place| place * STEP).take(wanted.len()).collect(), true),
        };
        let mut transaction = connection.begin().await?;
        if is_new {
            sqlx::query("INSERT INTO passages (passages) VALUES ('delete-all')").execute(&mut *transaction).await?;
        } else {
            for (label, content) in present.values().filter(|(label, _)| !kept.contains(label)) {
                write(&mut transaction, REMOVE, *label, content).await?;
            }
        }
        for ((content, label), known) in wanted.iter().zip(&labels).zip(&known) {
            if is_new || known.is_none() {
                write(&mut transaction, ADD, *label, content).await?;
            }
        }
        transaction.commit().await?;
        let contents = wanted.iter().zip(&labels);
        *present =
            contents.map(|(content, label)| (content.document.path.clone(), (*label, (*content).clone()))).collect();
        Ok(labels)
    }

    /// Counts the passages that have each of the terms.
    pub(super) async fn count(&self, terms: &[Term]) -> Result<Vec<usize>, sqlx::Error> {
        let connection = &mut self.0.lock().await.connection;
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
        let mut state = self.0.lock().await;
        let connection = &mut state.connection;
        let any = terms.iter().map(Term::expression).collect::<Vec<_>>().join(" OR ");
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows: Vec<(i64, f64)> = sqlx::query_as(BEST).bind(any).bind(limit).fetch_all(&mut *connection).await?;
        let places = rows.iter().map(|(place, _)| place.to_string()).collect::<Vec<_>>().join(", ");
        let mut hits: Vec<Hit> = rows
            .iter()
            .map(|(place, rank)| Hit {
                row: IndexRow::of(*place),
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

/// Adds the passages of a document, or takes them out.
async fn write(
    transaction: &mut SqliteConnection,
    verb: &'static str,
    label: i64,
    content: &FileContent,
) -> Result<(), sqlx::Error> {
    let title = spaced(&content.document.title);
    for (batch, passages) in content.passages.chunks(BATCH).enumerate() {
        let rows = passages.iter().enumerate().map(|(at, passage)| (batch * BATCH + at, passage));
        let mut insert = QueryBuilder::<Sqlite>::new(verb);
        insert.push_values(rows, |mut row, (place, passage)| {
            if verb == REMOVE {
                row.push_bind("delete");
            }
            row.push_bind(IndexRow::number(label, place));
            row.push_bind(&title).push_bind(spaced(&passage.headings.join("\n"))).push_bind(spaced(&passage.text));
        });
        insert.build().execute(&mut *transaction).await?;
    }
    Ok(())
}

/// Labels in rising order, of which some are known; `None` where there is no room.
fn labels(known: &[Option<i64>]) -> Option<Vec<i64>> {
    let mut labels: Vec<i64> = Vec::with_capacity(known.len());
    let mut last = 0;
    for (at, label) in known.iter().enumerate() {
        let label = match label {
            Some(label) => *label,
            None => {
                let rest = known.get(at + 1..).unwrap_or_default();
                match rest.iter().position(Option::is_some).and_then(|next| Some((next, *rest.get(next)?.as_ref()?))) {
                    // All that stand between two known ones share the room.
                    Some((others, next)) => {
                        let others = i64::try_from(others).unwrap_or(i64::MAX).saturating_add(2);
                        last + ((next - last) / others).min(NEAR.max((next - last) / 64))
                    }
                    None => last + STEP,
                }
            }
        };
        if label <= last || label >= LABELS {
            return None;
        }
        labels.push(label);
        last = label;
    }
    Some(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_rise_and_leave_room() {
        assert_eq!(labels(&[None, None]), Some(vec![STEP, 2 * STEP]));
        let between = labels(&[Some(STEP), None, None, Some(2 * STEP), None]).expect("room");
        assert!(between.is_sorted_by(|one, other| one < other), "{between:?}");
        assert_eq!(labels(&[Some(1), None, Some(2)]), None);
        assert_eq!(labels(&[Some(LABELS - 1), None]), None);
        assert_eq!(IndexRow::of(IndexRow::number(LABELS - 1, 77)), IndexRow { label: LABELS - 1, passage: 77 });
    }
}
