import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultStore
import VaultTesting

@testable import VaultKit

/// What a refresh makes of writes that fail, or seem to.
@Suite(.timeLimit(.minutes(1))) struct StoreFailureTests {
    private struct DiskFull: Error {}

    private func environment(
        _ store: any AccountStore,
        _ scene: Scene
    ) throws -> RefreshEnvironment {
        RefreshEnvironment(
            store: store,
            lockFile: try FileLock(path: scene.home.location.lock),
            transport: scene.transport,
            clock: scene.clock,
            random: { 0.5 },
            faults: .none
        )
    }

    private func refresher(_ store: InterceptedStore, _ scene: Scene) throws -> TokenRefresher {
        TokenRefresher(
            environment: try environment(store, scene),
            events: scene.vault.hub,
            states: scene.vault.states
        )
    }

    private func refresh(
        _ refresher: TokenRefresher,
        _ scene: Scene
    ) async throws
        -> RefreshOutcome?
    {
        try await refresher.flight(for: scene.stored())
            .outcome(deadline: nil)
    }

    @Test("whoever starts over for the last time adopts what is stored by then")
    func startsOverForTheLastTime() async throws {
        try await withScene { scene in
            try await scene.addExpired()
            let tries = Shared(0)
            var store = InterceptedStore(scene.vault.store)
            store.claiming = { _, _, _ in
                let isLast = tries.update { tries in
                    tries += 1
                    return tries == 3
                }
                if isLast { try await scene.signInAgain() }
                throw StoreError.superseded
            }
            let outcome = try await refresh(refresher(store, scene), scene)
            guard case .adopted(let account) = outcome else {
                Issue.record("\(String(describing: outcome))")
                return
            }
            #expect(tries.value == 3 && account.accessText == "new-access")
            #expect(scene.transport.requestCount == 0)
        }
    }

    @Test("a commit that failed and happened all the same is a success")
    func commitUnknown() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.addExpired()
            let tries = Shared(0)
            var store = InterceptedStore(scene.vault.store)
            store.installing = { store, pair, claim in
                let outcome = try await store.install(pair, for: claim)
                let isFirst = tries.update { tries in
                    tries += 1
                    return tries == 1
                }
                if isFirst { throw DiskFull() }
                return outcome
            }
            let refresher = try refresher(store, scene)
            guard case .refreshed(let account) = try await refresh(refresher, scene) else {
                Issue.record("it was not refreshed")
                return
            }
            #expect(account.generation == 2)
            #expect(try scene.stored().tokens == account.tokens)
            #expect(!refresher.storeRefusesWrites)
            #expect(server.requestCount == 1)
        }
    }

    @Test("an error of the database or the lock file says which file it is about")
    func errorsNameTheFile() async throws {
        try await withScene { scene in
            try await scene.add()
            try Saboteur(scene.home.location).breakClaims()
            let error = await vaultError { try await scene.vault.refresh("work") }
            #expect(error?.code == .storage)
            #expect(error?.facts[.path] == scene.home.location.database)
        }
        try await withScene { scene in
            let lock = scene.home.location.lock
            try FileSystem.remove(lock)
            try FileSystem.makeDirectories(lock)
            let error = await vaultError { try await scene.openAgain() }
            #expect(error?.code == .unsafePermissions)
            #expect(error?.facts[.path] == lock)
        }
    }

    @Test("a first failure is tried once more before it is believed")
    func secondTry() async throws {
        try await withScene(RotatingServer().transport()) { scene in
            try await scene.addExpired()
            let tries = Shared(0)
            var store = InterceptedStore(scene.vault.store)
            store.installing = { store, pair, claim in
                let isFirst = tries.update { tries in
                    tries += 1
                    return tries == 1
                }
                if isFirst { throw DiskFull() }
                return try await store.install(pair, for: claim)
            }
            let outcome = try await refresh(try refresher(store, scene), scene)
            guard case .refreshed = outcome else {
                Issue.record("it was not refreshed")
                return
            }
        }
    }

    @Test("cli A17, PE-06: the account stays locked, and the tries go on, until the pair is stored")
    func keepsTrying() async throws {
        try await withScene(RotatingServer().transport()) { scene in
            try await scene.add("other")
            try await scene.addExpired()
            let isBroken = Shared(true)
            var store = InterceptedStore(scene.vault.store)
            store.installing = { store, pair, claim in
                if isBroken.value { throw DiskFull() }
                return try await store.install(pair, for: claim)
            }
            let refresher = try refresher(store, scene)
            guard case .notSaved(let old, let new) = try await refresh(refresher, scene) else {
                Issue.record("it was saved")
                return
            }
            #expect(old.accessText == "work-access-1")
            #expect(new.accessText == "work-access-2")
            let other = try FileLock(path: scene.home.location.lock)
            // Some twenty tries, an hour of them, and a lock that nobody else can have.
            for _ in 1...20 {
                try await scene.clock.waitForSleeper(within: 30)
                #expect(try !other.tryLock(.account(old.number)))
                #expect(refresher.storeRefusesWrites)
                scene.clock.advanceToNextWake(within: 30)
            }
            // The error is about the account that is not saved, whoever asks.
            let error = await vaultError { try refresher.flight(for: scene.stored("other")) }
            #expect(error?.code == .notSaved)
            #expect(error?.account == "work")
            isBroken.update { $0 = false }
            while refresher.storeRefusesWrites {
                scene.clock.advanceToNextWake(within: 30)
                await Task.yield()
            }
            await refresher.drain(limit: 600)
            #expect(try scene.stored().refreshText == "work-refresh-2")
            #expect(try other.tryLock(.account(old.number)))
        }
    }

    @Test("the account is free before anybody may refresh it again")
    func freeOnceStored() async throws {
        try await withScene { scene in
            try await scene.addExpired()
            let account = try scene.stored()
            let environment = try environment(scene.vault.store, scene)
            let acquisition = try await AccountLock.acquire(
                account: account.number,
                in: environment.lockFile,
                limit: 0,
                clock: scene.clock,
                unless: { nil as Never? }
            )
            guard case .acquired(let lock) = acquisition else {
                Issue.record("it was not free")
                return
            }
            let claim = try await scene.vault.store.claim(
                account,
                intent: Intent(refreshTokenHash: [], claimed: scene.clock.now(), attempt: 1)
            )
            let keeper = PairKeeper(
                environment: environment,
                pair: NewPair(
                    tokens: account.tokens,
                    spentTokenHash: nil,
                    now: scene.clock.now().wall,
                    expiry: nil,
                    due: nil
                ),
                claim: claim,
                account: account,
                lock: lock
            )
            _ = await scene.clock.passingSleeps(within: 1) { await keeper.keepSaving() }
            let other = try FileLock(path: scene.home.location.lock)
            #expect(try other.tryLock(.account(account.number)))
            withExtendedLifetime(keeper) {}
        }
    }

    @Test("cli A20, E07: signed in again between reading and claiming, the newer pair is used")
    func supersededClaim() async throws {
        try await withScene { scene in
            try await scene.addExpired()
            var store = InterceptedStore(scene.vault.store)
            store.claiming = { store, account, intent in
                try await scene.signInAgain()
                return try await store.claim(account, intent: intent)
            }
            let outcome = try await refresh(try refresher(store, scene), scene)
            guard case .adopted(let account) = outcome else {
                Issue.record("it was not adopted")
                return
            }
            #expect(account.accessText == "new-access")
            #expect(scene.transport.requestCount == 0)
        }
    }

    @Test("a claim under a number that is no longer the account's is made anew under the right one")
    func renumberedClaim() async throws {
        try await withScene(RotatingServer().transport()) { scene in
            try await scene.addExpired()
            let claimed = Shared<[Int64]>([])
            var store = InterceptedStore(scene.vault.store)
            store.claiming = { store, account, intent in
                let isFirst = claimed.update { claimed in
                    claimed.append(account.number)
                    return claimed.count == 1
                }
                if isFirst { try Saboteur(scene.home.location).renumber() }
                return try await store.claim(account, intent: intent)
            }
            let outcome = try await refresh(try refresher(store, scene), scene)
            guard case .refreshed(let account) = outcome else {
                Issue.record("it was not refreshed")
                return
            }
            #expect(claimed.value == [account.number - 100, account.number])
            #expect(scene.transport.requestCount == 1)
        }
    }
}
