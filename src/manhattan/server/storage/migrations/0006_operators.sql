-- Addresses, networks and people whom the operator has excluded.
CREATE TABLE bans (
    subject TEXT PRIMARY KEY,
    created_at BIGINT NOT NULL
);

-- What the operator has asked the running servers to do, and what came of it.
CREATE TABLE operator_requests (
    id TEXT PRIMARY KEY,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    outcome TEXT
);
CREATE INDEX operator_requests_by_time ON operator_requests (created_at);
