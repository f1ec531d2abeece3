-- Times are whole milliseconds. Texts that may contain U+0000, which a text of PostgreSQL cannot, are escaped (`escape.rs`).
-- Identifiers compare byte by byte, whatever the language of the database is. No foreign keys: a deletion takes all rows of a
-- conversation in one transaction, and appends would pay for each check.

-- Each call reserves the keys of one group of changes.
CREATE SEQUENCE conversation_key INCREMENT BY 128;

CREATE TABLE conversation (
    key       bigint      PRIMARY KEY,
    id        text        COLLATE "C" NOT NULL UNIQUE,
    "user"    text,                         -- a ChannelAccount as JSON
    reference text,                         -- where it is when somebody else holds it; JSON
    created   timestamptz NOT NULL
);

-- What changes with each append stands apart, so that few indexes are written.
CREATE TABLE head (
    conversation bigint      PRIMARY KEY,
    next         bigint      NOT NULL,      -- the place of the next activity, and so the number of those recorded
    newest       timestamptz,               -- the timestamp of the newest activity
    active       timestamptz NOT NULL,      -- when something was recorded last, or, before that, created
    bytes        bigint      NOT NULL       -- of activities, attachments and feedback
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

CREATE INDEX head_by_time ON head (active, conversation);

CREATE TABLE activity (
    conversation bigint      NOT NULL,
    place        bigint      NOT NULL,
    at           timestamptz NOT NULL,
    body         text        NOT NULL,      -- the activity as JSON, without id, timestamp and conversation
    PRIMARY KEY (conversation, place)
);

-- The callers' names of batches, and what each of them recorded.
CREATE TABLE batch (
    conversation bigint NOT NULL,
    name         text   COLLATE "C" NOT NULL,
    first        bigint NOT NULL,
    count        int    NOT NULL,
    PRIMARY KEY (conversation, name)
);

CREATE TABLE attachment (
    conversation bigint NOT NULL,
    id           text   COLLATE "C" NOT NULL,
    content_type text   NOT NULL,
    name         text,
    bytes        bytea  NOT NULL,
    PRIMARY KEY (conversation, id)
);

-- Files are mostly compressed already.
ALTER TABLE attachment ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- What readers think of answers, in the order in which it came.
CREATE TABLE feedback (
    key          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation bigint      NOT NULL,
    at           timestamptz NOT NULL,
    body         text        NOT NULL       -- the feedback as JSON
);

CREATE INDEX feedback_by_conversation ON feedback (conversation, key);

-- Who belongs to a conversation: the user for whom it was started, and everybody who has said something or rated an answer.
CREATE TABLE member (
    conversation bigint NOT NULL,
    "user"       text   COLLATE "C" NOT NULL, -- the id of their account
    first        bigint,                    -- the place of the first activity that they sent; NULL where they have sent none
    PRIMARY KEY (conversation, "user")
);

CREATE INDEX member_by_user ON member ("user", conversation);

-- The processes that serve this database.
CREATE TABLE node (
    id       uuid        PRIMARY KEY,
    name     text        NOT NULL,
    version  text        NOT NULL,
    started  timestamptz NOT NULL,
    seen     timestamptz NOT NULL
);

-- Each claim of a line gets a number that no claim had before.
CREATE SEQUENCE fence;

-- There while turns of a conversation wait or run.
CREATE TABLE line (
    conversation bigint      NOT NULL,
    kind         bigint      NOT NULL,
    node         uuid,                      -- which one serves it; NULL while none does
    fence        bigint      NOT NULL,
    since        timestamptz NOT NULL,      -- when it was made, claimed or given back
    PRIMARY KEY (conversation, kind)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

-- Each call reserves the keys of one group of changes.
CREATE SEQUENCE turn_key INCREMENT BY 128;

-- What has to be answered, in the order in which it was recorded.
CREATE TABLE turn (
    key          bigint      PRIMARY KEY,
    conversation bigint      NOT NULL,
    kind         bigint      NOT NULL,
    place        bigint      NOT NULL,      -- of the activity that it is about, or, where it has a body, of the next one
    body         text,
    arrived      timestamptz NOT NULL,
    attempts     bigint      NOT NULL DEFAULT 0, -- how many nodes have died with it at the front of its line
    stage        bigint      NOT NULL DEFAULT 0,
    said         text,
    answered     boolean     NOT NULL DEFAULT false
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

CREATE INDEX turn_by_line ON turn (conversation, kind, key);

-- The names of turns, by their digests, so that a repeated call is known.
CREATE TABLE seen (
    print bytea       PRIMARY KEY,
    until timestamptz NOT NULL
);

CREATE INDEX seen_by_end ON seen (until);

-- Assistants that were made over HTTP. Those of the configuration file are not stored.
CREATE TABLE assistant (
    name     text        COLLATE "C" PRIMARY KEY,
    settings text        NOT NULL,          -- the members of the section as JSON
    version  bigint      NOT NULL,
    changed  timestamptz NOT NULL
);

-- Grows with each change of an assistant or a document. Its values are the versions of settings and the keys of documents. Each
-- change locks its row first, so that changes come one after the other.
CREATE TABLE assistant_revision (
    single boolean PRIMARY KEY CHECK (single),
    value  bigint  NOT NULL
);

INSERT INTO assistant_revision (single, value) VALUES (true, 0);

CREATE TABLE document (
    key       bigint      PRIMARY KEY,
    assistant text        COLLATE "C" NOT NULL REFERENCES assistant (name) ON DELETE CASCADE,
    name      text        COLLATE "C" NOT NULL,
    draft     boolean     NOT NULL,         -- its upload has not ended
    bytes     bigint      NOT NULL DEFAULT 0, -- of the file
    received  timestamptz NOT NULL,
    state     text        NOT NULL,         -- reading, ready or unreadable
    pages     int,
    passages  int,
    reason    text                          -- of an unreadable document
);

CREATE UNIQUE INDEX document_by_name ON document (assistant, name) WHERE NOT draft;

CREATE INDEX document_unread ON document (key) WHERE state = 'reading' AND NOT draft;

-- Pieces of at most 1 MiB. Part 0 is the file, 1 its passages, 2 their vectors.
CREATE TABLE document_piece (
    document bigint   NOT NULL REFERENCES document (key) ON DELETE CASCADE,
    part     smallint NOT NULL,
    place    int      NOT NULL,
    bytes    bytea    NOT NULL,
    PRIMARY KEY (document, part, place)
);
