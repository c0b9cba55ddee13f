internal import FoundationEssentials
internal import Platform

/// The right to spend one account's refresh token, held across every process that opens the vault.
///
/// The kernel takes it back the moment its holder dies: no time-out is guessed.
final class AccountLock: Sendable {
    private let file: FileLock
    private let range: FileLock.Range
    private let isHeld = Locked(true)

    private init(_ file: FileLock, _ range: FileLock.Range) {
        self.file = file
        self.range = range
    }

    deinit {
        release()
    }

    /// Gives the lock back before its last reference goes.
    ///
    /// Unlocking twice would take it from whoever in this process has it next.
    func release() {
        let wasHeld = isHeld.withLock { isHeld in
            defer { isHeld = false }
            return isHeld
        }
        if wasHeld { file.unlock(range) }
    }

    /// Polls for the lock, because waiting in the kernel would hold up a thread of Swift's small pool.
    ///
    /// `giveUp` is asked before every try: it returns something once there is no need for the lock
    /// any more. Without either before `limit` seconds the result is nil.
    static func acquire<Reason>(
        account number: Int64,
        in file: FileLock,
        limit: Double,
        clock: any VaultClock,
        unless giveUp: () async throws -> Reason?
    ) async throws -> Acquisition<Reason>? {
        let range = FileLock.Range.account(number)
        let start = clock.now()
        while true {
            if let reason = try await giveUp() { return .notNeeded(reason) }
            // Whoever works on the whole vault would else wait for ever where refreshes overlap.
            if try !file.isHeldElsewhere(.maintenance), try file.tryLock(range) {
                return .acquired(AccountLock(file, range))
            }
            guard clock.now().seconds(since: start) < limit else { return nil }
            try await clock.sleep(seconds: .random(in: 0.005...0.05))
        }
    }

    /// How waiting for the lock ended.
    enum Acquisition<Reason> {
        case acquired(AccountLock)
        case notNeeded(Reason)
    }
}
