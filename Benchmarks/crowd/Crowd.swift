import FoundationEssentials
import OAuth
import Platform
import VaultKit
import VaultStore
import VaultTesting

/// A vault with one account, and many who ask for its token at once.
struct Crowd {
    /// What one round showed.
    struct Round {
        let requests: Int
        /// Seconds from the install until each caller had its token, in order.
        let times: [Double]
        /// Bytes in memory when there were most.
        let peak: Double

        func served(_ share: Double) -> Double {
            times[min(Int(share * Double(times.count)), times.count - 1)]
        }
    }

    let vault: Vault
    private let account: AccountName = "work"
    private let clock = JumpingClock()
    private let stage = Stage()

    init(_ home: TemporaryVault) async throws {
        let transport = ScriptedTransport { [stage] _ in
            let number = stage.next()
            return ScriptedAnswer.grant(
                accessToken: "access-\(number)",
                refreshToken: "refresh-\(number)"
            ).held(by: stage.hold)
        }
        let faults = FaultPoints { [stage] place in
            if place == .installed { stage.noteInstall() }
        }
        vault = try await home.open(transport: transport, clock: clock, faults: faults)
        let tokens = TokenResponse.testing(accessToken: "access-0", refreshToken: "refresh-0")
        _ = try await vault.add(.testing(account), tokens)
    }

    /// Lets so many ask for an expired token, and answers once all of them wait.
    func gather(_ callers: Int) async throws -> Round {
        clock.jump(7200)
        stage.begin()
        Memory.resetPeak()
        // No task group: its bookkeeping takes longer the more children it has.
        let tasks = (0..<callers).map { [vault, account] _ in
            Task {
                _ = try await vault.accessToken(for: account)
                return Uptime.seconds()
            }
        }
        while vault.waiterCount(for: account) < callers { await Task.yield() }
        stage.hold.release()
        var times: [Double] = []
        for task in tasks { times.append(try await task.value) }
        return Round(
            requests: stage.requestCount,
            times: times.map { $0 - stage.installed }.sorted(),
            peak: Memory.peak()
        )
    }
}

/// The server's part of a round.
final class Stage: Sendable {
    private struct State {
        var number = 0
        var requestCount = 0
        var hold = VaultTesting.Hold()
        var installed = 0.0
    }

    private let state = Locked(State())

    var hold: VaultTesting.Hold { state.withLock { $0.hold } }
    var requestCount: Int { state.withLock { $0.requestCount } }
    /// When the new pair was durable.
    var installed: Double { state.withLock { $0.installed } }

    func begin() {
        state.withLock { state in
            state.requestCount = 0
            state.hold = VaultTesting.Hold()
        }
    }

    func next() -> Int {
        state.withLock { state in
            state.number += 1
            state.requestCount += 1
            return state.number
        }
    }

    func noteInstall() {
        let now = Uptime.seconds()
        state.withLock { $0.installed = now }
    }
}

/// The machine's clock, put forward to let tokens expire.
final class JumpingClock: VaultClock {
    private let offset = Locked(0.0)

    func jump(_ seconds: Double) {
        offset.withLock { $0 += seconds }
    }

    func now() -> Moment {
        SystemClock().now().advanced(by: offset.withLock { $0 })
    }

    func sleep(seconds: Double) async throws {
        try await SystemClock().sleep(seconds: seconds)
    }
}

/// Bytes of this process in memory, as the kernel counts them (proc_pid_status(5)).
enum Memory {
    static func resident() -> Double { field("VmRSS:") }

    static func peak() -> Double { field("VmHWM:") }

    /// Lets the peak count from now on (proc_pid_clear_refs(5)).
    static func resetPeak() {
        try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    }

    private static func field(_ name: String) -> Double {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        let kibibytes = line?.split { !$0.isNumber }.first.flatMap { Double($0) }
        return (kibibytes ?? .nan) * 1024
    }
}
