-- Who belongs to a conversation: the user for whom it was started, and everybody who has said something or rated an answer.
CREATE TABLE member (
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    user         TEXT    NOT NULL,  -- the id of their account
    first        INTEGER,           -- the place of the first activity that they sent; NULL where they have sent none
    PRIMARY KEY (conversation, user)
) STRICT, WITHOUT ROWID;

CREATE INDEX member_by_user ON member (user, conversation);

INSERT INTO member (conversation, user, first)
    SELECT conversation, user, min(first) FROM (
        SELECT conversation, body ->> '$.from.id' AS user, watermark AS first
            FROM activity WHERE body ->> '$.from.role' = 'user'
        UNION ALL SELECT key, user ->> '$.id', NULL FROM conversation
        UNION ALL SELECT conversation, body ->> '$.from.id', NULL FROM feedback
    )
    WHERE typeof(user) = 'text' GROUP BY conversation, user;
