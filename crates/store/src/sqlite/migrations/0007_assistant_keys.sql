-- Members of the section that versions before this one refuse, as JSON.
ALTER TABLE assistant ADD COLUMN newer TEXT;

-- The keys of back ends that were entered for assistants.
CREATE TABLE assistant_key (
    assistant TEXT    PRIMARY KEY REFERENCES assistant (name) ON DELETE CASCADE,
    sealed    BLOB,                      -- encrypted; NULL: it was dropped, because the assistant calls another host
    origin    TEXT    NOT NULL,          -- where it may go: https://api.openai.com
    changed   INTEGER NOT NULL
) STRICT;

-- The assistant that was chosen for the channel itself, in place of the one of the configuration.
CREATE TABLE channel_assistant (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    name TEXT    NOT NULL
) STRICT;
