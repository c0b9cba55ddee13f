import FoundationEssentials
import OAuth
import Platform
import VaultKit
import VaultStore
import VaultTesting

// How a crowd in one process fares whose token has expired: one request, how long after the install
// the last ones are served, and what a caller who waits costs in memory. `crowd [CALLERS [ROUNDS]]`.

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let callers = arguments.first ?? 10_000
let roundCount = arguments.dropFirst().first ?? 9

try await TemporaryVault.use { home in
    let crowd = try await Crowd(home)
    // The first round pays for what every process pays once.
    _ = try await crowd.gather(1)
    let idle = Memory.resident()
    var rounds: [Crowd.Round] = []
    for _ in 1...roundCount { rounds.append(try await crowd.gather(callers)) }
    func median(_ value: (Crowd.Round) -> Double) -> String {
        let text = "\((rounds.map(value).sorted()[rounds.count / 2] * 10).rounded() / 10)"
        return String(repeating: " ", count: max(8 - text.count, 0)) + text
    }
    print(
        """
        \(callers) callers in one process on an expired account, medians of \(roundCount) rounds
          requests sent                          \(median { Double($0.requests) })  (bar 1)
          served after the install, median       \(median { $0.served(0.5) * 1000 }) ms
          served after the install, p99          \(median { $0.served(0.99) * 1000 }) ms (bar 30)
          peak memory above idle                 \(median { ($0.peak - idle) / 1e6 }) MB (bar 64)
        """
    )
    await crowd.vault.close()
}
