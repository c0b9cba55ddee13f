internal import FoundationEssentials
public import OAuth
public import Platform
public import VaultStore

/// An open vault: hands out access tokens that are valid now, and keeps them so.
///
/// Any number of programs may open the same vault, with or without an agent: one of them refreshes,
/// the others get what it stored.
public final class Vault: Sendable {
    /// The directory it is in.
    public let location: VaultLocation
    /// Which rejected tokens were replaced lately.
    public let rejections: RejectionLimit

    let store: SQLiteStore
    let refresher: TokenRefresher
    let clock: any VaultClock
    let hub: EventHub
    let cache: TokenCache
    let transport: any HTTPTransport
    let schedulerWakeup = Wakeup()
    /// Seconds for which a token that just came is the answer to its own rejection.
    let settlingTime: Double
    let refreshes: LiveRefreshes
    let states: StateWatch
    /// How late this process's scheduler was.
    package let lateness = LatenessCounts()

    init(
        store: SQLiteStore,
        lockFile: FileLock,
        transport: any HTTPTransport,
        clock: any VaultClock,
        random: @escaping @Sendable () -> Double = Vault.systemRandom,
        faults: FaultPoints,
        settlingTime: Double = TokenLookup.settlingTime
    ) throws {
        self.location = store.location
        rejections = RejectionLimit(clock: clock)
        self.settlingTime = settlingTime
        self.store = store
        self.clock = clock
        self.transport = transport
        hub = EventHub(lastChange: try store.stateChangeCount())
        cache = TokenCache()
        let states = StateWatch(store: store, events: hub, clock: clock)
        self.states = states
        let refresher = TokenRefresher(
            environment: RefreshEnvironment(
                store: store,
                lockFile: lockFile,
                transport: transport,
                clock: clock,
                random: random,
                faults: faults
            ),
            events: hub,
            cache: cache,
            states: states,
            scheduler: schedulerWakeup
        )
        self.refresher = refresher
        refreshes = LiveRefreshes(lockFile: lockFile, isOwn: { refresher.isRefreshing($0) })
    }

    /// What opens a vault.
    public typealias Unlock = VaultStore.Unlock

    /// Opens the vault in a directory.
    ///
    /// Deriving a key from a passphrase takes a second or so; the caller's actor is free meanwhile.
    ///
    /// - Parameters:
    ///   - location: The directory; the one of the environment unless told.
    ///   - unlock: What opens it.
    ///   - transport: How token endpoints are reached.
    ///   - clock: Where the time comes from.
    /// - Returns: The open vault; `close()` ends it.
    /// - Throws: ``VaultError``: `no_vault`, `locked`, `unsafe_permissions`, `newer_format`,
    ///   `damaged`, `tampered`, `storage`.
    @concurrent
    public static func open(
        _ location: VaultLocation? = nil,
        unlock: Unlock,
        transport: any HTTPTransport,
        clock: any VaultClock = SystemClock()
    ) async throws -> Vault {
        try await open(
            location,
            unlock: unlock,
            transport: transport,
            clock: clock,
            faults: .none
        )
    }

    /// Opens a vault with places where a test can interfere, and with its hurry.
    @concurrent
    package static func open(
        _ location: VaultLocation?,
        unlock: Unlock,
        transport: any HTTPTransport,
        clock: any VaultClock,
        random: @escaping @Sendable () -> Double = Vault.systemRandom,
        faults: FaultPoints,
        settlingTime: Double = TokenLookup.settlingTime
    ) async throws -> Vault {
        let location = try place(location)
        do {
            let file = try VaultFile(location)
            try file.unlock(with: unlock)
            let lockFile = try openLockFile(location.lock)
            return try Vault(
                store: try SQLiteStore(file),
                lockFile: lockFile,
                transport: transport,
                clock: clock,
                random: random,
                faults: faults,
                settlingTime: settlingTime
            )
        } catch {
            throw VaultError(error).placed(in: location)
        }
    }

    /// From 0 to 1: what spreads tries that would come together.
    package static let systemRandom: @Sendable () -> Double = { Double.random(in: 0...1) }

    private static func openLockFile(_ path: String) throws(StoreError) -> FileLock {
        do {
            return try FileLock(path: path)
        } catch {
            throw .file(path: path, error)
        }
    }

    deinit {
        hub.finish()
    }

    /// Finishes what is in flight, up to a minute, and ends the event streams.
    ///
    /// A token that was just received is stored before this returns. Later calls fail with `closed`.
    public func close() async {
        // In a task of its own, awaited here: the caller's may be cancelled, and draining is not.
        let draining = Task { await refresher.drain(limit: 60) }
        await draining.value
        schedulerWakeup.wake()
        cache.forgetAll()
        states.tell()
        hub.finish()
    }

    /// Runs a call of the store with its errors translated.
    func translating<Result>(
        _ account: AccountName? = nil,
        _ body: () async throws -> Result
    ) async throws -> Result {
        guard !refresher.isClosed else { throw VaultError(.closed, account: account) }
        do {
            return try await body()
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw VaultError(error, account: account).placed(in: location)
        }
    }

    /// The same for a part of a call that waits for nothing, and that a closed vault lets end.
    func translatingNow<Result>(
        _ account: AccountName,
        _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch {
            throw VaultError(error, account: account).placed(in: location)
        }
    }
}

extension Vault: AccessTokenSource {}
