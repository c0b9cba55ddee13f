import Glibc

/// The other ways in which a person signs in.
extension Stage {
    /// Signs in on another device; `decide` is the person there, who has the code.
    func deviceLogin(
        _ name: String,
        _ server: TestServer?,
        _ decide: (_ userCode: String) throws -> Void
    ) throws -> Ended {
        let words = server.map {
            ["--flow", "device", "--issuer", $0.issuer, "--client-id", "test-public"]
        }
        return try deviceLogin(["login", name] + (words ?? []), decide)
    }

    func deviceLogin(
        _ words: [String],
        descriptors: [Int32: String] = [:],
        _ decide: (_ userCode: String) throws -> Void
    ) throws -> Ended {
        var launch = try vaultLaunch(words)
        launch.descriptors = descriptors
        let run = try start(launch)
        var code: String?
        let isThere = try poll(seconds: 30, every: 10) {
            code = EndToEndTests.LoginFlowTests.userCode(in: run.stderrSoFar)
            return code != nil || run.process.exitStatus() != nil
        }
        if isThere, let code { try decide(code) }
        return try finish(run)
    }

    /// Signs in with an address that comes through a pipe once `browse` has it.
    func pipedLogin(
        _ server: TestServer,
        _ browse: (_ authorizationURL: String) throws -> String
    ) throws -> Ended {
        try pipedLogin(["--issuer", server.issuer, "--client-id", "test-public"], browse)
    }

    func pipedLogin(
        _ more: [String],
        _ browse: (_ authorizationURL: String) throws -> String
    ) throws -> Ended {
        let pipe = "\(temporary)/redirect"
        unlink(pipe)
        guard mkfifo(pipe, 0o600) == 0 else { throw HarnessError("mkfifo: errno \(errno)") }
        let line = #"exec "$@" <>"$0""#
        let words = [try Programs.vault(), "login", "work", "--no-browser"] + more
        let run = try start(launch(Programs.system("sh"), ["-c", line, pipe] + words))
        let address = try authorizationURL(of: run)
        try Files.write(Array("\(try browse(address))\n".utf8), to: pipe)
        return try finish(run)
    }

    /// The address that a running `vault login` says, behind as many others.
    func authorizationURL(of run: Run, after count: Int = 0) throws -> String {
        var address: String?
        _ = try poll(seconds: 30, every: 10) {
            let lines = run.stderrSoFar.split(separator: "\n", omittingEmptySubsequences: false)
            address = lines.dropLast().filter { $0.hasPrefix("vault: http") }.dropFirst(count).first
                .map { String($0.dropFirst("vault: ".count)) }
            return address != nil || run.process.exitStatus() != nil
        }
        guard let address else { throw HarnessError("no address: \(run.stderrSoFar)") }
        return address
    }

    /// Where a browser is sent by a server that consents at once.
    func redirect(of authorizationURL: String) throws -> String {
        try system(
            "curl",
            ["-s", "-o", "/dev/null", "-w", "%{redirect_url}", authorizationURL]
        ).word
    }
}
