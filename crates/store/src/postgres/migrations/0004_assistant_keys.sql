-- Members of the section that versions before this one refuse, as JSON.
ALTER TABLE assistant ADD COLUMN newer text;

-- The keys of back ends that were entered for assistants.
CREATE TABLE assistant_key (
    assistant text        COLLATE "C" PRIMARY KEY REFERENCES assistant (name) ON DELETE CASCADE,
    sealed    bytea,                        -- encrypted; NULL: it was dropped, because the assistant calls another host
    origin    text        NOT NULL,         -- where it may go: https://api.openai.com
    changed   timestamptz NOT NULL
);

-- The assistant that was chosen for the channel itself, in place of the one of the configuration.
CREATE TABLE channel_assistant (
    single boolean PRIMARY KEY CHECK (single),
    name   text    NOT NULL
);
