-- Assistants that were made over HTTP. Those of the configuration file are not stored.
CREATE TABLE assistant (
    name     TEXT    PRIMARY KEY,
    settings TEXT    NOT NULL,           -- the members of the section as JSON
    version  INTEGER NOT NULL,
    changed  INTEGER NOT NULL
) STRICT;

-- Grows with each change of an assistant or a document. Its values are the versions of settings and the keys of documents.
CREATE TABLE assistant_revision (
    only  INTEGER PRIMARY KEY CHECK (only = 1),
    value INTEGER NOT NULL
) STRICT;

INSERT INTO assistant_revision (only, value) VALUES (1, 0);

CREATE TABLE document (
    key       INTEGER PRIMARY KEY,
    assistant TEXT    NOT NULL REFERENCES assistant (name) ON DELETE CASCADE,
    name      TEXT    NOT NULL,
    draft     INTEGER NOT NULL,           -- 1: its upload has not ended
    bytes     INTEGER NOT NULL DEFAULT 0, -- of the file
    received  INTEGER NOT NULL,
    state     TEXT    NOT NULL,           -- reading, ready or unreadable
    pages     INTEGER,
    passages  INTEGER,
    reason    TEXT                        -- of an unreadable document
) STRICT;

CREATE UNIQUE INDEX document_by_name ON document (assistant, name) WHERE draft = 0;

CREATE INDEX document_unread ON document (key) WHERE state = 'reading' AND draft = 0;

-- Pieces of at most 1 MiB. Part 0 is the file, 1 its passages, 2 their vectors.
CREATE TABLE document_piece (
    key      INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES document (key) ON DELETE CASCADE,
    part     INTEGER NOT NULL,
    place    INTEGER NOT NULL,
    bytes    BLOB    NOT NULL
) STRICT;

CREATE UNIQUE INDEX document_piece_by_place ON document_piece (document, part, place);
