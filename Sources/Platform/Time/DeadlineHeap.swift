/// Deadlines, of which the earliest is at hand; of equal ones the one that came first.
struct DeadlineHeap: Sendable {
    struct Entry: Sendable, Comparable {
        /// Nanoseconds of the suspend-counting clock.
        let deadline: Int64
        let number: UInt64

        static func < (left: Entry, right: Entry) -> Bool {
            (left.deadline, left.number) < (right.deadline, right.number)
        }
    }

    /// A binary heap: no entry is earlier than the one at half its place.
    private var entries: [Entry] = []

    init() {}

    init(_ all: [Entry]) {
        // Sorted is a heap too.
        entries = all.sorted()
    }

    var count: Int { entries.count }
    var first: Entry? { entries.first }
    var all: [Entry] { entries }

    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var place = entries.count - 1
        while place > 0, entries[place] < entries[(place - 1) / 2] {
            entries.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    @discardableResult
    mutating func removeFirst() -> Entry? {
        guard let last = entries.popLast() else { return nil }
        guard let first = entries.first else { return last }
        entries[0] = last
        var place = 0
        while let child = earlierChild(of: place), entries[child] < entries[place] {
            entries.swapAt(place, child)
            place = child
        }
        return first
    }

    private func earlierChild(of place: Int) -> Int? {
        let left = 2 * place + 1
        guard left < entries.count else { return nil }
        let right = left + 1
        return right < entries.count && entries[right] < entries[left] ? right : left
    }
}
