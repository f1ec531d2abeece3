-- Digests of the secrets of a node, so that nodes with other secrets are noticed: first the one of the Direct Line secret in use,
-- last that of all API keys. NULL for a node of an older version.
ALTER TABLE node ADD COLUMN secrets text[];
