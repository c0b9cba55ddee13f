-- When a key slot was made or last changed, for `vault key list`; null where nobody wrote it down.
ALTER TABLE key_slot ADD COLUMN changed_at INTEGER;
