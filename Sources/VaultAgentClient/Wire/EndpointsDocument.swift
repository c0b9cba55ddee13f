/// How an account's endpoints differ from what its authorization server publishes.
package struct EndpointsDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    package let issuer: String
    package let changes: [Change]

    package struct Change: Codable, Sendable {
        /// As discovery documents name it.
        package let name: String
        package let pinned: String
        package let found: String

        package init(name: String, pinned: String, found: String) {
            self.name = name
            self.pinned = pinned
            self.found = found
        }
    }

    package init(issuer: String, changes: [Change]) {
        self.issuer = issuer
        self.changes = changes
    }
}

/// The endpoints that an account is to have, as somebody was shown them.
package struct PinEndpointsDocument: Codable, Sendable {
    package let endpoints: [String: String]

    package init(endpoints: [String: String]) {
        self.endpoints = endpoints
    }
}
