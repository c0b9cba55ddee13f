internal import Platform

/// The person's programs that run now: a few at a time, each on a thread that waits for its end.
final class HookProcesses: Sendable {
    /// As many at a time.
    static let limit = 4
    /// Milliseconds after which one is ended with its whole process group.
    static let patience: Int32 = 10_000

    private struct State {
        var running: [Int: SupervisedProcess] = [:]
        var taken = 0
        var lastNumber = 0
        /// Whoever waits for a place; no more than one does.
        var waiter: CheckedContinuation<Bool, Never>?
        var isEnding = false
    }

    private let state = Locked(State())
    private let patience: Int32

    init(patience: Int32 = HookProcesses.patience) {
        self.patience = patience
    }

    /// Waits for a place; false once there is none to be had, or the task is cancelled.
    func takePlace() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if state.isEnding { return false }
                    guard state.taken == Self.limit else {
                        state.taken += 1
                        return true
                    }
                    state.waiter = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
                // One that was cancelled before it waited was not found by the handler.
                if answer == nil, Task.isCancelled { dismissWaiter() }
            }
        } onCancel: {
            dismissWaiter()
        }
    }

    /// Runs a program in the place that was taken.
    func run(
        _ program: String,
        input: [UInt8],
        environment: [String: String],
        ended: @escaping @Sendable (Result<SupervisedProcess.Ending, SystemError>) -> Void
    ) {
        do throws(SystemError) {
            let process = try SupervisedProcess(program, input: input, environment: environment)
            let number = add(process)
            do throws(SystemError) {
                try DedicatedThread.start { [self] in
                    let ending = process.wait(milliseconds: patience)
                    remove(number)
                    giveBackPlace()
                    ended(.success(ending))
                }
            } catch {
                process.kill()
                _ = process.wait(milliseconds: 0)
                remove(number)
                throw error
            }
        } catch {
            giveBackPlace()
            ended(.failure(error))
        }
    }

    /// Lets those that run come to their end for some seconds, and ends the rest.
    func finish(within seconds: Double) async {
        state.withLock { $0.isEnding = true }
        dismissWaiter()
        let end = Uptime.seconds() + seconds
        while !state.withLock({ $0.running.isEmpty }), Uptime.seconds() < end {
            try? await SystemClock().sleep(seconds: 0.02)
        }
        for process in state.withLock({ Array($0.running.values) }) { process.kill() }
    }

    private func add(_ process: SupervisedProcess) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.running[state.lastNumber] = process
            return state.lastNumber
        }
    }

    private func remove(_ number: Int) {
        state.withLock { _ = $0.running.removeValue(forKey: number) }
    }

    /// Gives the place to whoever waits, or back.
    func giveBackPlace() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            if state.waiter == nil { state.taken -= 1 }
            return state.waiter
        }
        waiter?.resume(returning: true)
    }

    private func dismissWaiter() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: false)
    }
}
