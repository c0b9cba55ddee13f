import FoundationEssentials
import Testing

@testable import Platform

@Suite struct BootTimerTests {
    @Test func whoeverSleepsShorterWakesFirst() async throws {
        let timer = BootTimer()
        let order = Locked<[Int]>([])
        try await withThrowingTaskGroup { group in
            for (number, seconds) in [(3, 0.03), (1, 0.01), (2, 0.02)] {
                group.addTask {
                    try await timer.sleep(seconds: seconds)
                    order.withLock { $0.append(number) }
                }
            }
            try await group.waitForAll()
        }
        #expect(order.withLock { $0 } == [1, 2, 3])
        #expect(timer.sleeperCount == 0 && timer.deadlineCount == 0)
    }

    @Test func aSleepTakesItsTimeAndHardlyMore() async throws {
        let timer = BootTimer()
        var shortest = Double.infinity
        // A busy machine may be late now and then.
        for _ in 1...5 {
            let before = Uptime.seconds()
            try await timer.sleep(seconds: 0.01)
            let seconds = Uptime.seconds() - before
            #expect(seconds >= 0.01)
            shortest = min(shortest, seconds)
        }
        #expect(shortest < 0.03)
    }

    @Test(arguments: [0, -1, -Double.infinity, .nan])
    func noTimeIsOverAtOnce(seconds: Double) async throws {
        try await BootTimer().sleep(seconds: seconds)
    }

    @Test func aCancelledTaskDoesNotEvenBegin() async {
        let timer = BootTimer()
        let sleeper = Task {
            while !Task.isCancelled { await Task.yield() }
            try await timer.sleep(seconds: 0)
        }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test(arguments: [3600, .infinity])
    func aSleepEndsWithItsTask(seconds: Double) async {
        let timer = BootTimer()
        let sleeper = Task { try await timer.sleep(seconds: seconds) }
        while timer.sleeperCount == 0 { await Task.yield() }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(timer.sleeperCount == 0)
    }

    @Test func thousandsOfEndedSleepsLeaveLittleBehind() async throws {
        let timer = BootTimer()
        for _ in 1...3000 {
            let sleeper = Task { try await timer.sleep(seconds: 3600) }
            sleeper.cancel()
            _ = await sleeper.result
        }
        #expect(timer.deadlineCount <= 65)
    }

    @Test func everyoneIsWokenOnce() async throws {
        let timer = BootTimer()
        let ends = Locked((woken: 0, cancelled: 0))
        await withTaskGroup { group in
            for number in 0..<500 {
                group.addTask {
                    let sleeper = Task {
                        try await timer.sleep(seconds: 0.001 * Double(number % 7))
                    }
                    if number.isMultiple(of: 2) { sleeper.cancel() }
                    let isWoken = (try? await sleeper.value) != nil
                    ends.withLock { ends in
                        if isWoken { ends.woken += 1 } else { ends.cancelled += 1 }
                    }
                }
            }
        }
        let (woken, cancelled) = ends.withLock { $0 }
        #expect(woken + cancelled == 500 && woken >= 250)
        #expect(timer.sleeperCount == 0)
    }

    @Test func theHeapGivesTheEarliestFirst() {
        var heap = DeadlineHeap()
        var random = SystemRandomNumberGenerator()
        let deadlines = (0..<500).map { _ in Int64.random(in: 0..<100, using: &random) }
        for (number, deadline) in deadlines.enumerated() {
            heap.insert(.init(deadline: deadline, number: UInt64(number)))
        }
        var taken: [DeadlineHeap.Entry] = []
        while let entry = heap.removeFirst() { taken.append(entry) }
        #expect(taken == taken.sorted() && taken.map(\.deadline) == deadlines.sorted())
        #expect(DeadlineHeap(taken).count == 500 && heap.first == nil)
    }
}
