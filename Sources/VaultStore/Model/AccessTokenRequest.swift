package import OAuth

/// What an access token was asked for beside what the account's every refresh asks for.
///
/// The refresh token is one per account, whatever is asked; access tokens are a set by this.
package struct AccessTokenRequest: Sendable, Hashable {
    /// Nil for all that was granted.
    package let scope: Scope?
    /// The resource server it is for (RFC 8707); nil for whichever the server takes.
    package let resource: String?

    /// Nil when nothing special is asked for: then it is the account's default token.
    package init?(scope: Scope?, resource: String?) {
        guard scope != nil || resource != nil else { return nil }
        // The order of names says nothing (RFC 6749 §3.3).
        let names = scope?.names.sorted() ?? []
        guard !names.isEmpty || resource != nil else { return nil }
        self.scope = names.isEmpty ? nil : Scope(names)
        self.resource = resource
    }

    /// The part that cannot be asked for, by name: a scope's names have no blanks (RFC 6749 §3.3), a
    /// resource is an absolute URI without a fragment (RFC 8707 §2).
    package var flaw: String? {
        let isScope = (scope?.names ?? []).allSatisfy { name in
            name.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }
        }
        guard isScope else { return "scope" }
        return resource.map { Self.isAbsolute($0.utf8) } ?? true ? nil : "resource"
    }

    private static func isAbsolute(_ uri: String.UTF8View) -> Bool {
        let scheme = uri.prefix { $0 != UInt8(ascii: ":") }
        return !scheme.isEmpty && scheme.count + 1 < uri.count
            && uri.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }
    }
}
