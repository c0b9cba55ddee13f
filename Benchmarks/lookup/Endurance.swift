import FoundationEssentials
import OAuth
import Platform
import VaultKit
import VaultStore
import VaultTesting

/// What a process that runs for months does all the time, and the memory that it takes for good.
struct Endurance {
    let stored: LookupVault
    let account: AccountName

    /// Bytes in memory after each part, beside those before it.
    struct Result {
        let lookups: Double
        let refreshes: Double
        let opens: Double
    }

    func run() async throws -> Result {
        let clock = StandingClock()
        let vault = try await stored.open(clock: clock, transport: RotatingServer())
        let lookups = try await Self.growth(times: 100_000) { number in
            if number % 50 == 0 { clock.putForward(1) }
            _ = try await vault.accessToken(for: account)
        }
        let refreshes = try await Self.growth(times: 1000) { _ in
            _ = try await vault.refresh(account)
        }
        await vault.close()
        let opens = try await Self.growth(times: 100) { _ in
            let vault = try await stored.open(clock: clock)
            _ = try await vault.accessToken(for: account)
            await vault.close()
        }
        return Result(lookups: lookups, refreshes: refreshes, opens: opens)
    }

    /// A tenth of it warms up what every process pays for once.
    private static func growth(
        times: Int,
        _ body: (Int) async throws -> Void
    ) async throws -> Double {
        for number in 0..<times / 10 { try await body(number) }
        let before = resident
        for number in 0..<times { try await body(number) }
        return resident - before
    }

    /// Bytes in memory, as the kernel counts them (proc_pid_status(5)).
    private static var resident: Double {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split { !$0.isNumber }.first.flatMap { Double($0) } ?? .nan) * 1024
    }
}

/// Gives a new pair to whoever asks, and remembers nothing but how many there were.
private final class RotatingServer: HTTPTransport {
    private let count = Locked(0)

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let grant = ScriptedAnswer.grant(
            accessToken: "access-\(number)",
            refreshToken: "next-\(number)"
        )
        return try await ScriptedTransport(grant).send(request)
    }
}
