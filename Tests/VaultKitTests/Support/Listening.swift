import Testing
import VaultTesting

@testable import VaultKit

extension VaultEvents.Iterator {
    /// The next so many events, or fewer when the stream ends before.
    mutating func take(_ count: Int) async -> [VaultEvent] {
        var events: [VaultEvent] = []
        while events.count < count, let event = await next() { events.append(event) }
        return events
    }

    /// All until the end.
    mutating func rest() async -> [VaultEvent] { await take(.max) }
}

extension VaultEvents {
    /// Waits for the first event of a stream in a task of its own.
    func waitForFirst() -> Task<VaultEvent?, Never> {
        Task {
            var iterator = makeAsyncIterator()
            return await iterator.next()
        }
    }
}

/// An event in a word, to compare many at a glance.
extension VaultEvent {
    var word: String {
        let name = account.map { "\($0)" } ?? "-"
        return switch kind {
        case .refreshed: "\(name) refreshed"
        case .adopted(let generation): "\(name) adopted \(generation)"
        case .refreshFailed(let code): "\(name) \(code.rawValue)"
        case .signInNeeded: "\(name) dead"
        case .stateChanged(let state): "\(name) \(state.rawValue)"
        case .notSaved: "\(name) not saved"
        case .signedIn: "\(name) signed in"
        case .removed: "\(name) removed"
        case .grantEnds: "grant ends"
        case .missed: "missed"
        }
    }
}
