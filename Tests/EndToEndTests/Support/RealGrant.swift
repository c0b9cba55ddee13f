/// What a real server gave out, and what the vault must never show of it.
struct RealGrant {
    let response: String
    let refreshToken: String
    let accessToken: String

    init(_ server: RealServer, _ redirectURI: String) throws {
        try self.init(server.tokenResponse(redirectURI: redirectURI))
    }

    private init(_ response: String) throws {
        let body = try JSON(response)
        guard let refreshToken = body["refresh_token"]?.string,
            let accessToken = body["access_token"]?.string
        else { throw HarnessError("no tokens in the server's answer") }
        self.response = response
        self.refreshToken = refreshToken
        self.accessToken = accessToken
    }

    /// The same with a refresh token that no server knows.
    func withRefreshToken(_ other: String) throws -> RealGrant {
        try RealGrant(response.replacing(refreshToken, with: other))
    }

    /// The same, its access token living for so many seconds.
    func living(seconds: Int) throws -> RealGrant {
        try RealGrant(Stage.replacing(seconds, in: response))
    }

    private var canaries: [Canary] {
        [Canary("refresh token", refreshToken), Canary("access token", accessToken)]
    }

    /// Where the tokens of these grants are, other than sealed and where they were asked for.
    static func leaks(of grants: some Sequence<RealGrant>, in stage: Stage) throws -> [Leak] {
        let search = LeakSearch(for: grants.flatMap(\.canaries))
        let files = try Files.tree(stage.vaultHome) + Files.tree(stage.stateHome)
        return try search.output(of: stage.history)
            + files.flatMap { search.leaks(.file, try Files.read($0), at: $0) }
    }
}
