-- A vault: key slots, accounts, and what is remembered of spent tokens.
--
-- Columns ending in _box are sealed. In account and received_token rows they hold
--     epoch (u32, big-endian) . nonce (24 bytes) . secretbox
-- where the epoch says which of the keyring's data keys the record key comes from, and in vault and
-- key_slot rows, which have no epoch,
--     nonce (24 bytes) . secretbox
-- Contexts, kinds and keys are described in Tests/VaultCryptoTests/Fixtures/README.md. Every box
-- but the root key's is padded.
-- Plaintexts are JSON objects in UTF-8, except for the keyring and the root key; a member that has
-- no value is left out. Everything the vault acts on is inside a box; the columns beside them are
-- hints (for ordering, listing and completion) and are compared with the box before anything is
-- decided. Times are Unix seconds: whole ones outside the boxes, with fractions inside.

CREATE TABLE schema_migration (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    checksum BLOB NOT NULL CONSTRAINT checksum_is_32_bytes CHECK (length(checksum) = 32),
    applied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE vault (
    id INTEGER PRIMARY KEY CONSTRAINT vault_is_one_row CHECK (id = 1),
    -- Part of every sealing context.
    vault_id BLOB NOT NULL CONSTRAINT vault_id_is_16_bytes CHECK (length(vault_id) = 16),
    -- New after a restore, so that a process that read before it notices.
    incarnation BLOB NOT NULL CONSTRAINT incarnation_is_16_bytes CHECK (length(incarnation) = 16),
    -- Commits to the root key: keyed BLAKE2b-256 of "VLT1CHK\0" . vault_id under the root key's
    -- subkey 2, vltchk01.
    root_check BLOB NOT NULL CONSTRAINT root_check_is_32_bytes CHECK (length(root_check) = 32),
    -- Generation of the keyring's sealing context (kind 5, epoch 0, no account).
    keyring_version INTEGER NOT NULL CONSTRAINT keyring_version_counts CHECK (keyring_version >= 1),
    keyring_box BLOB NOT NULL,
    -- The current account's account_id, and what vouches for the choice: keyed BLAKE2b-256 of
    -- "VLT1SEL\0" . vault_id . account_id under the root key's subkey 4, vltsel01.
    selected_account BLOB,
    selected_hash BLOB,
    CONSTRAINT selection_is_whole CHECK ((selected_account IS NULL) = (selected_hash IS NULL))
) STRICT;

CREATE TABLE key_slot (
    number INTEGER PRIMARY KEY CONSTRAINT number_is_u16 CHECK (number BETWEEN 0 AND 65535),
    -- 1 passphrase, 2 key file, 3 recovery key.
    kind INTEGER NOT NULL CONSTRAINT kind_is_known CHECK (kind IN (1, 2, 3)),
    -- Argon2id parameters; memory in bytes. For a key they and the salt are 0, and the slot's
    -- secret is the key itself.
    passes INTEGER NOT NULL CONSTRAINT passes_is_u32 CHECK (passes BETWEEN 0 AND 4294967295),
    memory INTEGER NOT NULL CONSTRAINT memory_is_positive CHECK (memory >= 0),
    salt BLOB NOT NULL CONSTRAINT salt_is_16_bytes CHECK (length(salt) = 16),
    commitment BLOB NOT NULL CONSTRAINT commitment_is_32_bytes CHECK (length(commitment) = 32),
    -- nonce . secretbox of the 32-byte root key under the slot key, unpadded.
    root_key_box BLOB NOT NULL CONSTRAINT root_key_box_is_72_bytes CHECK (length(root_key_box) = 72),
    -- Where the key file of a slot of kind 2 was put.
    key_file TEXT
) STRICT;

CREATE TABLE account (
    -- Never reused: it is also the account's byte in vault.lock.
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id BLOB NOT NULL CONSTRAINT account_id_is_unique UNIQUE
        CONSTRAINT account_id_is_16_bytes CHECK (length(account_id) = 16),
    name TEXT NOT NULL CONSTRAINT name_is_unique UNIQUE
        CONSTRAINT name_is_short CHECK (length(name) BETWEEN 1 AND 128),
    -- Generation of account_box's sealing context (kind 1): its settings were written this often.
    -- {"name" (the same as in the column), "client_id", "client_authentication",
    --  "token_endpoint", and where known "client_secret", "issuer", "authorization_endpoint",
    --  "redirect_uri", "scope": [..]}
    revision INTEGER NOT NULL CONSTRAINT revision_counts CHECK (revision >= 1),
    account_box BLOB NOT NULL,
    -- Generation of the contexts of tokens_box (kind 2) and intent_box (kind 3): pairs stored.
    -- {"refresh_token", "access_tokens": [{"access_token", "token_type", "obtained", "lifetime",
    --  "scope"}], "previous": {"refresh_token", "until"}, "sign_in_needed": {"reason", "since"}}
    -- The first access token is the account's default. "obtained" is a moment: {"wall" (Unix
    -- seconds), "boot_id", "uptime"}; "lifetime" counts seconds from it.
    generation INTEGER NOT NULL CONSTRAINT generation_counts CHECK (generation >= 1),
    tokens_box BLOB NOT NULL,
    -- Set while the refresh token of this generation may have been spent:
    -- {"refresh_token_hash" (hexadecimal), "claimed" (a moment), "attempt"}
    intent_box BLOB,
    -- Keyed hash of the refresh token now stored, as for a spent one, to find the same grant twice.
    refresh_token_hash BLOB CONSTRAINT refresh_token_hash_is_32_bytes
        CHECK (length(refresh_token_hash) = 32),
    state TEXT NOT NULL CONSTRAINT state_is_known CHECK (state IN (
        'active', 'backing_off', 'sign_in_needed', 'client_refused', 'verify_before_use',
        'outcome_unknown', 'not_saved', 'paused', 'static')),
    -- When the default access token expires, and when the next refresh is due.
    expires_at INTEGER,
    due_at INTEGER,
    -- Failures since the last success: how many, what the last one was, when.
    failure_count INTEGER NOT NULL DEFAULT 0
        CONSTRAINT failure_count_counts CHECK (failure_count >= 0),
    failure TEXT,
    failed_at INTEGER
) STRICT;

-- The queue of refreshes to come.
CREATE INDEX account_due ON account (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX account_refresh_token ON account (refresh_token_hash)
    WHERE refresh_token_hash IS NOT NULL;

-- Refresh tokens that were spent, by keyed hash: they outlive their account.
CREATE TABLE spent_token (
    hash BLOB PRIMARY KEY CONSTRAINT hash_is_32_bytes CHECK (length(hash) = 32),
    account_id BLOB NOT NULL,
    spent_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX spent_token_account ON spent_token (account_id, spent_at);

-- Pairs that came back after their account had moved on: kept for a while, never installed.
CREATE TABLE received_token (
    number INTEGER PRIMARY KEY,
    account_id BLOB NOT NULL,
    -- The generation whose refresh token was spent for it; with kind 4 its sealing context.
    generation INTEGER NOT NULL CONSTRAINT generation_counts CHECK (generation >= 1),
    received_at INTEGER NOT NULL,
    tokens_box BLOB NOT NULL
) STRICT;
