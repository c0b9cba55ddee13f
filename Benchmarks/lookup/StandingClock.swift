import Platform

/// The machine's clock at a moment that stands still until it is put forward.
///
/// What is in memory never grows old while it is measured. Asking costs what it costs: the machine's
/// clock is asked as well.
final class StandingClock: VaultClock {
    private let moment = Locked(SystemClock().now())

    func putForward(_ seconds: Double) {
        moment.withLock { $0 = $0.advanced(by: seconds) }
    }

    func now() -> Moment {
        _ = SystemClock().now()
        return moment.withLock { $0 }
    }

    func sleep(seconds: Double) async throws {
        try await SystemClock().sleep(seconds: seconds)
    }
}
