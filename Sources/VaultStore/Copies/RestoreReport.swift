/// What restoring a copy came to.
package struct RestoreReport: Sendable, Equatable {
    /// Where the vault that was here is kept; nil when there was none.
    package var keptAt: String?
    /// The accounts of the copy, in the order of their names.
    package var accounts: [Account] = []
    /// Accounts that were here and are not in the copy.
    package var missing: [String] = []

    /// An account and how it came back.
    package struct Account: Sendable, Equatable {
        package let name: AccountName
        package let state: AccountState
        /// Whether it is just as it was here before.
        package let isUnchanged: Bool
    }
}
