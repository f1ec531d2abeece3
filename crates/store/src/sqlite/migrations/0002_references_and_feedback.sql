-- Where a conversation is that somebody else holds; JSON.
ALTER TABLE conversation ADD COLUMN reference TEXT;

-- What readers think of answers, in the order in which it came.
CREATE TABLE feedback (
    key          INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    timestamp    INTEGER NOT NULL,
    body         TEXT    NOT NULL       -- the feedback as JSON
) STRICT;

CREATE INDEX feedback_by_conversation ON feedback (conversation, key);
