internal import CPlatform
internal import Glibc
package import FoundationEssentials

/// Sleeps of the suspend-counting clock, all of them on one thread and one kernel timer.
///
/// The timers behind `Task.sleep` stand still while the machine is suspended: a sleep of half an hour
/// that a night falls into would end half an hour after the morning. A timerfd of CLOCK_BOOTTIME
/// (timerfd_create(2)) does not wake a machine up, and expires at once when it is.
package final class BootTimer: Sendable {
    package static let shared = BootTimer()

    private struct State {
        /// The kernel's timer, once somebody has slept; nil where there is none to be had.
        var descriptor: Int32?
        var hasTried = false
        var sleepers: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        /// Those who were woken up early stay in here until there are too many of them.
        var deadlines = DeadlineHeap()
        var lastNumber: UInt64 = 0
    }

    private let state = Locked(State())

    /// How many tasks sleep.
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }
    /// How many deadlines are kept, also of those who do not sleep any more.
    var deadlineCount: Int { state.withLock { $0.deadlines.count } }

    /// Sleeps for some seconds of that clock, or until the task is cancelled.
    package func sleep(seconds: TimeInterval) async throws {
        try Task.checkCancellation()
        guard seconds > 0 else { return await Task.yield() }
        guard let descriptor = descriptor() else {
            // A sandbox without timerfd: better a clock that stands still than none.
            return try await Task.sleep(for: .seconds(min(seconds, Self.longest)))
        }
        let deadline = cplatform_boottime() + Int64(min(seconds, Self.longest) * 1e9)
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(continuation, .init(deadline: deadline, number: number), descriptor)
                // One that was cancelled before it was in there was not found by the handler.
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// Seconds that nanoseconds since boot have room for.
    private static let longest = 1e9

    private func add(
        _ continuation: CheckedContinuation<Void, any Error>,
        _ entry: DeadlineHeap.Entry,
        _ descriptor: Int32
    ) {
        state.withLock { state in
            state.sleepers[entry.number] = continuation
            state.deadlines.insert(entry)
            // Under the lock, so that an earlier one is not overwritten by a later.
            if state.deadlines.first == entry { Self.arm(descriptor, state.deadlines) }
        }
    }

    private func cancel(_ number: UInt64) {
        let continuation = state.withLock { state in
            let continuation = state.sleepers.removeValue(forKey: number)
            if state.deadlines.count > 2 * state.sleepers.count + 64 {
                let kept = state.deadlines.all.filter { state.sleepers[$0.number] != nil }
                state.deadlines = DeadlineHeap(kept)
            }
            return continuation
        }
        continuation?.resume(throwing: CancellationError())
    }

    private static func arm(_ descriptor: Int32, _ deadlines: DeadlineHeap) {
        // Zero sets it to never. A moment that has passed expires at once.
        _ = cplatform_set_boot_timer(descriptor, max(deadlines.first?.deadline ?? 0, 0))
    }

    /// The kernel's timer, and the thread that waits for it.
    private func descriptor() -> Int32? {
        state.withLock { state in
            guard !state.hasTried else { return state.descriptor }
            state.hasTried = true
            let descriptor = cplatform_boot_timer()
            guard descriptor >= 0 else { return nil }
            do throws(SystemError) {
                try DedicatedThread.start { [self] in run(descriptor) }
                state.descriptor = descriptor
            } catch {
                Descriptor.close(descriptor)
            }
            return state.descriptor
        }
    }

    private func run(_ descriptor: Int32) {
        while cplatform_wait_boot_timer(descriptor) == 0 {
            for sleeper in takeDue(descriptor) { sleeper.resume() }
        }
    }

    private func takeDue(_ descriptor: Int32) -> [CheckedContinuation<Void, any Error>] {
        state.withLock { state in
            let now = cplatform_boottime()
            var due: [CheckedContinuation<Void, any Error>] = []
            while let first = state.deadlines.first, first.deadline <= now {
                state.deadlines.removeFirst()
                if let sleeper = state.sleepers.removeValue(forKey: first.number) {
                    due.append(sleeper)
                }
            }
            Self.arm(descriptor, state.deadlines)
            return due
        }
    }
}
