import Glibc

/// Accounts made in the ways a person makes them.
extension Stage {
    /// Adds an account with a fresh grant of the server; `expiresIn` replaces what it said.
    @discardableResult
    func add(
        _ name: String,
        from server: TestServer,
        expiresIn: Int? = nil
    ) throws -> Ended {
        var response = try server.issue(subject: name)
        if let expiresIn { response = Self.replacing(expiresIn, in: response) }
        return try add(name, response, at: server.address.tokenEndpoint)
    }

    /// Adds an account with a token response.
    @discardableResult
    func add(_ name: String, _ response: String, at endpoint: String) throws -> Ended {
        let ended = try vault(
            ["add", name, "--token-endpoint", endpoint, "--client-id", "test-public"],
            input: response
        )
        guard ended.code == 0 else { throw HarnessError("add failed: \(ended)") }
        return ended
    }

    /// Adds accounts whose tokens have expired by the time this returns, with no agent running.
    func addExpired(_ names: [String], from server: TestServer) throws {
        // The agent would renew them after 40 % of their life, up to a second earlier because the
        // file counts in whole seconds; it has to be gone by then.
        let seconds = names.count + 3
        for name in names { try add(name, from: server, expiresIn: seconds) }
        _ = try vault("agent", "stop")
        guard try server.statistics().tokenRequests == 0 else {
            throw HarnessError("this machine is too slow: the agent has renewed a token already")
        }
        usleep(UInt32(seconds) * 1_000_000 + 100_000)
    }

    /// A token response with another lifetime.
    static func replacing(_ expiresIn: Int, in response: String) -> String {
        let key = #""expires_in":"#
        guard let start = response.firstRange(of: key)?.upperBound else { return response }
        let rest = response[start...].drop { $0.isNumber }
        return response[..<start] + "\(expiresIn)" + rest
    }

    /// Signs in with `vault login --no-browser`, this test being the person with the browser.
    func login(
        _ name: String,
        issuer: String?,
        clientID: String? = "test-public",
        _ more: [String] = [],
        secret: String? = nil,
        browse: (_ authorizationURL: String) throws -> Void
    ) throws -> Ended {
        var words = ["login", name, "--no-browser"] + more
        if let issuer { words += ["--issuer", issuer] }
        if let clientID { words += ["--client-id", clientID] }
        if secret != nil { words += ["--client-secret-fd", "7"] }
        var launch = try vaultLaunch(words)
        if let secret { launch.descriptors[7] = "\(secret)\n" }
        let run = try start(launch)
        var address: String?
        let isThere = try poll(seconds: 30, every: 10) {
            address = Self.address(in: run.stderrSoFar)
            return address != nil || run.process.exitStatus() != nil
        }
        if isThere, let address { try browse(address) }
        return try finish(run)
    }

    /// The same at the test server, which consents at once.
    func login(
        _ name: String,
        at server: TestServer,
        clientID: String = "test-public",
        _ more: [String] = [],
        secret: String? = nil
    ) throws -> Ended {
        try login(name, issuer: server.issuer, clientID: clientID, more, secret: secret) {
            address in
            let page = try follow(address)
            guard page.code == 0 else { throw HarnessError("the browser failed: \(page)") }
        }
    }

    /// Signs in again with what the account was signed in with before.
    func loginAgain(_ name: String) throws -> Ended {
        try login(name, issuer: nil, clientID: nil) { address in
            _ = try follow(address)
        }
    }

    /// A browser: follows redirects up to the page that the vault shows.
    @discardableResult
    func follow(_ address: String, _ arguments: [String] = []) throws -> Ended {
        try start(
            launch(Programs.system("curl"), ["-fsSL", "--max-time", "30"] + arguments + [address])
        ).wait()
    }

    private static func address(in words: String) -> String? {
        // Only whole lines: the address may still be on its way.
        let lines = words.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let line = lines.first { $0.hasPrefix("vault: http") }
        return line.map { String($0.dropFirst("vault: ".count)) }
    }
}
