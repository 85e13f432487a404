-- SQL that both SQLite and PostgreSQL understand.

-- The events of all tables: the source of truth. Each number of a table is used once.
CREATE TABLE events (
    table_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (table_id, number)
);

-- One row for each table, for lists and timers. It follows from the events.
CREATE TABLE tables (
    id TEXT PRIMARY KEY,
    stage TEXT NOT NULL,
    public INTEGER NOT NULL,
    opened_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    due BIGINT,
    listing TEXT NOT NULL,
    host TEXT
);
CREATE INDEX tables_by_due ON tables (due);
CREATE INDEX tables_by_stage ON tables (stage, public, changed_at);
CREATE INDEX tables_by_host ON tables (host, stage, public, changed_at);

-- The people who have a seat at a table. It follows from the events.
CREATE TABLE seat_holders (
    table_id TEXT NOT NULL,
    person_id TEXT NOT NULL,
    PRIMARY KEY (person_id, table_id)
);
CREATE INDEX seat_holders_by_table ON seat_holders (table_id);

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
