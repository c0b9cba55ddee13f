import Glibc
import Testing

/// Gives a test a vault and a real authorization server; neither where its packages cannot be had.
func withRealServer(
    _ kind: RealServer.Kind,
    accessTokenLifetime: Int = 3600,
    settings: [String: String] = [:],
    rotates: Bool = true,
    _ body: (Stage, RealServer, _ redirectURI: String) throws -> Void
) throws {
    try withStage { stage in
        let redirectURI = "http://127.0.0.1:\(try freePort())/callback"
        let common = ["ACCESS_TTL": "\(accessTokenLifetime)", "REDIRECTS": redirectURI]
        let server = try RealServer(
            kind,
            stage,
            settings: common.merging(settings) { $1 },
            rotates: rotates
        )
        guard let server else { return }
        defer { server.stop() }
        try stage.initialize()
        try body(stage, server, redirectURI)
    }
}

extension Stage {
    private static let scope = [
        "--scope", "openid", "--scope", "offline_access", "--scope", "read",
    ]

    /// Signs in at a real server, as its public or its confidential client.
    func login(
        _ name: String,
        _ server: RealServer,
        _ redirectURI: String,
        isPublic: Bool = true,
        _ more: [String] = []
    ) throws {
        let ended = try login(
            name,
            issuer: server.issuer,
            clientID: server[isPublic ? "PUBLIC_CLIENT_ID" : "CLIENT_ID"],
            Self.scope + ["--redirect-uri", redirectURI] + more,
            secret: isPublic ? nil : server["CLIENT_SECRET"]
        ) { try server.browse($0) }
        #expect(ended.code == 0 && ended.stdout.isEmpty, "\(ended)")
    }

    /// Adds an account with a token response of the server's confidential client.
    func add(
        _ name: String,
        _ response: String,
        _ server: RealServer,
        secret: String? = nil
    ) throws {
        let added = try vault(
            [
                "add", name, "--token-endpoint", server.tokenEndpoint, "--client-id",
                server["CLIENT_ID"], "--client-secret-fd", "9",
            ],
            input: response,
            descriptors: [9: secret ?? server["CLIENT_SECRET"]]
        )
        guard added.code == 0 else { throw HarnessError("add failed: \(added)") }
    }

    /// The refresh token that the vault keeps sealed for an account.
    func refreshToken(of name: String) throws -> String? {
        let whole = try JSON(vault("export", "--plaintext").word)["accounts"]?.items ?? []
        let account = whole.first { $0["settings"]?["name"] == .string(name) }
        return account?["tokens"]?["refresh_token"]?.string
    }

    /// What `vault status --json` says of one account.
    func status(of name: String) throws -> JSON? {
        try JSON(vault("status", name, "--json").word)["accounts"]?[0]
    }
}

/// A port of 127.0.0.1 that was free a moment ago, for a redirect address that is registered.
func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
            bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
        }
    }
    guard result else { throw HarnessError("no free port: errno \(errno)") }
    return UInt16(bigEndian: address.sin_port)
}
