-- Who has opened a table, so that nobody fills a list alone. Of older tables it is not known here
-- until something happens at them.

ALTER TABLE tables ADD COLUMN host TEXT;
CREATE INDEX tables_by_host ON tables (host, stage, public, changed_at);
