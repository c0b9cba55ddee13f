import Glibc

/// A real authorization server, started by one of the scripts in `Servers`.
final class RealServer {
    enum Kind: String {
        case glewlwyd
        case dot

        var name: String { self == .dot ? "django-oauth-toolkit" : "Glewlwyd" }
        var prefix: String { self == .dot ? "DOT" : "GLW" }
    }

    let kind: Kind
    private let stage: Stage
    private let directory: String
    private let values: [String: String]
    private let rotates: Bool

    /// Starts it on a free port; nil, said in so many words, where a normal user lacks its packages.
    ///
    /// `settings` are variables that its script reads.
    init?(
        _ kind: Kind,
        _ stage: Stage,
        settings: [String: String],
        rotates: Bool = true
    ) throws {
        self.kind = kind
        self.rotates = rotates
        self.stage = stage
        directory = "\(stage.root)/\(kind.rawValue)"
        let script = "\(Programs.packageRoot)/Tests/EndToEndTests/Servers/start-\(kind.rawValue).sh"
        var launch = stage.launch(try Programs.system("bash"), [script, directory, "0"])
        // Packages are fetched once.
        let store = "\(Programs.packageRoot)/.build/servers"
        launch.environment = [
            "PATH": Self.variable("PATH") ?? "/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": Self.variable("HOME") ?? stage.home, "GLW_ROOT": "\(store)/glewlwyd",
            "DOT_VENV": "\(store)/dot", "ROTATE": rotates ? "1" : "0",
        ].merging(settings) { $1 }
        for name in ["http_proxy", "https_proxy", "no_proxy", "PIP_INDEX_URL"] {
            launch.environment[name] = Self.variable(name)
        }
        let started = try stage.start(launch).wait(seconds: 240)
        var values: [String: String] = [:]
        for line in started.out.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
        self.values = values
        guard started.code == 0 else {
            stop()
            guard !NotRun.isRoot else {
                throw HarnessError("\(kind.name) did not start: \(started)")
            }
            let last = started.err.split(separator: "\n").last ?? "no reason given"
            try NotRun.say("not run (needs packages of \(kind.name), once as root): \(last)")
            return nil
        }
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// A value of those that the script printed, by its name without the prefix.
    subscript(name: String) -> String { values["\(kind.prefix)_\(name)"] ?? "" }

    /// Glewlwyd has a second one that does not rotate.
    var issuer: String { self[kind == .glewlwyd && !rotates ? "ISSUER_STATIC" : "ISSUER"] }

    /// Where it takes tokens back, as an option of a sign-in, where it does not publish that.
    var revocationOptions: [String] {
        kind == .dot ? ["--revocation-endpoint", "\(issuer)/revoke_token/"] : []
    }

    func stop() {
        let path = "\(directory)/\(kind.rawValue).pid"
        guard let text = try? Files.text(path), let pid = pid_t(text.filter(\.isNumber)) else {
            return
        }
        _ = kill(pid, SIGTERM)
        let server = ProcessFacts(pid: pid)
        if (try? server.isGone(within: 10)) != true { _ = kill(pid, SIGKILL) }
    }

    // MARK: - The person with the browser

    /// Signs in and consents at the server, and delivers its answer to the vault.
    func browse(_ authorizationURL: String) throws {
        let page = try stage.follow(prepared(authorizationURL), cookies)
        guard page.code == 0, page.out.contains("Signed in") else {
            throw HarnessError("the browser ended on \(page)\n\(page.out)")
        }
    }

    /// The same as far as the address that the browser is sent to, which is not opened.
    func redirect(of authorizationURL: String) throws -> String {
        try curl(["-o", "/dev/null", "-w", "%{redirect_url}", prepared(authorizationURL)])
    }

    /// Types the code of a device, and approves or denies it.
    func decide(_ userCode: String, isApproved: Bool = true) throws {
        switch kind {
        case .glewlwyd:
            _ = try curl(["-o", "/dev/null", prepared("\(issuer)/device?code=\(userCode)")])
        case .dot:
            let form = try prepared("\(issuer)/device/")
            let next = try curl(
                ["-o", "/dev/null", "-w", "%{redirect_url}"]
                    + token(in: curl([form])) + ["-d", "user_code=\(userCode)", form]
            )
            _ = try curl(
                ["-o", "/dev/null"] + token(in: curl([next]))
                    + ["-d", "action=\(isApproved ? "accept" : "deny")", next]
            )
        }
    }

    private var cookieFile: String { "\(directory)/cookies" }
    private var cookies: [String] { ["-b", cookieFile, "-c", cookieFile] + trust }

    /// Whose certificates curl is to trust, where the server has TLS.
    private var trust: [String] {
        self["CA_FILE"].isEmpty ? [] : ["--cacert", self["CA_FILE"]]
    }

    /// Signs in, and gives the address that goes on from there.
    private func prepared(_ authorizationURL: String) throws -> String {
        switch kind {
        case .glewlwyd:
            let person = #"{"username":"\#(self["USER"])","password":"\#(self["PASSWORD"])"}"#
            let json = ["-H", "Content-Type: application/json"]
            _ = try curl(json + ["--data-binary", person, "\(self["API"])/auth/"])
            let scope = #"{"scope":"openid offline_access read"}"#
            // One that registered itself is known from the address alone.
            let own = authorizationURL.firstMatch(of: /[?&]client_id=([\w.-]+)/)
                .map { String($0.1) }
            let known = [self["CLIENT_ID"], self["PUBLIC_CLIENT_ID"]]
            for client in Set(known + [own].compactMap { $0 }) {
                let grant = "\(self["API"])/auth/grant/\(client)"
                _ = try curl(json + ["-X", "PUT", "--data-binary", scope, grant])
            }
            return authorizationURL + "&g_continue"
        case .dot:
            let login = "\(self["BASE"])/login/"
            _ = try curl(
                token(in: curl([login])) + [
                    "-d", "username=\(self["USER"])", "-d", "password=\(self["PASSWORD"])",
                    "-d", "next=/", login,
                ]
            )
            return authorizationURL
        }
    }

    /// What a form of Django's wants back.
    private func token(in form: String) -> [String] {
        let mark = #"name="csrfmiddlewaretoken" value=""#
        let token = form.firstRange(of: mark).map {
            form[$0.upperBound...].prefix { $0 != "\"" }
        }
        return ["--data-urlencode", "csrfmiddlewaretoken=\(token ?? "")"]
    }

    private func curl(_ arguments: [String]) throws -> String {
        let launch = stage.launch(try Programs.system("curl"), ["-fsS"] + cookies + arguments)
        let ended = try stage.start(launch).wait()
        guard ended.code == 0 else {
            throw HarnessError("\(kind.name) said no: \(ended)\(ended.out)")
        }
        return ended.out
    }

    // MARK: - The same without the vault

    /// The token response that a code gives which no vault has seen.
    func tokenResponse(redirectURI: String) throws -> String {
        // The pair of RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        let path = kind == .dot ? "/authorize/" : "/auth"
        let query = [
            "response_type=code", "client_id=\(self["CLIENT_ID"])", "redirect_uri=\(redirectURI)",
            "scope=openid%20offline_access%20read", "state=s", "nonce=n",
            "code_challenge=\(challenge)", "code_challenge_method=S256",
        ].joined(separator: "&")
        let address = try prepared("\(issuer)\(path)?\(query)")
        let redirect = try curl(["-o", "/dev/null", "-w", "%{redirect_url}", address])
        let parameters = redirect.split(whereSeparator: { "?&".contains($0) })
        guard let code = parameters.first(where: { $0.hasPrefix("code=") }) else {
            throw HarnessError("no code in \(redirect)")
        }
        return try authenticated([
            "-d", "grant_type=authorization_code", "-d", String(code),
            "-d", "redirect_uri=\(redirectURI)", "-d", "code_verifier=\(verifier)", tokenEndpoint,
        ])
    }

    func revoke(_ refreshToken: String) throws {
        let endpoint = kind == .dot ? "/revoke_token/" : "/revoke"
        _ = try authenticated([
            "-d", "token=\(refreshToken)", "-d", "token_type_hint=refresh_token",
            "\(issuer)\(endpoint)",
        ])
    }

    /// The status with which the server answers whoever presents a refresh token outside of the vault.
    func spend(_ refreshToken: String, isPublic: Bool = false) throws -> String {
        let client =
            isPublic
            ? ["-d", "client_id=\(self["PUBLIC_CLIENT_ID"])"]
            : ["-u", "\(self["CLIENT_ID"]):\(self["CLIENT_SECRET"])"]
        return try stage.system(
            "curl",
            ["-s", "-o", "/dev/null", "-w", "%{http_code}"] + client
                + ["-d", "grant_type=refresh_token", "-d", "@-", tokenEndpoint],
            input: "refresh_token=\(refreshToken)"
        ).out
    }

    /// How many requests with a refresh token that is not good any more the server wrote down.
    ///
    /// Glewlwyd is silent about one that it never gave out.
    func refusals() throws -> Int {
        let (file, mark) =
            kind == .dot
            ? ("dot.out", #""POST /o/token/ HTTP/1.1" 400"#)
            : ("glewlwyd.log", "Security - Token invalid")
        return try Files.text("\(directory)/\(file)").split(separator: "\n")
            .count { $0.contains(mark) }
    }

    var tokenEndpoint: String { issuer + (kind == .dot ? "/token/" : "/token") }

    private func authenticated(_ arguments: [String]) throws -> String {
        try curl(["-u", "\(self["CLIENT_ID"]):\(self["CLIENT_SECRET"])"] + arguments)
    }

    /// The status that a protected resource answers to a token.
    func present(_ accessToken: String) throws -> String {
        let resource = kind == .dot ? "\(self["BASE"])/api/whoami" : "\(issuer)/userinfo"
        return try stage.system(
            "curl",
            ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "@-", resource] + trust,
            input: "Authorization: Bearer \(accessToken)\n"
        ).out
    }
}
