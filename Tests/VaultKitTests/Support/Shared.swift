import Platform

/// A value that closures of a test share.
final class Shared<Value: Sendable>: Sendable {
    private let locked: Locked<Value>

    init(_ value: Value) {
        locked = Locked(value)
    }

    var value: Value { locked.withLock { $0 } }

    func update<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        locked.withLock { value in body(&value) }
    }
}
