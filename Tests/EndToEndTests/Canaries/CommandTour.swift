import Glibc

/// Every command, with a secret in everything that may be one, in ways that succeed and that fail.
struct CommandTour {
    /// Every token, code and client secret of the server begins with it.
    static let prefix = "CANARYq7Zk"
    /// What an account is found by: no secret, and sealed all the same.
    static let tag = "customer-4711"

    /// What the terminals of the tour have shown.
    final class Terminals {
        var texts: [String] = []
    }

    let stage: Stage
    let server: TestServer
    /// A client of nobody else, to be looked for in the sealed part of the file.
    let client: String
    let terminals = Terminals()
    /// Called where secrets are in the memory of programs that run.
    let look: () throws -> Void

    func run() throws {
        try signIn()
        try signInWithABrowser()
        try signInFromElsewhere()
        try signInAsAMachine()
        try add()
        try changeKeys()
        try expect(stage.vault("doctor"), 0)
        try lockAndUnlock()
        try typeSecrets()
        for name in ["public", "conf", "added"] { try use(name) }
        try refuseWithAnEcho()
        try mendAClient()
        try copy()
        try export()
        try lookAround()
    }

    private func signIn() throws {
        let login = try stage.login("public", issuer: server.issuer, clientID: client) { address in
            try look()
            try stage.follow(address)
        }
        try expect(login, 0)
        let confidential = try stage.login(
            "conf",
            at: server,
            clientID: server.address.confidentialClientID,
            secret: server.address.confidentialClientSecret
        )
        try expect(confidential, 0)
        // A secret that is wrong is still one.
        let wrong = try stage.login(
            "wrong",
            at: server,
            clientID: server.address.confidentialClientID,
            secret: "\(Self.prefix)-wrong-secret"
        )
        try expect(wrong, 1)
    }

    /// With nobody there.
    private func signInAsAMachine() throws {
        var launch = try stage.vaultLaunch([
            "login", "machine", "--flow", "client-credentials", "--issuer", server.issuer,
            "--client-id", server.address.confidentialClientID, "--client-secret-fd", "7",
        ])
        launch.descriptors[7] = "\(server.address.confidentialClientSecret)\n"
        try expect(stage.run(launch), 0)
        try expect(stage.vault("refresh", "machine"), 0)
        try expect(stage.vault("remove", "machine"), 0)
    }

    /// The way of a desktop: a program of the person's is given the address.
    private func signInWithABrowser() throws {
        guard NotRun.isRoot else { return }
        let browser = try Browser(stage)
        let login = try stage.vaultLaunch([
            "login", "desktop", "--issuer", server.issuer, "--client-id",
            server.address.confidentialClientID, "--client-secret-fd", "7",
        ])
        var launch = try browser.launch([login.path] + login.arguments)
        launch.descriptors[7] = "\(server.address.confidentialClientSecret)\n"
        try expect(stage.run(launch), 0)
    }

    /// With a browser on another machine, and with another device.
    private func signInFromElsewhere() throws {
        let pasted = try stage.pipedLogin(
            ["--issuer", server.issuer, "--client-id", client]
        ) { address in
            try look()
            return try stage.redirect(of: address)
        }
        try expect(pasted, 0)
        let device = try stage.deviceLogin(["login", "work", "--flow", "device"]) { code in
            try look()
            try stage.follow("\(server.issuer)/device?user_code=\(code)")
        }
        try expect(device, 0)
        try expect(stage.vault("remove", "work"), 0)
    }

    private func add() throws {
        let response = try server.issue(client: client)
        try expect(stage.vault(["add", "added"] + place, input: response), 0)
        let key = "\(Self.prefix)-static-token\n"
        try expect(stage.vault(["add", "key", "--static"], input: key), 0)
        try expect(stage.vault("token", "key"), 0)
        try expect(stage.vault("refresh", "key"), 4)
        // One grant under two names, an answer that breaks off, one of the wrong type.
        for input in [
            response, String(response.dropLast(3)), #"{"refresh_token":["\#(Self.prefix)-rt-x"]}"#,
            "\(Self.prefix)-rt-alone",
        ] {
            try expect(stage.vault(["add", "other"] + place, input: input), 1)
        }
    }

    private var place: [String] {
        [
            "--token-endpoint", server.address.tokenEndpoint, "--client-id", client, "--issuer",
            server.issuer,
        ]
    }

