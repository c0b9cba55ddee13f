package import FoundationEssentials

/// The address that a browser on another machine ended on, or the code that it shows.
package struct RedirectDocument: Codable, Sendable {
    package let redirect: String

    package init(redirect: String) {
        self.redirect = redirect
    }
}

/// A sign-in that waits for a person, or how it ended.
package struct SignInDocument: Codable, Sendable {
    package var schemaVersion = WireJSON.schemaVersion
    package let id: String
    package let state: State
    /// How somebody signs in, by the words of `vault login --flow`.
    package let flow: String
    /// The issuer as it states itself.
    package let issuer: String
    /// Where the browser is to go; set where a browser signs in.
    package var authorizationURL: String?
    package var redirectURI: String?
    /// Where to start the browser: it leads to the authorization URL, once.
    package var startURL: String?
    /// Whether the page that it ends on shows the code, which may be pasted alone; left out for no.
    package var takesCode: Bool?
    /// What the person types elsewhere; set where a device signs in.
    package var device: Device?
    /// What is going on while it waits.
    package var notice: Notice?
    /// Set when it failed.
    package var error: ErrorDocument.Failure?
    /// Whether the grant can be renewed; set when it is ready.
    package var renewable: Bool?
    /// Who the person signs in at.
    package var server: SignInServerDocument?

    package enum State: String, Codable, Sendable {
        case waiting
        case ready
        case failed
    }

    package enum Notice: String, Codable, Sendable {
        /// What came back is presented at the token endpoint, or its grant is being stored.
        case exchanging
        /// The server does not answer; it is asked again.
        case unreachable
        /// The server asked for longer pauses.
        case slowedDown = "slowed_down"
    }

    /// A device authorization (RFC 8628 §3.2) without what is secret in it.
    package struct Device: Codable, Sendable {
        package let userCode: String
        package let verificationURI: String
        package let verificationURIComplete: String?
        package let expiresAt: Date
        /// The address, with the code where the server has such a one, as a QR code: its rows from top
        /// to bottom, `1` for each dark module, without the quiet zone.
        package var qrCode: [String]?

        package init(
            userCode: String,
            verificationURI: String,
            verificationURIComplete: String?,
            expiresAt: Date
        ) {
            self.userCode = userCode
            self.verificationURI = verificationURI
            self.verificationURIComplete = verificationURIComplete
            self.expiresAt = expiresAt
        }
    }

    package init(id: String, state: State, flow: String, issuer: String) {
        self.id = id
        self.state = state
        self.flow = flow
        self.issuer = issuer
    }
}
