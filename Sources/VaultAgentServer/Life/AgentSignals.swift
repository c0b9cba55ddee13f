internal import Platform

/// The signals that came, taken on a thread of their own.
///
/// SIGTERM and SIGINT are a wish, and one more an order. SIGHUP is a request to read the
/// configuration again, unless it means what it did at first: that the terminal the agent was
/// started from is gone.
final class AgentSignals: Sendable {
    /// The numbers of those that ask it to stop.
    let wishes: AsyncStream<Int32>
    /// How many of them came, each time one more does.
    let counts: AsyncStream<Int>
    let reloads: AsyncStream<Void>
    private let count = Locked(0)

    init() {
        let (wishes, wish) = AsyncStream<Int32>.makeStream()
        let (counts, counting) = AsyncStream<Int>.makeStream()
        let (reloads, reload) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        (self.wishes, self.counts, self.reloads) = (wishes, counts, reloads)
        let hadTerminal = ControllingTerminal.isThere
        do {
            try DedicatedThread.start { [count] in
                while let signal = try? StopSignals.wait() {
                    let isReload = signal == StopSignals.hangUp
                    if isReload, !hadTerminal || ControllingTerminal.isThere {
                        reload.yield()
                        continue
                    }
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    wish.yield(signal)
                    counting.yield(number)
                }
                wish.finish()
            }
        } catch {
            wish.finish()
        }
    }

    /// How many asked it to stop.
    var value: Int { count.withLock { $0 } }
}