    private func use(_ name: String) throws {
        let token = try stage.vault("token", name)
        try expect(token, 0)
        guard token.word.hasPrefix(Self.prefix) else { throw HarnessError("no canary: \(token)") }
        try expect(stage.vault("token", name, "--json"), 0)
        try expect(stage.vault("refresh", name), 0)
        for body in [
            "\(Self.prefix)-at-in-an-error", #"{\"access_token\":\"\#(Self.prefix)-at-cut"#,
        ] {
            for status in [500, 200] {
                try server.script(#"[{"status":\#(status),"body":"\#(body)"}]"#)
                try expect(stage.vault("refresh", name), 6)
            }
        }
        try server.script(#"[{"delayAfterCommit":0.3}]"#)
        let refresh = try stage.start(stage.vaultLaunch(["refresh", name]))
        usleep(50_000)
        try look()
        try expect(stage.finish(refresh), 0)
    }

    /// A server that repeats the refresh token in its error.
    private func refuseWithAnEcho() throws {
        let response = try server.issue(client: client)
        guard let refreshToken = try JSON(response)["refresh_token"]?.string else {
            throw HarnessError("no refresh token: \(response)")
        }
        try expect(stage.vault(["add", "echo"] + place, input: response), 0)
        let description = "the token \(refreshToken) is of no use"
        let body = #"{\"error\":\"invalid_grant\",\"error_description\":\"\#(description)\"}"#
        try server.script(#"[{"status":400,"body":"\#(body)"}]"#)
        let refused = try stage.vault("refresh", "echo")
        try expect(refused, 4)
        guard refused.err.contains("invalid_grant") else { throw HarnessError("\(refused)") }
    }

    /// A wrong secret, which the server refuses, and the right one again.
    private func mendAClient() throws {
        let id = server.address.confidentialClientID
        let words = ["client", "set", id, "--client-secret-fd", "9"]
        let wrong = "\(Self.prefix)-wrong-secret"
        try expect(stage.vault(words, descriptors: [9: wrong]), 0)
        try expect(stage.vault("refresh", "conf"), 1)
        let right = server.address.confidentialClientSecret
        try expect(stage.vault(words + ["--keep-old"], descriptors: [9: "\(right)\n"]), 0)
        try expect(stage.vault("refresh", "conf"), 0)
        try expect(
            stage.vault(["client", "set", "nobody"] + words.suffix(2), descriptors: [9: wrong]),
            1
        )
    }

    private func lookAround() throws {
        for words in [
            ["list"], ["list", "--json"], ["status"], ["status", "--json"], ["status", "--all"],
            ["switch", "conf"], ["log"], ["log", "conf", "--json"], ["log", "--since", "1d"],
            ["client", "list"], ["client", "list", "--json"], ["provider", "list"],
            ["provider", "show", "google", "--json"], ["provider", "update", "conf", "--yes"],
            ["renewal", "conf", "eager"], ["renewal", "conf"], ["tag", "conf", "--add", Self.tag],
            ["list", "--tag", Self.tag],
            ["agent", "status"], ["agent", "start"], ["help"],
            ["--version"], ["rename", "added", "renamed"], ["logout", "public", "--keep"],
            ["remove", "public"],
        ] {
            try expect(stage.vault(words), 0)
        }
        // The account whose grant was refused is a problem.
        try expect(stage.vault("status", "--check"), 4)
        for words in [["doctor"], ["doctor", "--online", "--json"]] {
            try expect(stage.vault(words), 1)
        }
        // Nobody said where its tokens are revoked.
        try expect(stage.vault("logout", "renamed"), 1)
        for words in [["token"], ["refresh"], ["switch"], ["remove"], ["status"], ["logout"]] {
            try expect(stage.vault(words + ["nobody"]), 3)
        }
        // Under /tmp a vault has no units.
        try expect(stage.vault("agent", "install"), 1)
        try expect(stage.vaultElsewhere("agent", "install"), 0)
        try expect(stage.vaultElsewhere("agent", "uninstall"), 0)
        try expect(stage.vault("agent", "stop"), 0)
        let agent = try stage.start(stage.vaultLaunch(["agent", "run"]))
        guard try poll(seconds: 10, { agent.stderrSoFar.contains("ready") }) else {
            throw HarnessError("no agent: \(agent.stderrSoFar)")
        }
        try expect(stage.vault("refresh", "conf"), 0)
        agent.process.kill(SIGTERM)
        try expect(stage.finish(agent), 0)
    }

    func expect(_ ended: Ended, _ code: Int32) throws {
        guard ended.code == code else { throw HarnessError("not \(code): \(ended)") }
    }
}

/// The commands there are, as the program itself says.
struct CommandList {
    let commands: [String]
    /// The words that may follow a command that has several.
    let actions: [String: [String]]

    init(_ stage: Stage) throws {
        let lines = try stage.vault("help").out.split(separator: "\n")
        commands = lines.filter { $0.hasPrefix("  ") }.compactMap { line in
            line.split(separator: " ").first.map { String($0) }
        }
        var actions: [String: [String]] = [:]
        for command in commands {
            let page = try stage.vault("help", command).out.split(separator: "\n")
            let words = page.filter { $0.hasPrefix("vault \(command) ") }
                .compactMap { $0.split(separator: " ").dropFirst(2).first }
                .filter { $0.first?.isLowercase == true }
            if !words.isEmpty {
                actions[command] = words.flatMap { $0.split(separator: "|").map { String($0) } }
            }
        }
        self.actions = actions
    }

    /// What has not been run to a good end.
    func missing(in history: [Ended]) -> [String] {
        let done = history.filter { $0.code == 0 }.map { Array($0.words) }
        return commands.flatMap { command -> [String] in
            guard let actions = actions[command] else {
                return done.contains { $0.first == command } ? [] : [command]
            }
            return actions.filter { action in
                !done.contains { $0.starts(with: [command, action]) }
            }.map { "\(command) \($0)" }
        }
    }
}
