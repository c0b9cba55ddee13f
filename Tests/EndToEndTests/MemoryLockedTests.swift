import Glibc
import Testing

extension EndToEndTests {
    /// Keys stay out of the swap where the system lets them, and it is said where it does not.
    @Suite struct MemoryLockedTests {
        @Test(
            "F-64: all works without memory to lock, and status says so",
            arguments: [true, false]
        )
        func theLimitOnLockedMemory(isZero: Bool) throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let vault = try Programs.vault()
                // Root may lock what it likes, for as long as it has that right.
                var words = NotRun.isRoot ? ["setpriv", "--bounding-set=-ipc_lock"] : []
                if isZero { words += ["prlimit", "--memlock=0:0"] }
                words += [vault, "agent", "start"]
                words[0] = try words[0] == vault ? vault : Programs.system(words[0])
                let started = try stage.run(stage.launch(words[0], Array(words.dropFirst())))
                #expect(started.code == 0, "\(started)")
                try stage.add("work", from: server)
                #expect(try stage.vault("refresh", "work").code == 0)
                #expect(try stage.vault("token", "work").code == 0)
                let status = try stage.vault("status")
                #expect(status.code == 0)
                #expect(status.out.contains("memory: not locked\n") == isZero, "\(status.out)")
                let json = try JSON(stage.vault("status", "--json").out)
                #expect(json["agent"]?["memoryLocked"] == .bool(!isZero))
            }
        }
    }
}
