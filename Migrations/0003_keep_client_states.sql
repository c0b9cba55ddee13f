-- How each client fares at its token endpoint, and when an account's state last changed.
--
-- Nothing here is sealed: these are hints for backing off, counting and telling. No more is decided
-- by them than how long to wait, and whether a person is asked a little later.

-- Which accounts belong to one client at one token endpoint, so that one row of `client` can speak for
-- all: keyed BLAKE2b-256 under the selection key of "VLT1CLI\0" . vault_id . 0x01 . the lengths (u32,
-- big-endian) and texts of the client identifier and the address that refreshes go to. Null until an
-- account of an older vault is refreshed.
ALTER TABLE account ADD COLUMN client_hash BLOB
    CONSTRAINT client_hash_is_32_bytes CHECK (length(client_hash) = 32);
-- When `state` became what it is; null where nobody wrote it down.
ALTER TABLE account ADD COLUMN state_since INTEGER;
-- The number of that change among all of the vault's, so that every process tells of each once.
ALTER TABLE account ADD COLUMN state_change INTEGER NOT NULL DEFAULT 0;
ALTER TABLE vault ADD COLUMN state_changes INTEGER NOT NULL DEFAULT 0;

CREATE INDEX account_client ON account (client_hash, state, state_since)
    WHERE client_hash IS NOT NULL;
CREATE INDEX account_state_change ON account (state_change);

-- A client at a token endpoint, or, with 0x02 and the host in place of 0x01 and the address, at a host:
-- that one is what a server throttles.
CREATE TABLE client (
    hash BLOB PRIMARY KEY CONSTRAINT hash_is_32_bytes CHECK (length(hash) = 32),
    -- Nothing is sent before.
    paused_until INTEGER,
    -- The account_ids refused as this client since the last success, one after the other.
    refused_accounts BLOB NOT NULL DEFAULT x'' CONSTRAINT refused_accounts_are_whole
        CHECK (length(refused_accounts) % 16 = 0 AND length(refused_accounts) <= 48),
    -- Set while nothing is sent but one try now and then, each for another account.
    breaker TEXT CONSTRAINT breaker_is_known CHECK (breaker IN ('client_refused', 'mass_refusal')),
    breaker_since INTEGER,
    next_try INTEGER,
    last_tried BLOB CONSTRAINT last_tried_is_16_bytes CHECK (length(last_tried) = 16),
    -- Refreshes sent once more because the first answer was lost: how many were granted, how many
    -- refused. They tell what the server does with a refresh token that comes twice.
    retries_granted INTEGER NOT NULL DEFAULT 0
        CONSTRAINT retries_granted_counts CHECK (retries_granted >= 0),
    retries_refused INTEGER NOT NULL DEFAULT 0
        CONSTRAINT retries_refused_counts CHECK (retries_refused >= 0),
    -- Grants refused since the last one granted, and since when: very many at once are a fault of the
    -- server's.
    grants_refused INTEGER NOT NULL DEFAULT 0
        CONSTRAINT grants_refused_counts CHECK (grants_refused >= 0),
    grants_refused_since INTEGER,
    CONSTRAINT breaker_is_whole CHECK (
        (breaker IS NULL) = (next_try IS NULL) AND (breaker IS NULL) = (breaker_since IS NULL))
) STRICT, WITHOUT ROWID;
