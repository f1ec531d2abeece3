-- The revision with which the document came, or its state was changed last: who has read the others before reads on from there. NULL
-- for a document that a node of an older version has published, which is always read again.
ALTER TABLE document ADD COLUMN revised bigint;

UPDATE document SET revised = 0 WHERE NOT draft;

CREATE INDEX document_by_revision ON document (assistant, revised) WHERE NOT draft;
