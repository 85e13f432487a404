-- What every database of ours understands: SQLite and PostgreSQL alike.

CREATE TABLE tables (
    id TEXT PRIMARY KEY,
    stage TEXT NOT NULL,
    public INTEGER NOT NULL,
    opened_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    due BIGINT,
    summary TEXT NOT NULL
);
CREATE INDEX tables_by_due ON tables (due);
CREATE INDEX tables_by_stage ON tables (stage, public, changed_at);

-- A table is the list of what happened at it; each number is taken once.
CREATE TABLE entries (
    table_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (table_id, number)
);

CREATE TABLE sitters (
    table_id TEXT NOT NULL,
    person_id TEXT NOT NULL,
    PRIMARY KEY (person_id, table_id)
);
CREATE INDEX sitters_by_table ON sitters (table_id);

CREATE TABLE people (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    generation INTEGER NOT NULL,
    changed_at BIGINT NOT NULL
);

CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
