import FoundationEssentials
import VaultTesting

/// What the program says once it serves.
struct Announcement: Encodable {
    let issuer: String
    let tokenEndpoint: String
    let authorizationEndpoint: String
    let publicClientID = "test-public"
    let confidentialClientID = "test-confidential"
    let confidentialClientSecret: String
    let pid: Int32

    init(_ server: TestAuthorizationServer, confidentialClientSecret: String) {
        issuer = server.issuer
        tokenEndpoint = server.tokenEndpoint
        authorizationEndpoint = server.authorizationEndpoint
        self.confidentialClientSecret = confidentialClientSecret
        pid = ProcessInfo.processInfo.processIdentifier
    }

    /// One line of JSON.
    var line: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return "\(String(decoding: try encoder.encode(self), as: UTF8.self))\n"
        }
    }
}
