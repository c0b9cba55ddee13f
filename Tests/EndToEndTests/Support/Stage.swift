import Glibc

/// A throw-away home with a vault in it, and every process a test started there.
///
/// `withStage` ends them all, whatever becomes of the test.
final class Stage {
    let root: String
    private(set) var history: [Ended] = []
    private var runs: [Run] = []
    private var servers: [TestServer] = []
    private var count = 0

    var home: String { "\(root)/home" }
    var vaultHome: String { "\(root)/vault" }
    var stateHome: String { "\(root)/state" }
    var database: String { "\(vaultHome)/vault.db" }
    var socket: String { "\(vaultHome)/agent.sock" }
    var log: String { "\(vaultHome)/agent.log" }
    var configuration: String { "\(vaultHome)/config.json" }
    /// Where the harness keeps what programs read and wrote.
    var notes: String { "\(root)/io/" }
    var temporary: String { "\(root)/tmp" }
    /// What goes before the words of every call of `vault`: a tracer, another user, or nothing.
    var wrapper: [String] = []
    /// Where `vault` is, when not where it was built.
    var program: String?

    init() throws {
        var template = Array("/tmp/vault-e2e-XXXXXX\0".utf8CString)
        guard mkdtemp(&template) != nil else { throw HarnessError("mkdtemp: errno \(errno)") }
        root = String(
            decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
        for directory in [home, stateHome, temporary, notes] { mkdir(directory, 0o700) }
    }

    var environment: [String: String] {
        [
            "PATH": "/usr/bin:/bin", "HOME": home, "VAULT_HOME": vaultHome,
            "XDG_STATE_HOME": stateHome, "TMPDIR": temporary,
        ]
    }

    // MARK: - Programs

    /// Starts a program without waiting for it.
    func start(_ launch: Launch) throws -> Run {
        count += 1
        let run = try launch.start(in: "\(root)/io", as: "\(count)")
        runs.append(run)
        return run
    }

    func finish(_ run: Run, seconds: Double = 60) throws -> Ended {
        let ended = try run.wait(seconds: seconds)
        history.append(ended)
        return ended
    }

    func run(_ launch: Launch, seconds: Double = 60) throws -> Ended {
        try finish(start(launch), seconds: seconds)
    }

    /// Starts programs that all begin at the same moment: each waits until the last one is there.
    func together(_ launches: [Launch]) throws -> [Ended] {
        let runs = try launches.map { launch in
            var launch = launch
            launch.isHeldBack = true
            return try start(launch)
        }
        for run in runs { try run.process.waitUntilStopped() }
        for run in runs { run.process.kill(SIGCONT) }
        return try runs.map { try finish($0) }
    }

    func launch(_ path: String, _ arguments: [String]) -> Launch {
        Launch(path: path, arguments: arguments, environment: environment)
    }

    /// A call of `vault`, to be changed and started.
    func vaultLaunch(_ arguments: [String]) throws -> Launch {
        let words = wrapper + [try program ?? Programs.vault()] + arguments
        return launch(words[0], Array(words.dropFirst()))
    }

    @discardableResult
    func vault(_ arguments: String..., environment: [String: String?] = [:]) throws -> Ended {
        try vault(arguments, environment: environment)
    }

    /// Runs `vault` to its end; a variable set to nil is left out.
    func vault(
        _ arguments: [String],
        input: String = "",
        environment: [String: String?] = [:],
        descriptors: [Int32: String] = [:]
    ) throws -> Ended {
        var launch = try vaultLaunch(arguments)
        launch.input = Array(input.utf8)
        launch.descriptors = descriptors
        for (name, value) in environment { launch.environment[name] = value }
        return try run(launch)
    }

    /// Runs a program of the system to its end.
    func system(_ name: String, _ arguments: [String], input: String = "") throws -> Ended {
        var launch = launch(try Programs.system(name), arguments)
        launch.input = Array(input.utf8)
        return try run(launch)
    }

    /// Runs a line of shell; `$1` and so on are `arguments`.
    func shell(_ line: String, _ arguments: [String] = []) throws -> Ended {
        try system("sh", ["-c", line, "sh"] + arguments)
    }

    // MARK: - Servers and accounts

    func startServer(_ arguments: String...) throws -> TestServer {
        let server = try TestServer(self, arguments)
        servers.append(server)
        return server
    }

    /// Makes the vault.
    func initialize() throws {
        let ended = try vault("init", "--key-file")
        guard ended.code == 0 else { throw HarnessError("init failed: \(ended)") }
    }

    /// The key file that `init` made.
    func keyFile() throws -> String {
        let directory = "\(stateHome)/vault"
        guard let name = try Files.names(in: directory).first(where: { $0.hasSuffix(".key") })
        else { throw HarnessError("no key file in \(directory)") }
        return "\(directory)/\(name)"
    }

    /// The number of the agent that runs, if one does.
    func agentPID() throws -> pid_t? {
        let status = try vault("agent", "status")
        guard status.code == 0, let number = status.out.split(separator: " ").dropFirst(2).first
        else { return nil }
        return pid_t(number.filter(\.isNumber))
    }

    /// The agent, which has to be running.
    func requireAgent() throws -> pid_t {
        guard let pid = try agentPID() else { throw HarnessError("no agent is running") }
        return pid
    }

    // MARK: - End

    func tearDown() {
        if Files.exists(socket), let launch = try? vaultLaunch(["agent", "stop"]) {
            _ = try? run(launch, seconds: 70)
        }
        for server in servers { server.stop() }
        for run in runs where run.process.exitStatus() == nil {
            run.process.kill(SIGKILL)
            _ = try? run.process.wait(seconds: 5)
        }
        _ = try? system("rm", ["-rf", root])
        // What `rm` itself wrote is gone with the directory.
    }
}

/// Gives a test a stage of its own.
@discardableResult
func withStage<Result>(_ body: (Stage) throws -> Result) throws -> Result {
    let stage = try Stage()
    defer { stage.tearDown() }
    return try body(stage)
}
