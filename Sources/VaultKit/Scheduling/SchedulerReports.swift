internal import OAuth
internal import Platform

/// What the scheduler is told between two rounds; each report has it begin the next one.
struct SchedulerReports: Sendable {
    let wakeup: Wakeup
    private let waiting = Locked<[SchedulerReport]>([])

    init(wakeup: Wakeup) {
        self.wakeup = wakeup
    }

    /// What came since the last time.
    func takeAll() -> [SchedulerReport] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }

    private func add(_ report: SchedulerReport) {
        waiting.withLock { $0.append(report) }
        wakeup.wake(isNews: false)
    }

    /// Tells of the end of a flight, which is the refresher's to see through.
    func follow(_ flight: Flight, of client: DueQueue.Client, at host: String) {
        Task {
            let outcome = try? await flight.outcome(deadline: nil)
            add(.ended(outcome, wasSent: flight.hasSent, client: client, host: host))
        }
    }

    /// Tells whether a host can be reached, which its transport has a deadline for.
    func probe(_ place: Paces.Place, by transport: any HTTPTransport) {
        Task {
            let isReachable = await transport.canReach(place.endpoint, through: place.network)
            add(.probed(host: place.endpoint.host, isReachable: isReachable))
        }
    }

    /// Tells of changes of the network, and wakes for a change of the wall clock; until it is cancelled.
    func followSystem() -> Task<Void, Never> {
        Task {
            for await change in SystemChanges.stream {
                if change == .network { add(.networkChanged) } else { wakeup.wake(isNews: false) }
            }
        }
    }
}
