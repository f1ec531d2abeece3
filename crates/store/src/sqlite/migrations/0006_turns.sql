-- What has to be answered: a row is written with its reason, and deleted with its answer.
CREATE TABLE turn (
    key          INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    kind         INTEGER NOT NULL,
    place        INTEGER NOT NULL,           -- of the activity that it is about, or, where it has a body, of the next one
    body         TEXT,
    name         TEXT,
    arrived      INTEGER NOT NULL,
    attempts     INTEGER NOT NULL DEFAULT 0, -- how many processes have ended with it at the front of its line
    stage        INTEGER NOT NULL DEFAULT 0,
    said         TEXT,
    answered     INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX turn_by_line ON turn (conversation, kind, key);
