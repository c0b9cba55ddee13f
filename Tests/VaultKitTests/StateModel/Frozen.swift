/// A value that never changes, shared by all states that have it: copied and compared at no cost.
final class Frozen<Value: Hashable & Sendable>: Hashable, Sendable {
    let value: Value
    private let hash: Int

    init(_ value: Value) {
        self.value = value
        hash = value.hashValue
    }

    static func == (left: Frozen, right: Frozen) -> Bool {
        left === right || (left.hash == right.hash && left.value == right.value)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}
