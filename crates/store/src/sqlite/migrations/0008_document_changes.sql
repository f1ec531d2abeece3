-- The revision with which the document came, or its state was changed last: who has read the others before reads on from there.
ALTER TABLE document ADD COLUMN revised INTEGER NOT NULL DEFAULT 0;

CREATE INDEX document_by_revision ON document (assistant, revised) WHERE draft = 0;
