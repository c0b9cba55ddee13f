import Platform
import Testing

@Suite struct SpawningTests {
    @Test func aProgramThatIsNotThereIsSaidToBeMissing() {
        #expect(throws: SystemError.notFound) {
            try Spawning.attached("/no/such/program", arguments: [])
        }
    }

    @Test func anAttachedProgramWritesToOurErrorsAndHasNothingElseOfOurs() async throws {
        try await withTemporaryPath { told in
            let script = """
                [ "$(readlink /proc/$$/fd/1)" = "$(readlink /proc/$$/fd/2)" ] || exit
                ls /proc/$$/fd | tr '\\n' ' ' > "$0.new" && mv "$0.new" "$0"
                """
            try Spawning.attached("/bin/sh", arguments: ["-c", script, told])
            for _ in 1...500 where !FileSystem.exists(told) {
                try await Task.sleep(for: .milliseconds(10))
            }
            let open = String(decoding: try FileSystem.read(told, limit: 100), as: UTF8.self)
            #expect(open == "0 1 2 ")
        }
    }
}
