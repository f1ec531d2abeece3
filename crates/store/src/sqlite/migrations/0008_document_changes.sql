-- The revision with which the document came, or its state was changed last: who has read the others before reads on from there.
ALTER TABLE document ADD COLUMN revised INTEGER NOT NULL DEFAULT 0;

-- With all columns that counting and adding up needs, so that no document is looked at for it.
CREATE INDEX document_by_revision ON document (assistant, revised, bytes, draft) WHERE draft = 0;
