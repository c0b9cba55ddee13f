internal import FoundationEssentials
internal import Platform
internal import VaultKit
internal import VaultStore

/// The agent's log: one JSON object a line, what happened to which account, never a secret.
///
/// 0600, and renamed once it has reached a megabyte, so that it takes two at most.
final class AgentLog: Sendable {
    private let file: Locked<AppendFile>

    init(_ location: VaultLocation) throws(SystemError) {
        file = Locked(try AppendFile(path: location.log, limit: 1 << 20))
    }

    func write(_ what: String, _ facts: [String: String] = [:]) {
        var entry = facts
        entry["what"] = what
        entry["time"] = Date.now.formatted(.iso8601)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(entry) else { return }
        // A log that cannot be written, on a full disk for one, is no reason to stop renewing.
        file.withLock { $0.append(Array(line) + [UInt8(ascii: "\n")]) }
    }

    func write(_ event: VaultEvent) {
        var facts = event.account.map { ["account": $0.text] } ?? [:]
        switch event.kind {
        case .refreshed(let generation, let expiry):
            facts["generation"] = "\(generation)"
            facts["expiry"] = expiry?.formatted(.iso8601)
            write("refreshed", facts)
        case .adopted(let generation):
            facts["generation"] = "\(generation)"
            write("adopted", facts)
        case .refreshFailed(let code):
            facts["code"] = code.rawValue
            write("refresh_failed", facts)
        case .grantEnds(let date):
            facts["end"] = date.formatted(.iso8601)
            write("grant_ends", facts)
        case .signInNeeded: write("sign_in_needed", facts)
        case .stateChanged(let state):
            facts["state"] = state.rawValue
            write("state_changed", facts)
        case .notSaved: write("not_saved", facts)
        case .signedIn(let generation):
            facts["generation"] = "\(generation)"
            write("signed_in", facts)
        case .removed: write("removed", facts)
        case .missed: write("missed", facts)
        }
    }
}
