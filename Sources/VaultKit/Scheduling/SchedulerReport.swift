internal import VaultStore

/// What came of something that a scheduler had started.
enum SchedulerReport: Sendable {
    case ended(RefreshOutcome?, wasSent: Bool, client: DueQueue.Client, host: String)
    case probed(host: String, isReachable: Bool)
    case networkChanged
}

extension RefreshOutcome? {
    /// What the end of a refresh says of the host.
    func paceEnding(wasSent: Bool) -> Pace.Ending {
        guard wasSent else { return .unasked }
        guard case .failed(let error, _) = self else { return .answered }
        switch error.code {
        case .unreachable: return .unreachable
        case .outcomeUnknown: return error.facts[.status] == nil ? .lost : .answered
        default: return .answered
        }
    }

    /// Whether a new pair came.
    var isGranted: Bool {
        if case .refreshed = self { true } else { false }
    }

    /// The account, where the failure is not of its own but of its client.
    var refusedForClient: AccountName? {
        guard case .failed(let error, _) = self,
            [.throttled, .clientRefused, .massRefusal].contains(error.code)
        else { return nil }
        return error.account
    }
}
