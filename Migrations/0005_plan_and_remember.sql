-- What the scheduler plans with, and what was done with the vault.

-- The accounts of one client in the order they are due: a client that must wait holds up no other.
CREATE INDEX account_client_due ON account (client_hash, due_at) WHERE due_at IS NOT NULL;
-- Refreshes whose answer was lost. The refresh token before is taken once more for seconds only, so
-- they come first.
CREATE INDEX account_unknown_due ON account (due_at)
    WHERE state = 'outcome_unknown' AND due_at IS NOT NULL;

-- When the grant itself comes to its end, however often it is used; null where nobody said.
ALTER TABLE account ADD COLUMN grant_ends_at INTEGER;
-- Whether that was told of this end.
ALTER TABLE account ADD COLUMN grant_end_told INTEGER NOT NULL DEFAULT 0
    CONSTRAINT grant_end_told_is_boolean CHECK (grant_end_told IN (0, 1));
CREATE INDEX account_grant_end ON account (grant_ends_at)
    WHERE grant_ends_at IS NOT NULL AND grant_end_told = 0;

-- Milliseconds since 1970 until which the requests sent are paid for, where the number of requests in
-- a time is limited: each adds its share, and what lies too far ahead waits.
ALTER TABLE client ADD COLUMN paid_until INTEGER;

-- The clocks as a scheduler saw them last, in milliseconds: a wall clock that was set since is noticed
-- by them.
ALTER TABLE vault ADD COLUMN clock_boot TEXT;
ALTER TABLE vault ADD COLUMN clock_wall INTEGER;
ALTER TABLE vault ADD COLUMN clock_uptime INTEGER;

-- What was done: no more of it is kept than a person reads.
CREATE TABLE activity (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    -- The program that did it, and its process.
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    account TEXT,
    -- 'ok', or the code of the error.
    result TEXT NOT NULL,
    -- 1 for what the vault does by itself, very often: less of it is kept.
    routine INTEGER NOT NULL CONSTRAINT routine_is_boolean CHECK (routine IN (0, 1)),
    -- Vouches for the row: keyed BLAKE2b-256 under the root key's subkey 5, vltlog01, of
    -- "VLT1LOG\0" . vault_id . number (i64) . at (i64) . routine (u8) . the lengths (u32, big-endian)
    -- and texts of actor, action, account and result, an absent account having the length 2^32 - 1.
    hash BLOB NOT NULL CONSTRAINT hash_is_32_bytes CHECK (length(hash) = 32)
) STRICT;

CREATE INDEX activity_routine ON activity (routine);
