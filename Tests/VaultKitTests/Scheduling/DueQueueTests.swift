import FoundationEssentials
import Testing
import VaultStore

@testable import VaultKit

/// Whose turn it is.
@Suite struct DueQueueTests {
    private func hint(_ number: Int64, of client: UInt8, due: Double) -> AccountHint {
        AccountHint(
            number: number,
            name: "account\(number)",
            state: .active,
            due: Date(timeIntervalSince1970: due),
            client: [client]
        )
    }

    /// Takes everything, with each client's share of what is at work growing as it goes.
    private func order(
        _ queue: inout DueQueue,
        shut: Set<UInt8> = [],
        atWork: [UInt8: Int] = [:]
    ) -> [Int64] {
        var atWork = atWork
        var order: [Int64] = []
        while let next = queue.next({ client in
            guard let id = client.first, !shut.contains(id) else { return nil }
            return DueQueue.Load(host: atWork[id, default: 0], client: 0)
        }) {
            order.append(next.number)
            atWork[next.client?.first ?? 0, default: 0] += 1
        }
        return order
    }

    @Test func ofOneClientTheEarliestComesFirst() {
        var queue = DueQueue()
        queue.add([hint(3, of: 1, due: 10), hint(1, of: 1, due: 20), hint(2, of: 1, due: 30)])
        #expect(order(&queue) == [3, 1, 2])
        #expect(queue.isEmpty)
    }

    @Test("clients take turns, however many accounts one of them has")
    func turns() {
        var queue = DueQueue()
        queue.add((1...6).map { hint($0, of: 1, due: Double($0)) })
        queue.add([hint(7, of: 2, due: 50), hint(8, of: 2, due: 60)])
        #expect(order(&queue) == [1, 7, 2, 8, 3, 4, 5, 6])
    }

    @Test("a host with much at work waits for the others")
    func load() {
        var queue = DueQueue()
        queue.add([hint(1, of: 1, due: 1), hint(2, of: 2, due: 50), hint(3, of: 2, due: 60)])
        #expect(order(&queue, atWork: [1: 2]) == [2, 3, 1])
    }

    @Test("a client that must wait holds up no other, and keeps its accounts")
    func shut() {
        var queue = DueQueue()
        queue.add([hint(1, of: 1, due: 1), hint(2, of: 2, due: 2)])
        #expect(order(&queue, shut: [1]) == [2])
        #expect(!queue.isEmpty && Array(queue.clients) == [[1]])
        #expect(order(&queue) == [1])
    }

    @Test("those whose last answer was lost come first, and once")
    func hurry() {
        var queue = DueQueue()
        let lost = hint(9, of: 1, due: 40)
        queue.add([lost], hurried: true)
        queue.add([hint(1, of: 1, due: 1), lost])
        #expect(order(&queue) == [9, 1])
    }

    @Test func whatIsPutBackIsNextOfItsClient() {
        var queue = DueQueue()
        queue.add([hint(1, of: 1, due: 1), hint(2, of: 1, due: 2)])
        let first = queue.next { _ in DueQueue.Load(host: 0, client: 0) }
        if let first { queue.putBack(first) }
        #expect(order(&queue) == [1, 2])
    }
}
