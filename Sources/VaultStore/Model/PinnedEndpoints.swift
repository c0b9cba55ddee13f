package import OAuth
package import VaultAccess

extension AccountSettings {
    /// The endpoints that the account is signed in and renewed at, as they were found once.
    ///
    /// One that takes tokens back in a form of its provider's own is none of them: what a server
    /// publishes is for the form of RFC 7009.
    package var endpoints: [EndpointName: EndpointURL] {
        get {
            var endpoints = [EndpointName.token: tokenEndpoint]
            endpoints[.authorization] = authorizationEndpoint
            if revocationForm == .standard { endpoints[.revocation] = revocationEndpoint }
            endpoints[.userinfo] = userinfoEndpoint
            return endpoints
        }
        set {
            if let token = newValue[.token] { tokenEndpoint = token }
            authorizationEndpoint = newValue[.authorization]
            if revocationForm == .standard { revocationEndpoint = newValue[.revocation] }
            userinfoEndpoint = newValue[.userinfo]
        }
    }
}

/// Other endpoints of an account, in place of those that it was looked at with.
package struct EndpointChange: Sendable {
    package let account: AccountName
    package let old: [EndpointName: EndpointURL]
    package let new: [EndpointName: EndpointURL]

    package init(
        of account: AccountName,
        from old: [EndpointName: EndpointURL],
        to new: [EndpointName: EndpointURL]
    ) {
        self.account = account
        self.old = old
        self.new = new
    }
}
