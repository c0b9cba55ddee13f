import Glibc
import Testing

@testable import Platform

@Suite struct SupervisedProcessTests {
    @Test func itReadsWhatItIsGivenAndHasNothingElseOfOurs() async throws {
        try await withTemporaryPath { told in
            let script = """
                #!/bin/sh
                { cat; env | sort | tr '\\n' ' '; readlink /proc/$$/fd/1 /proc/$$/fd/2; pwd
                ls /proc/$$/fd | tr '\\n' ' '; ps -o sid= -p $$ | tr -d ' ' ; echo $$; } > \(told)
                """
            try await withScript(script) { path in
                let process = try SupervisedProcess(
                    path,
                    input: Array("given\n".utf8),
                    environment: ["ONLY": "this", "PATH": "/usr/bin:/bin"]
                )
                #expect(process.wait(milliseconds: 10_000) == .exited(0))
            }
            let text = String(decoding: try FileSystem.read(told, limit: 4096), as: UTF8.self)
            let lines = text.split(separator: "\n").map(String.init)
            #expect(lines.first == "given")
            #expect(lines[1].hasPrefix("ONLY=this PATH=/usr/bin:/bin"))
            #expect(lines[1].contains("CANARY") == false)
            #expect(
                lines.filter { $0 == "/dev/null" }.count == 1 || lines[1].hasSuffix("/dev/null")
            )
            #expect(lines.contains("/"))
            // A session of its own: its number is the session's.
            #expect(lines[lines.count - 2].hasSuffix(lines[lines.count - 1]))
        }
    }

    @Test func oneThatHangsIsEndedWithItsWholeGroup() async throws {
        try await withTemporaryPath { told in
            // The child of the program ignores whatever can be ignored.
            let script = """
                #!/bin/sh
                trap '' TERM HUP INT
                sh -c 'trap "" TERM HUP INT; echo $$ > \(told); exec sleep 600' &
                while :; do sleep 600; done
                """
            try await withScript(script) { path in
                let process = try SupervisedProcess(
                    path,
                    input: [],
                    environment: ["PATH": "/usr/bin:/bin"]
                )
                var child: pid_t?
                for _ in 1...500 where child == nil {
                    usleep(10_000)
                    let text = (try? FileSystem.read(told, limit: 20)) ?? []
                    child = pid_t(String(decoding: text.dropLast(), as: UTF8.self))
                }
                let number = try #require(child)
                let before = Uptime.seconds()
                #expect(process.wait(milliseconds: 50) == .killed)
                #expect(Uptime.seconds() - before < 5)
                for _ in 1...200 where !hasEnded(number) { usleep(10_000) }
                #expect(hasEnded(number))
            }
        }
    }

    /// Gone, or a zombie that its new parent has yet to ask about.
    private func hasEnded(_ number: pid_t) -> Bool {
        guard let stat = try? FileSystem.read("/proc/\(number)/stat", limit: 512) else {
            return true
        }
        let text = String(decoding: stat, as: UTF8.self)
        return text.split(separator: ")").last?.contains(" Z ") ?? true
    }

    @Test(arguments: [
        ("exit 3", SupervisedProcess.Ending.exited(3)), ("kill -KILL $$", .signalled(9)),
    ])
    func itSaysHowItEnded(line: String, ending: SupervisedProcess.Ending) async throws {
        try await withScript("#!/bin/sh\n\(line)\n") { path in
            let process = try SupervisedProcess(path, input: [], environment: [:])
            #expect(process.wait(milliseconds: 10_000) == ending)
            // Its number is nobody's any more.
            process.kill()
            #expect(process.wait(milliseconds: 0) == .killed)
        }
    }

    /// Signals for the agent come to any of its threads.
    @Test func aSignalOnTheThreadThatWaitsEndsNothing() async throws {
        let number = SIGUSR2
        try await withScript("#!/bin/sh\nread line\nsleep 0.2\n") { path in
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in }
            sigaction(number, &action, nil)
            let process = try SupervisedProcess(
                path,
                input: [],
                environment: ["PATH": "/usr/bin:/bin"]
            )
            let thread = Locked<UInt?>(nil)
            let ending = Locked<SupervisedProcess.Ending?>(nil)
            let waiting = try DedicatedThread.startJoinable {
                // The threads that tests run on block signals, and this one has that from them.
                var all = sigset_t()
                sigfillset(&all)
                pthread_sigmask(SIG_UNBLOCK, &all, nil)
                thread.withLock { $0 = UInt(pthread_self()) }
                let found = process.wait(milliseconds: 10_000)
                ending.withLock { $0 = found }
            }
            for _ in 1...10 {
                usleep(10_000)
                if let thread = thread.withLock({ $0 }) { pthread_kill(pthread_t(thread), number) }
            }
            waiting.join()
            #expect(ending.withLock { $0 } == .exited(0))
        }
    }

    @Test func oneThatIsNotThereLeavesNothing() {
        #expect(throws: SystemError.notFound) {
            _ = try SupervisedProcess("/no/such/program", input: [], environment: [:])
        }
    }

    private func withScript(_ text: String, _ body: (String) async throws -> Void) async throws {
        try await withTemporaryPath { path in
            try FileSystem.writeNew(path, Array(text.utf8).span)
            guard chmod(path, 0o700) == 0 else { throw SystemError(number: errno) }
            try await body(path)
        }
    }
}
