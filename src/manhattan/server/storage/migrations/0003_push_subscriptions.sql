-- Browsers that want notifications while the page is closed (Web Push).
CREATE TABLE push_subscriptions (
    endpoint TEXT PRIMARY KEY,
    person_id TEXT NOT NULL,
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    language TEXT NOT NULL,
    kinds TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX push_subscriptions_by_person ON push_subscriptions (person_id, created_at);
