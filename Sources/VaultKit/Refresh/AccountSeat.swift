internal import VaultStore

/// Keeping an account to oneself for work that is no refresh.
extension TokenRefresher {
    /// Waits for the refreshes of an account that run in this process, and takes their place: whoever
    /// asks for a token waits until it is vacated.
    ///
    /// `read` is the account as it is stored then.
    func reserve(
        _ read: () throws -> StoredAccount
    ) async throws -> (StoredAccount, Flight) {
        while true {
            let account = try read()
            switch try occupy(account) {
            case .taken(let seat): return (account, seat)
            case .flying(let flight): _ = try await flight.end(until: nil)
            }
        }
    }
}
