/// What was done with a vault, in the parts that its log writes down.
package struct ActivityFacts: Sendable, Hashable {
    /// Of the row, which counts up.
    package var number: Int64
    /// Seconds since 1970.
    package var at: Int64
    /// The program that did it, and its process.
    package var actor: String
    package var action: String
    package var account: String?
    /// `ok`, or the code of the error.
    package var result: String
    /// Whether the vault does it by itself, very often.
    package var isRoutine: Bool

    package init(
        number: Int64,
        at: Int64,
        actor: String,
        action: String,
        account: String?,
        result: String,
        isRoutine: Bool
    ) {
        self.number = number
        self.at = at
        self.actor = actor
        self.action = action
        self.account = account
        self.result = result
        self.isRoutine = isRoutine
    }
}

extension Keyring {
    /// The hash that vouches for a row of the log: who can write the file can take rows out of it,
    /// and neither change one nor make one up.
    package func activityHash(of facts: ActivityFacts) -> [UInt8] {
        var message = Array("VLT1LOG\0".utf8) + vaultID.bytes
        message.append(bigEndian: facts.number)
        message.append(bigEndian: facts.at)
        message.append(facts.isRoutine ? 1 : 0)
        for text in [facts.actor, facts.action, facts.account, facts.result] {
            // No text is as long as the length of one that is absent.
            message.append(bigEndian: text.map { UInt32($0.utf8.count) } ?? .max)
            message += (text ?? "").utf8
        }
        return keyedHash(message, keyAt: Self.activityIndex)
    }

    /// Compares a stored hash in constant time.
    package func activity(_ hash: [UInt8], vouchesFor facts: ActivityFacts) -> Bool {
        constantTimeEqual(activityHash(of: facts), hash)
    }
}
