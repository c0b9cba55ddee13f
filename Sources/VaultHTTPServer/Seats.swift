/// The connections, numbered in the order they came, and until when each may be without a whole
/// request.
struct Seats {
    typealias Connection = OpaquePointer

    private struct Seat {
        let number: UInt64
        let opened: ContinuousClock.Instant
        var deadline: ContinuousClock.Instant?
        var hasAsked = false
    }

    private let requestTime: Duration
    private let idleTime: Duration?
    private var seats: [Connection: Seat] = [:]
    private var last: UInt64 = 0
    /// No deadline is earlier; it may be one that was met.
    private(set) var nextDeadline: ContinuousClock.Instant?

    init(_ limits: HTTPServerLimits) {
        requestTime = .seconds(limits.requestSeconds)
        idleTime = limits.idleSeconds > 0 ? .seconds(limits.idleSeconds) : nil
    }

    var count: Int { seats.count }

    mutating func opened(_ connection: Connection, at now: ContinuousClock.Instant) {
        last += 1
        seats[connection] = Seat(number: last, opened: now)
        limit(connection, to: now + requestTime)
    }

    mutating func closed(_ connection: Connection) {
        seats[connection] = nil
    }

    /// The first line of a request has come: what was sent before it counts only on a new connection.
    mutating func requestBegan(_ connection: Connection, at now: ContinuousClock.Instant) {
        guard let seat = seats[connection], seat.hasAsked else { return }
        limit(connection, to: now + requestTime)
    }

    /// The whole request is there.
    mutating func requestCame(_ connection: Connection) {
        seats[connection]?.hasAsked = true
        seats[connection]?.deadline = nil
    }

    /// The answer is out, and another request may follow.
    mutating func requestEnded(_ connection: Connection, at now: ContinuousClock.Instant) {
        seats[connection]?.hasAsked = true
        if let idleTime { limit(connection, to: now + idleTime) }
    }

    private mutating func limit(_ connection: Connection, to deadline: ContinuousClock.Instant) {
        seats[connection]?.deadline = deadline
        nextDeadline = min(nextDeadline ?? deadline, deadline)
    }

    /// Those whose time is over.
    mutating func late(at now: ContinuousClock.Instant) -> [Connection] {
        guard let nextDeadline, now >= nextDeadline else { return [] }
        var late: [Connection] = []
        var next: ContinuousClock.Instant?
        for (connection, seat) in seats {
            guard let deadline = seat.deadline else { continue }
            if deadline <= now {
                late.append(connection)
                seats[connection]?.deadline = nil
            } else {
                next = min(next ?? deadline, deadline)
            }
        }
        self.nextDeadline = next
        return late
    }

    /// Until when somebody who came in these last moments may still be about to say what for; nil when
    /// nobody is.
    func lastArrival(within time: Duration) -> ContinuousClock.Instant? {
        seats.values.filter { !$0.hasAsked }.map { $0.opened + time }.max()
    }

    /// Who came first of those that may go.
    func oldest(where mayGo: (Connection) -> Bool) -> Connection? {
        seats.filter { mayGo($0.key) }.min { $0.value.number < $1.value.number }?.key
    }
}
