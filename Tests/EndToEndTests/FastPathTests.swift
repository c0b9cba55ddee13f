import Testing

extension EndToEndTests {
    /// A token that is good comes from the file alone; without the key there is none.
    @Suite struct FastPathTests {
        @Test func aValidTokenNeedsTheFileTheLockAndTheKeyAndNoSocket() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let trace = "\(stage.root)/trace"
                let options = ["-f", "-e", "trace=%network,%file", "-o", trace]
                let ended = try stage.system(
                    "strace",
                    options + [Programs.vault(), "token", "work"]
                )
                #expect(ended.code == 0 && ended.word.hasPrefix("test-at-"), "\(ended)")
                let calls = try Files.text(trace).split(separator: "\n")
                #expect(calls.filter { $0.contains("socket(") || $0.contains("connect(") }.isEmpty)
                // Nothing is opened for writing.
                let writes = calls.filter { $0.contains("O_CREAT") || $0.contains("O_WRONLY") }
                #expect(writes.isEmpty, "\(writes)")
                guard NotRun.isRoot else {
                    // The kernel shows nobody else the memory of a process that is not dumpable.
                    return try NotRun.needsRoot("which files a lookup touches")
                }
                let touched = try Self.files(in: calls, below: stage.root)
                let allowed =
                    try [
                        "vault.db", "vault.db-journal", "vault.db-wal", "vault.db-shm",
                        "vault.lock", "vault.reserve",
                    ].map { "\(stage.vaultHome)/\($0)" } + [stage.keyFile()]
                #expect(touched.isSubset(of: allowed), "\(touched.subtracting(allowed))")
                #expect(touched.contains(stage.database))
                #expect(try touched.contains(stage.keyFile()))
            }
        }

        /// The paths in a trace that lie below a directory and are no directories.
        private static func files(in calls: [Substring], below root: String) throws -> Set<String> {
            let quoted = calls.flatMap { call in
                call.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                    .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
            }
            return Set(
                quoted.filter { path in
                    let isDirectory = (try? Files.mode(path)).map { $0 & 0o170000 == 0o040000 }
                    return path.hasPrefix(root + "/") && isDirectory != true
                }
            )
        }

        @Test func withoutItsKeyFileThereIsATokenOnlyFromAnAgentThatHasTheKeys() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                #expect(try stage.agentPID() != nil)
                let keyFile = try stage.keyFile()
                let key = try Files.read(keyFile)
                let damages: [(String, () throws -> Void)] = [
                    ("missing", { _ = try stage.system("rm", [keyFile]) }),
                    ("another key", { try Files.write(key.map { ~$0 }, to: keyFile) }),
                    ("too short", { try Files.write(Array(key.dropLast()), to: keyFile) }),
                    ("too long", { try Files.write(key + [0], to: keyFile) }),
                    ("empty", { try Files.write("", to: keyFile) }),
                ]
                for (name, damage) in damages {
                    try damage()
                    #expect(try stage.vault("token", "work").code == 0, "\(name)")
                    #expect(try stage.vault("lock").code == 0)
                    try expectLocked(stage, name)
                    try Files.write(key, to: keyFile)
                    #expect(try stage.vault("unlock").code == 0)
                }
                #expect(try stage.vault("agent", "stop").code == 0)
                _ = try stage.system("rm", [keyFile])
                try expectLocked(stage, "no agent")
                try Files.write(key, to: keyFile)
                #expect(try stage.vault("token", "work").code == 0)
            }
        }

        /// No token comes out; what can be read without a key is shown, and said to be only that.
        private func expectLocked(_ stage: Stage, _ situation: String) throws {
            for words in [["token", "work"], ["token", "work", "--json"]] {
                let ended = try stage.vault(words)
                #expect(ended.code == 5, "\(situation): \(ended)")
                #expect(ended.stdout.isEmpty && ended.errorLines.count == 1, "\(situation)")
            }
            for words in [["list"], ["status"]] {
                let ended = try stage.vault(words)
                #expect(ended.code == 0, "\(situation): \(ended)")
                #expect(ended.err.contains("locked"), "\(situation): \(ended)")
            }
        }

        @Test func commandLibraryAndSocketGiveTheSameToken() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let program = try stage.run(stage.launch(Programs.vaultKitClient(), ["work"]))
                #expect(program.code == 0, "\(program)")
                let command = try stage.vault("token", "work")
                #expect(command.word == program.word)
                let url = "http://localhost/v1/accounts/work/token"
                let curl = try stage.system("curl", ["-fsS", "--unix-socket", stage.socket, url])
                #expect(curl.code == 0, "\(curl)")
                let json = try stage.vault("token", "work", "--json")
                #expect(curl.word == json.word)
                #expect(try JSON(curl.word)["accessToken"] == .string(command.word))
                #expect(try server.statistics().tokenRequests == 0)
            }
        }
    }
}
