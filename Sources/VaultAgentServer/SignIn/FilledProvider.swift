internal import OAuth
internal import VaultKit
internal import VaultStore

extension KnownProvider {
    /// The same with what was told in place of the names in its endpoints.
    ///
    /// A name may be left out where its endpoints are not needed; any other fault is `invalid_input`
    /// with the field `provider_parameters`.
    func filled(_ parameters: [String: String], needsAll: Bool) throws -> KnownProvider {
        guard needsAll || !parameters.isEmpty else { return self }
        do {
            return KnownProvider(name: name, entry: try entry.filled(parameters), file: file)
        } catch {
            throw VaultError(error, provider: name)
        }
    }
}

extension VaultError {
    /// What is wrong with what was told of a provider.
    init(_ error: ProviderParameterError, provider: String) {
        var facts: [Fact: String] = [.field: "provider_parameters", .wanted: provider]
        switch error {
        case .missing(let name): (facts[.reason], facts[.found]) = ("missing", name)
        case .unknown(let name): (facts[.reason], facts[.found]) = ("unknown", name)
        case .malformed(let name): (facts[.reason], facts[.found]) = ("malformed", name)
        case .foreignHost(let name, let host):
            (facts[.reason], facts[.found], facts[.host]) = ("foreign_host", name, host)
        }
        self.init(.invalidInput, facts: facts)
    }
}
