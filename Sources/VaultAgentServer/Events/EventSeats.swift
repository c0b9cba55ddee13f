internal import Platform

/// The places for those who listen to events: each takes a connection and a look at the file twice a
/// second.
final class EventSeats: Sendable {
    static let limit = 64

    private let taken = Locked(0)

    var count: Int { taken.withLock { $0 } }

    /// A place; nil when all are taken.
    func take() -> Seat? {
        let hasRoom = taken.withLock { taken in
            guard taken < Self.limit else { return false }
            taken += 1
            return true
        }
        return hasRoom ? Seat(self) : nil
    }

    /// A place that is given back with its last reference.
    final class Seat: Sendable {
        private let seats: EventSeats

        fileprivate init(_ seats: EventSeats) {
            self.seats = seats
        }

        deinit {
            seats.taken.withLock { $0 -= 1 }
        }
    }
}
