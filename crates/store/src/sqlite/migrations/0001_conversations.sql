-- Times are milliseconds since 1970 in UTC.

-- "cite": by this a file is known as ours.
PRAGMA application_id = 1667855461;

CREATE TABLE conversation (
    key     INTEGER PRIMARY KEY,
    id      TEXT    NOT NULL UNIQUE,
    user    TEXT,                       -- a ChannelAccount as JSON
    created INTEGER NOT NULL,
    active  INTEGER NOT NULL,           -- when something was recorded last, or, before that, created
    next    INTEGER NOT NULL DEFAULT 0, -- the place of the next activity, and so the number of those recorded
    newest  INTEGER                     -- the timestamp of the newest activity
) STRICT;

CREATE INDEX conversation_by_time ON conversation (active, id);

-- A rowid table with an index: rows arrive at the end of the table, whatever conversation they belong to.
CREATE TABLE activity (
    key          INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    watermark    INTEGER NOT NULL,
    timestamp    INTEGER NOT NULL,
    body         TEXT    NOT NULL       -- the activity as JSON, without id, timestamp and conversation
) STRICT;

CREATE UNIQUE INDEX activity_by_place ON activity (conversation, watermark);

-- The callers' names of batches, and what each of them recorded.
CREATE TABLE batch (
    key          INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    name         TEXT    NOT NULL,
    first        INTEGER NOT NULL,
    count        INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX batch_by_name ON batch (conversation, name);

CREATE TABLE attachment (
    key          INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    id           TEXT    NOT NULL,
    content_type TEXT    NOT NULL,
    name         TEXT,
    bytes        BLOB    NOT NULL
) STRICT;

CREATE UNIQUE INDEX attachment_by_id ON attachment (conversation, id);
