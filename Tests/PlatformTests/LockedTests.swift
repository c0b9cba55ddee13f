import Testing

@testable import Platform

@Suite struct LockedTests {
    private final class Counter: Sendable {
        let value = Locked(0)
    }

    private struct Token: ~Copyable {
        var number: Int
    }

    private struct Refused: Error, Equatable {}

    /// Under the thread sanitizer also a test that each critical section is announced.
    @Test func incrementsFromManyTasksAllCount() async {
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 { counter.value.withLock { $0 += 1 } }
                }
            }
        }
        #expect(counter.value.withLock { $0 } == 8000)
    }

    @Test func structuresChangedFromManyTasksStayWhole() async {
        let numbers = Numbers()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<1000 { numbers.add(task * 1000 + step) }
                }
            }
        }
        #expect(numbers.sorted() == Array(0..<8000))
    }

    @Test func anErrorFreesTheLockAndKeepsTheChange() {
        let locked = Locked([1])
        #expect(throws: Refused()) {
            try locked.withLock { numbers throws(Refused) in
                numbers.append(2)
                throw Refused()
            }
        }
        let numbers = locked.withLock { $0 }
        #expect(numbers == [1, 2])
    }

    @Test func itHoldsAndReturnsWhatCannotBeCopied() {
        let locked = Locked(Token(number: 1))
        locked.withLock { $0.number += 1 }
        let taken: Token = locked.withLock { token in
            let old = Token(number: token.number)
            token = Token(number: 0)
            return old
        }
        let number = taken.number
        let left = locked.withLock { $0.number }
        #expect(number == 2)
        #expect(left == 0)
    }

    private final class Numbers: Sendable {
        private let values = Locked<[Int]>([])

        func add(_ number: Int) {
            values.withLock { $0.append(number) }
        }

        func sorted() -> [Int] {
            values.withLock { $0 }.sorted()
        }
    }
}
