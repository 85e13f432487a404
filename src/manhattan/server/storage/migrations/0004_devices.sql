-- Browsers in which a person is signed in. Revoked ones stay, so that their cookies stay invalid.
CREATE TABLE devices (
    id TEXT PRIMARY KEY,
    person_id TEXT NOT NULL,
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX devices_by_person ON devices (person_id);

-- Public keys, in base64url. The private keys never leave the people's devices.
CREATE TABLE passkeys (
    id TEXT PRIMARY KEY,
    person_id TEXT NOT NULL,
    public_key TEXT NOT NULL,
    sign_count BIGINT NOT NULL,
    rp_id TEXT NOT NULL,
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX passkeys_by_person ON passkeys (person_id);

-- Keyed hashes. The selector is the beginning of the code, by which a row is found.
CREATE TABLE recovery_codes (
    digest TEXT PRIMARY KEY,
    selector TEXT NOT NULL,
    person_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX recovery_codes_by_selector ON recovery_codes (selector);
CREATE INDEX recovery_codes_by_person ON recovery_codes (person_id);

-- Challenges of passkeys that wait for an answer. Each is used once, within minutes.
CREATE TABLE challenges (
    id TEXT PRIMARY KEY,
    purpose TEXT NOT NULL,
    challenge TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX challenges_by_expiry ON challenges (expires_at);

-- The device that wants notifications; empty if it subscribed before there were devices.
ALTER TABLE push_subscriptions ADD COLUMN device_id TEXT NOT NULL DEFAULT '';
