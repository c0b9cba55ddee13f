internal import Platform
internal import VaultAgentClient
internal import VaultHTTPServer
internal import VaultKit

/// What the agent counts of its work since it started: no names, no secrets.
final class AgentMetrics: Sendable {
    /// Counts of what has ended, by how.
    struct Counts: Sendable {
        var tokenRequests: [String: Int] = ["ok": 0]
        var refreshes: [String: Int] = ["refreshed": 0, "adopted": 0]
        var events: [String: Int] = [:]
        var requests: [String: Int] = [:]
    }

    /// How many accounts are in each state, and when that was counted.
    private struct Census {
        let counts: [AccountState: Int]
        let time: Double
    }

    /// Seconds for which the accounts are not counted again.
    private static let censusLife = 15.0

    private let start = Uptime.seconds()
    private let counts = Locked(Counts())
    private let census = Locked<Census?>(nil)

    var current: Counts { counts.withLock { $0 } }
    var uptime: Double { Uptime.seconds() - start }

    /// Counts a request for a token that was answered, with one or with an error.
    func noteToken(_ error: VaultError?) {
        counts.withLock { $0.tokenRequests[error?.code.rawValue ?? "ok", default: 0] += 1 }
    }

    func noteAnswer(_ status: Int) {
        counts.withLock { $0.requests["\(status)", default: 0] += 1 }
    }

    /// Counts what the vault tells of.
    func note(_ event: VaultEvent) {
        counts.withLock { counts in
            counts.events[event.kind.name, default: 0] += 1
            switch event.kind {
            case .refreshed: counts.refreshes["refreshed", default: 0] += 1
            case .adopted: counts.refreshes["adopted", default: 0] += 1
            case .refreshFailed(let code): counts.refreshes[code.rawValue, default: 0] += 1
            case .signInNeeded: counts.refreshes["sign_in_needed", default: 0] += 1
            case .grantEnds, .stateChanged, .notSaved, .signedIn, .removed, .missed: break
            }
        }
    }

    /// The accounts in each state, a while ago at most; nil when they cannot be counted.
    func accounts(_ vault: Vault) async -> [AccountState: Int]? {
        let now = Uptime.seconds()
        if let census = census.withLock({ $0 }), now - census.time < Self.censusLife {
            return census.counts
        }
        guard let counts = try? await vault.accountCounts() else { return nil }
        census.withLock { $0 = Census(counts: counts, time: now) }
        return counts
    }
}

extension AgentRoutes {
    func metrics() async -> HTTPServerResponse {
        let (metrics, session) = (service.metrics, try? service.vault.session())
        let counts = metrics.current
        var text = MetricsText()
        text.add(
            "vault_agent_info",
            .gauge,
            "The agent's version.",
            label: "version",
            [VaultVersion.current: 1]
        )
        text.add(
            "vault_agent_uptime_seconds",
            .gauge,
            "Seconds since the agent started.",
            metrics.uptime.rounded()
        )
        text.add(
            "vault_agent_locked",
            .gauge,
            "Whether the agent has no keys.",
            session == nil ? 1 : 0
        )
        text.add(
            "vault_agent_answers_total",
            .counter,
            "Answers to requests, by their status.",
            label: "status",
            counts.requests
        )
        text.add(
            "vault_agent_event_streams",
            .gauge,
            "Clients that listen to events.",
            Double(service.eventSeats.count)
        )
        text.add(
            "vault_token_requests_total",
            .counter,
            "Requests for a token, by what came of them: ok, or the code of the error.",
            label: "outcome",
            counts.tokenRequests
        )
        text.add(
            "vault_refreshes_total",
            .counter,
            "Refreshes that ended, by what came of them: refreshed, adopted, or a code.",
            label: "result",
            counts.refreshes
        )
        text.add(
            "vault_events_total",
            .counter,
            "Events, by their kind.",
            label: "kind",
            counts.events
        )
        text.add(
            "vault_refreshes_running",
            .gauge,
            "Accounts with a refresh under way.",
            Double(session?.vault.runningRefreshes ?? 0)
        )
        let late = session?.vault.lateness.counts ?? LatenessCounts.Counts()
        text.add(
            "vault_refresh_lateness_seconds",
            "Seconds after its due time that a refresh began.",
            steps: LatenessCounts.steps,
            counts: late.steps,
            sum: late.sum
        )
        if let session, let accounts = await metrics.accounts(session.vault) {
            let states = AccountState.allCases.map { ($0.rawValue, accounts[$0] ?? 0) }
            text.add(
                "vault_accounts",
                .gauge,
                "Accounts, by their state.",
                label: "state",
                Dictionary(uniqueKeysWithValues: states)
            )
        }
        return HTTPServerResponse(
            status: 200,
            headers: [
                (name: "Content-Type", value: MetricsText.contentType),
                (name: "Cache-Control", value: "no-store"),
            ],
            text: text.text
        )
    }
}
