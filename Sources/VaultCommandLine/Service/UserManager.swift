internal import Platform

/// This user's systemd, asked through systemctl: never looked up by PATH.
struct UserManager: Sendable {
    private static let programs = ["/usr/bin/systemctl", "/bin/systemctl"]
    /// What it takes to find the manager and its units.
    private static let variables = [
        "HOME", "PATH", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
        "DBUS_SESSION_BUS_ADDRESS",
    ]
    /// Milliseconds for an agent that starts or stops: what is in flight is stored first.
    private static let patience: Int32 = 130_000

    private let program: String

    /// Nil where there is no systemd.
    init?() {
        guard let program = Self.programs.first(where: { FileSystem.isProgram($0) }) else {
            return nil
        }
        self.program = program
    }

    /// Whether the manager of this user runs; in a container or under `su` there is none.
    var isThere: Bool {
        Environment["XDG_RUNTIME_DIR"] != nil && run("show-environment")
    }

    /// Gives the manager an order; whether it carried it out.
    @discardableResult
    func run(_ words: String...) -> Bool {
        var environment: [String: String] = [:]
        for name in Self.variables { environment[name] = Environment[name] }
        let process = try? SupervisedProcess(
            program,
            arguments: ["--user", "--quiet", "--no-ask-password"] + words,
            input: [],
            environment: environment
        )
        return process?.wait(milliseconds: Self.patience) == .exited(0)
    }
}
