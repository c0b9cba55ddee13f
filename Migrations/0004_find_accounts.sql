-- Which accounts have a tag, so that they are found without opening every record.
--
-- The tags themselves are in the account records ("tags": [..]). What stands here are hints: whoever
-- finds an account by one opens its record and believes only that. They show which accounts have a
-- tag in common, and not what it says.

CREATE TABLE account_tag (
    -- Keyed BLAKE2b-256 under the root key's subkey 4, vltsel01, of "VLT1TAG\0" . vault_id . the length
    -- (u32, big-endian) and text of the tag.
    tag_hash BLOB NOT NULL CONSTRAINT tag_hash_is_32_bytes CHECK (length(tag_hash) = 32),
    account_id BLOB NOT NULL CONSTRAINT account_id_is_16_bytes CHECK (length(account_id) = 16),
    PRIMARY KEY (tag_hash, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX account_tag_account ON account_tag (account_id);

-- The accounts that are not well, which every stream of events begins with: few of very many.
CREATE INDEX account_standing ON account (state_change) WHERE state <> 'active';
