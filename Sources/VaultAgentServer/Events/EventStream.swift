internal import Platform
internal import VaultAgentClient
internal import VaultHTTPServer
internal import VaultKit

/// One client's stream of events, a line of JSON each.
///
/// A line now and then where nothing happens shows each side that the other is there. The last line
/// says why there are no more.
final class EventStream: Sendable {
    /// Seconds of silence after which the client is told that there was nothing.
    static let heartbeat = 15.0

    private let feed: EventFeed
    private let seat: EventSeats.Seat
    private let service: AgentService
    private let isOver = Locked(false)

    init(_ feed: EventFeed, _ seat: EventSeats.Seat, _ service: AgentService) {
        self.feed = feed
        self.seat = seat
        self.service = service
    }

    /// The next line; nil after the last.
    func next() async -> [UInt8]? {
        guard !isOver.withLock({ $0 }) else { return nil }
        let next = await feed.next(within: Self.heartbeat)
        // Somebody is there, who does not want the agent to leave.
        service.touch()
        switch next {
        case .event(let event): return Self.line(EventDocument(event))
        case .silence: return Self.line(.alive)
        case .end:
            isOver.withLock { $0 = true }
            return Self.line(.closed(endReason))
        }
    }

    private var endReason: String {
        if Task.isCancelled { return EventDocument.stopping }
        do {
            _ = try service.vault.session()
            // Another than the one whose events these were.
            return EventDocument.locked
        } catch {
            return error.code == .closed ? EventDocument.stopping : EventDocument.locked
        }
    }

    private static func line(_ document: EventDocument) -> [UInt8]? {
        (try? WireJSON.encode(document)).map { $0 + [UInt8(ascii: "\n")] }
    }
}

extension AgentRoutes {
    func events(_ request: HTTPServerRequest) throws -> HTTPServerStream {
        let position = try Self.position(request)
        let vault = try service.vault.session().vault
        guard let seat = service.eventSeats.take() else {
            throw VaultError(.busy, facts: [.reason: "event_streams"])
        }
        let stream = EventStream(vault.eventFeed(after: position), seat, service)
        return HTTPServerStream(
            headers: [
                (name: "Content-Type", value: "application/x-ndjson"),
                (name: "Cache-Control", value: "no-store"),
            ]
        ) { await stream.next() }
    }

    private static func position(_ request: HTTPServerRequest) throws -> VaultEvent.Position? {
        let field = "after"
        guard let text = request.query.first(where: { $0.name == field })?.value else {
            return nil
        }
        guard let number = Int64(text), number >= 0 else {
            throw VaultError(.invalidInput, facts: [.field: field])
        }
        return VaultEvent.Position(rawValue: number)
    }
}
