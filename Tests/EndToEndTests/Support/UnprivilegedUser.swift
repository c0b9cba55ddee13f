import Glibc

/// A user for whom permissions mean something; root can be any.
struct UnprivilegedUser {
    let id: UInt32
    private let stage: Stage

    init(_ id: UInt32 = 65534, on stage: Stage) {
        self.id = id
        self.stage = stage
    }

    /// What makes the program after it run as this user.
    func wrapper() throws -> [String] {
        [
            try Programs.system("setpriv"), "--reuid", "\(id)", "--regid", "\(id)",
            "--clear-groups",
        ]
    }

    /// Makes the stage theirs: its directories, copies of the programs, every `vault` from now on.
    func takeStage() throws {
        let copies = "\(stage.root)/bin"
        mkdir(copies, 0o755)
        let programs = try [Programs.vault(), Programs.agent()]
        let done = try stage.system("cp", programs + [copies])
        let owned = try stage.system("chown", ["-R", "\(id):\(id)", stage.root])
        guard done.code == 0, owned.code == 0 else { throw HarnessError("\(done) \(owned)") }
        stage.wrapper = try wrapper()
        stage.program = "\(copies)/vault"
    }

    /// Runs a program of the system.
    func system(_ name: String, _ arguments: [String]) throws -> Ended {
        let words = try wrapper() + [Programs.system(name)] + arguments
        return try stage.run(stage.launch(words[0], Array(words.dropFirst())))
    }
}
