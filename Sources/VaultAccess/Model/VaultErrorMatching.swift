extension VaultError.Code {
    /// Whether an error is a ``VaultError`` of this code, as in `catch VaultError.Code.signInNeeded`.
    public static func ~= (code: VaultError.Code, error: any Error) -> Bool {
        (error as? VaultError)?.code == code
    }
}

extension VaultError: CustomStringConvertible {
    /// Code, account and facts, for a log: never a token or another secret.
    public var description: String {
        let known = facts.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.key.rawValue)=\($0.value)" }
        let place = account.map { [" of \($0)"] } ?? []
        return code.rawValue + place.joined()
            + (known.isEmpty ? "" : " (\(known.joined(separator: ", ")))")
    }
}
