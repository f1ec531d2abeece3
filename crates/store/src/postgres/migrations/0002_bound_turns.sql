ALTER TABLE turn ADD COLUMN bound text;     -- the node that alone can answer it, because its caller waits there
