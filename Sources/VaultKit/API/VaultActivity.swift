package import FoundationEssentials
internal import Platform
package import VaultAccess
internal import VaultStore

extension Vault {
    /// The newest rows of the log of what was done, the oldest of them first: all, or those of an
    /// account's name or since a time.
    package func activity(
        of account: AccountName? = nil,
        since: Date? = nil,
        limit: Int
    ) async throws -> [Activity] {
        try await translating {
            try store.newestActivity(of: account?.text, since: since, limit: limit)
        }
    }
}
