import Glibc
import Testing

extension EndToEndTests {
    /// Data that does not arrive is a failure, and never a crash.
    @Suite struct OutputTests {
        private static let readers = [
            ["token", "work"], ["token", "work", "--json"], ["list"], ["list", "--json"],
            ["status"], ["status", "--json"], ["help"], ["--version"], ["help", "token"],
        ]

        @Test func aFullDeviceIsAFailure() throws {
            try expectFailure { _ in open("/dev/full", O_WRONLY | O_CLOEXEC) }
        }

        @Test func aPipeThatNobodyReadsIsAFailure() throws {
            try expectFailure { _ in
                var ends: [Int32] = [-1, -1]
                guard pipe(&ends) == 0 else { return -1 }
                close(ends[0])
                return ends[1]
            }
        }

        @Test func aClosedStandardOutputIsAFailure() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                for words in Self.readers {
                    let ended = try stage.shell(#"exec "$@" >&-"#, [Programs.vault()] + words)
                    #expect((1...11).contains(ended.code), "\(ended)")
                }
                // Nothing went into a file that took the free number.
                #expect(try stage.vault("token", "work").code == 0)
            }
        }

        private func expectFailure(_ open: (Stage) -> Int32) throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                for words in Self.readers {
                    let low = open(stage)
                    // Out of the way of the child's own numbers.
                    let descriptor = fcntl(low, F_DUPFD_CLOEXEC, 100)
                    close(low)
                    defer { close(descriptor) }
                    var launch = try stage.vaultLaunch(words)
                    launch.output = .descriptor(descriptor)
                    let ended = try stage.run(launch)
                    #expect((1...11).contains(ended.code), "\(ended)")
                    #expect(ended.errorLines.count == 1, "\(ended)")
                }
            }
        }

        @Test func aReaderThatLeavesEarlyDoesNoHarm() throws {
            try withStage { stage in
                try stage.initialize()
                let ended = try stage.shell(#""$1" help | head -1"#, [Programs.vault()])
                #expect(ended.code == 0 && ended.out.hasSuffix("\n"))
            }
        }

        @Test func aFailedLookupLeavesTheVariableEmpty() throws {
            try withStage { stage in
                try stage.initialize()
                let line = #"T=$("$1" token nobody 2>/dev/null); echo "$?:$T:""#
                #expect(try stage.shell(line, [Programs.vault()]).word == "3::")
            }
        }
    }
}
