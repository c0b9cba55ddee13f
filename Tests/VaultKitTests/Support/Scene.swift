import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultStore
import VaultTesting

@testable import VaultKit

/// An open vault on a clock that stands still, and the server its accounts refresh at.
struct Scene: Sendable {
    let home: TemporaryVault
    let clock: ManualClock
    let transport: ScriptedTransport
    let vault: Vault

    /// Adds an account whose first tokens are `<name>-access-1` and `<name>-refresh-1`.
    func add(_ name: AccountName = "work", lifetime: Double? = 3600) async throws {
        let tokens = TokenResponse.testing(
            accessToken: "\(name)-access-1",
            refreshToken: "\(name)-refresh-1",
            lifetime: lifetime
        )
        _ = try await vault.add(.testing(name), tokens)
    }

    /// Adds an account whose access token expired a second ago.
    func addExpired(_ name: AccountName = "work") async throws {
        try await add(name)
        clock.advance(by: 3601)
    }

    /// What is stored of an account.
    func stored(_ name: AccountName = "work") throws -> StoredAccount {
        try vault.store.account(named: name)
    }

    /// Has an account come to a state, by the hand of another process, of which this one was not told.
    func setState(_ state: AccountState, of name: AccountName = "work") async throws {
        try await vault.store.postpone(
            stored(name),
            as: StoredAccount.Health(state: state, due: nil),
            at: clock.now().wall
        )
    }

    /// The same vault opened once more, as another process would.
    func openAgain(
        transport other: (any HTTPTransport)? = nil,
        faults: FaultPoints = .none
    ) async throws -> Vault {
        try await home.open(transport: other ?? transport, clock: clock, faults: faults)
    }

    /// Gives the account a new grant, as signing in again does.
    func signInAgain(_ name: AccountName = "work", token: String = "new") async throws {
        let tokens = TokenResponse.testing(
            accessToken: "\(token)-access",
            refreshToken: "\(token)-refresh"
        )
        _ = try await vault.signIn(.testing(name), tokens, sent: clock.now())
    }
}

/// Runs `body` in a fresh scene.
func withScene(
    _ transport: ScriptedTransport = ScriptedTransport(),
    clock: ManualClock = ManualClock(),
    faults: FaultPoints = .none,
    _ body: (Scene) async throws -> Void
) async throws {
    // No test here cuts the power.
    try await TemporaryVault.use(isVolatile: true) { home in
        let vault = try await home.open(transport: transport, clock: clock, faults: faults)
        try await body(Scene(home: home, clock: clock, transport: transport, vault: vault))
    }
}

extension Vault {
    /// Waits until so many wait for the refresh of an account.
    func waitForWaiters(_ count: Int, of account: AccountName = "work") async throws {
        while waiterCount(for: account) < count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}

/// The error of a call that has to fail.
func vaultError(_ body: () async throws -> some Any) async -> VaultError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? VaultError
    }
}

/// Closes the vault and returns what its stream told until then.
func everything(
    of events: VaultEvents,
    closing vault: Vault
) async
    -> [VaultEvent.Kind]
{
    await vault.close()
    var kinds: [VaultEvent.Kind] = []
    for await event in events { kinds.append(event.kind) }
    return kinds
}

extension AccessToken {
    var text: String { value.reveal { $0 } }
}

extension StoredAccount {
    var accessText: String? { tokens.defaultToken?.value.reveal { $0 } }
    var refreshText: String? { tokens.refreshToken?.reveal { $0 } }
}

/// Runs the scheduler and lets so many seconds pass, as fast as its work allows.
func run(_ scene: Scene, for seconds: Double) async throws {
    let scheduler = Task { try await scene.vault.runScheduler() }
    let end = scene.clock.now().advanced(by: seconds)
    while end.seconds(since: scene.clock.now()) > 0 {
        try await scene.clock.waitForSleeper(within: 30.1)
        // Time stands still while a refresh is at work, as it all but does on a real machine.
        while scene.vault.refresher.flightCount > 0 { await Task.yield() }
        scene.clock.advanceToNextWake(within: 30.1)
        await Task.yield()
    }
    scheduler.cancel()
    await #expect(throws: CancellationError.self) { try await scheduler.value }
    // What came back is stored before the file goes: nobody ever lets go of a pair.
    while scene.vault.refresher.flightCount > 0 { await Task.yield() }
}
