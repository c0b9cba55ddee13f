internal import VaultCrypto
internal import VaultSQLite

/// The hints that accounts are found by: which keyed hashes of tags stand beside which account.
///
/// They are written from the record, with it and in its transaction, and never read back into one.
struct TagHints {
    let connection: Connection
    let keyring: Keyring

    /// Writes down the tags of an account, in place of what is there and differs.
    func set(_ tags: Set<AccountTag>, of account: AccountID) throws {
        let wanted = hashes(of: tags)
        guard try Self.hashes(of: account.bytes, in: connection) != wanted else { return }
        try Self.remove(account.bytes, from: connection)
        for hash in wanted {
            var insert = try connection.prepare(
                "INSERT INTO account_tag (tag_hash, account_id) VALUES (?1, ?2)"
            )
            insert.bind(hash, at: 1)
            insert.bind(account.bytes, at: 2)
            try insert.run()
        }
    }

    static func remove(_ account: [UInt8], from connection: Connection) throws {
        var delete = try connection.prepare("DELETE FROM account_tag WHERE account_id = ?1")
        delete.bind(account, at: 1)
        try delete.run()
    }

    /// What should stand there for these tags.
    func hashes(of tags: Set<AccountTag>) -> Set<[UInt8]> {
        Set(tags.map { keyring.tagHash(of: $0.text) })
    }

    /// What stands there.
    static func hashes(of account: [UInt8], in connection: Connection) throws -> Set<[UInt8]> {
        var select = try connection.prepare(
            "SELECT tag_hash FROM account_tag WHERE account_id = ?1"
        )
        select.bind(account, at: 1)
        var hashes: Set<[UInt8]> = []
        while try select.step() { hashes.insert(select.blob(at: 0)) }
        return hashes
    }

    // MARK: - Finding

    /// An account that is said to have some tags: its identifier and the name in its row.
    typealias Candidate = (id: [UInt8], name: String)

    /// The next accounts that are said to have every one of some tags, in the order of their
    /// identifiers.
    func candidates(
        for tags: Set<AccountTag>,
        after id: [UInt8]?,
        limit: Int
    ) throws -> [Candidate] {
        let hashes = try rarestFirst(hashes(of: tags))
        let others = hashes.indices.dropFirst().map { index in
            """
            AND EXISTS (SELECT 1 FROM account_tag \
            WHERE tag_hash = ?\(index + 3) AND account_id = hint.account_id)
            """
        }
        var select = try connection.prepare(
            """
            SELECT hint.account_id, account.name FROM account_tag AS hint \
            CROSS JOIN account ON account.account_id = hint.account_id \
            WHERE hint.tag_hash = ?3 AND hint.account_id > ?1 \
            \(others.joined(separator: " ")) ORDER BY hint.account_id LIMIT ?2
            """
        )
        select.bind(id ?? [], at: 1)
        select.bind(Int64(limit), at: 2)
        for (index, hash) in hashes.enumerated() { select.bind(hash, at: Int32(index + 3)) }
        var found: [Candidate] = []
        while try select.step() {
            let candidate = (id: select.blob(at: 0), name: select.text(at: 1))
            // A damaged page may give the same row for ever.
            guard (found.last?.id ?? id ?? []).lexicographicallyPrecedes(candidate.id) else {
                break
            }
            found.append(candidate)
        }
        return found
    }

    /// Hints of one tag that are counted to see which tag is rare.
    private static let countedHints: Int64 = 1000

    /// The tag that fewest accounts have leads: of one that all have, every hint would be looked at.
    private func rarestFirst(_ hashes: Set<[UInt8]>) throws -> [[UInt8]] {
        guard hashes.count > 1 else { return Array(hashes) }
        let counted = try hashes.map { (hash: $0, count: try count(of: $0)) }
        return counted.sorted { $0.count < $1.count }.map(\.hash)
    }

    private func count(of hash: [UInt8]) throws -> Int64 {
        var select = try connection.prepare(
            """
            SELECT count(*) FROM (SELECT 1 FROM account_tag WHERE tag_hash = ?1 LIMIT ?2)
            """
        )
        select.bind(hash, at: 1)
        select.bind(Self.countedHints, at: 2)
        return try select.step() ? select.integer(at: 0) : 0
    }
}
