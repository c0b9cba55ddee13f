import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit

/// Two open vaults on one file: to the kernel's locks they are two processes.
@Suite(.timeLimit(.minutes(1))) struct TwoVaultsTests {
    @Test("server A13, A08, A2, I08: one sends, the other adopts what it stored")
    func oneSendsTheOtherAdopts() async throws {
        let hold = Hold()
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.addExpired()
            let other = try await scene.openAgain()
            let events = other.events
            let first = Task { try await scene.vault.accessToken(for: "work") }
            try await hold.waitForArrivals()
            let second = Task { try await other.accessToken(for: "work") }
            // The second one polls for the lock by now.
            try await scene.clock.waitForSleeper(within: 0.05)
            hold.release()
            // The clock stands still while the first one commits.
            #expect(try await first.value.text == "work-access-2")
            scene.clock.advanceToNextWake(within: 0.05)
            #expect(try await second.value.text == "work-access-2")
            #expect(server.requestCount == 1)
            #expect(server.reuseCount == 0)
            #expect(await everything(of: events, closing: other) == [.adopted(generation: 2)])
        }
    }

    @Test(
        "A03, server A12: a crowd over several vaults and accounts sends one request for each account"
    )
    func crowd() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            let names: [AccountName] = ["a", "b", "c", "d", "e"]
            for name in names { try await scene.add(name) }
            scene.clock.advance(by: 48 * 3600)
            var vaults = [scene.vault]
            for _ in 1...3 { vaults.append(try await scene.openAgain()) }
            let tokens = try await scene.clock.passingSleeps(within: 0.1) { [vaults] in
                try await withThrowingTaskGroup(of: String.self) { group in
                    for vault in vaults {
                        for name in names + names {
                            group.addTask { try await vault.accessToken(for: name).text }
                        }
                    }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
            }
            #expect(tokens == Set(names.map { "\($0)-access-2" }))
            #expect(server.requestCount == names.count)
            #expect(server.reuseCount == 0)
        }
    }

    @Test("a token that another process got for something else is not adopted for one's own")
    func anotherToken() async throws {
        let hold = Hold()
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.add()
            let other = try await scene.openAgain()
            let third = try await scene.openAgain()
            let mail = Scope(["mail"])
            let first = Task { try await other.accessToken(for: "work", scope: mail) }
            try await hold.waitForArrivals()
            let own = Task { try await scene.vault.refresh("work") }
            let same = Task { try await third.accessToken(for: "work", scope: mail) }
            try await scene.clock.waitForSleeper(within: 0.05)
            hold.release()
            // The clock stands still while the first one commits.
            #expect(try await first.value.text == "work-access-2+mail")
            let tokens = try await scene.clock.passingSleeps(within: 0.1) {
                [try await own.value, try await same.value]
            }
            #expect(tokens.map(\.text) == ["work-access-3", "work-access-2+mail"])
            #expect(server.requestCount == 2)
            #expect(server.reuseCount == 0)
        }
    }

    @Test("A06, A4: while another holds the account nothing is sent, and a caller is told busy")
    func heldByAnother() async throws {
        try await withScene { scene in
            try await scene.addExpired()
            let holder = try FileLock(path: scene.home.location.lock)
            #expect(try holder.tryLock(.account(scene.stored().number)))
            let error = await scene.clock.passingSleeps(within: 0.1) {
                await vaultError { try await scene.vault.accessToken(for: "work") }
            }
            #expect(error?.code == .busy)
            #expect(scene.transport.requestCount == 0)
            #expect(try scene.stored().intent == nil)
        }
    }

    @Test("while somebody works on the whole vault no refresh begins, and a good token is served")
    func maintenance() async throws {
        try await withScene { scene in
            try await scene.addExpired()
            try await scene.add("good")
            let worker = try FileLock(path: scene.home.location.lock)
            #expect(try worker.tryLock(.maintenance))
            #expect(try await scene.vault.accessToken(for: "good").text == "good-access-1")
            let error = await scene.clock.passingSleeps(within: 0.1) {
                await vaultError { try await scene.vault.accessToken(for: "work") }
            }
            #expect(error?.code == .busy)
            #expect(scene.transport.requestCount == 0)
            #expect(try worker.tryLock(.allAccounts))
        }
    }

    @Test("R2, cli E18: an account added anew during the wait is refreshed under its own lock")
    func replacedWhileWaiting() async throws {
        let server = RotatingServer()
        let isHeld = Shared<Bool?>(nil)
        let home = Shared<(path: String, account: Int64)?>(nil)
        let transport = ScriptedTransport { request in
            if let home = home.value, let probe = try? FileLock(path: home.path) {
                isHeld.update { $0 = (try? probe.tryLock(.account(home.account))) == false }
            }
            return server.answer(to: request)
        }
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let number = try scene.stored().number
            let holder = try FileLock(path: scene.home.location.lock)
            #expect(try holder.tryLock(.account(number)))
            let caller = Task { try await scene.vault.accessToken(for: "work") }
            try await scene.clock.waitForSleeper(within: 0.05)
            try await scene.vault.remove("work")
            _ = try await scene.vault.add(
                .testing("work"),
                .testing(
                    accessToken: "another-access-1",
                    refreshToken: "another-refresh-1",
                    lifetime: 1
                )
            )
            home.update { [number = try? scene.stored().number] in
                $0 = (scene.home.location.lock, number ?? 0)
            }
            // Whoever waits goes on from here.
            scene.clock.advance(by: 2)
            holder.unlock(.account(number))
            let token = try await scene.clock.passingSleeps(within: 0.1) { try await caller.value }
            #expect(token.text == "another-access-2")
            #expect(server.requestCount == 1)
            #expect(isHeld.value == true)
        }
    }

    @Test("an account that has another number after the wait is refreshed under that one's lock")
    func renumberedWhileWaiting() async throws {
        let server = RotatingServer()
        let isHeld = Shared<Bool?>(nil)
        let lockFile = Shared<(path: String, account: Int64)?>(nil)
        let transport = ScriptedTransport { request in
            if let lockFile = lockFile.value, let probe = try? FileLock(path: lockFile.path) {
                let range = FileLock.Range.account(lockFile.account)
                isHeld.update { $0 = (try? probe.tryLock(range)) == false }
            }
            return server.answer(to: request)
        }
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let old = try scene.stored().number
            let holder = try FileLock(path: scene.home.location.lock)
            #expect(try holder.tryLock(.account(old)))
            let caller = Task { try await scene.vault.accessToken(for: "work") }
            try await scene.clock.waitForSleeper(within: 0.05)
            try Saboteur(scene.home.location).renumber()
            let new = try scene.stored().number
            #expect(new != old)
            lockFile.update { $0 = (scene.home.location.lock, new) }
            holder.unlock(.account(old))
            let token = try await scene.clock.passingSleeps(within: 0.1) { try await caller.value }
            #expect(token.text == "work-access-2")
            #expect(server.requestCount == 1)
            #expect(isHeld.value == true)
            #expect(try holder.tryLock(.account(old)))
        }
    }

    @Test("A07: while another holds the account, a token with seconds left is still handed out")
    func heldByAnotherWithSecondsLeft() async throws {
        try await withScene { scene in
            // A minute is spent on waiting for the lock.
            try await scene.add(lifetime: 3600)
            scene.clock.advance(by: 3600 - 59)
            let holder = try FileLock(path: scene.home.location.lock)
            #expect(try holder.tryLock(.account(scene.stored().number)))
            let token = try await scene.clock.passingSleeps(within: 0.1) {
                try await scene.vault.accessToken(for: "work", deadline: 2)
            }
            #expect(token.warning == .refreshFailing)
            #expect(scene.transport.requestCount == 0)
        }
    }

    @Test("server A14: a reader notices a quarter of a second later what another process stored")
    func longLivedReader() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.add()
            let reader = try await scene.openAgain(transport: UnreachableTransport())
            #expect(try await reader.accessToken(for: "work").generation == 1)
            try await scene.vault.refresh("work")
            scene.clock.advance(by: 0.3)
            #expect(try await reader.accessToken(for: "work").generation == 2)
            #expect(try await reader.accessToken(for: "work", newerThan: 1).generation == 2)
        }
    }

    @Test(
        "cli E18: an account that was removed and added anew elsewhere shows nothing of the old one"
    )
    func replacedElsewhere() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.add()
            try await scene.vault.refresh("work")
            let reader = try await scene.openAgain(transport: UnreachableTransport())
            #expect(try await reader.accessToken(for: "work").generation == 2)
            try await scene.vault.remove("work")
            _ = try await scene.vault.add(
                .testing("work"),
                .testing(accessToken: "another", refreshToken: "another")
            )
            #expect(try await scene.vault.accessToken(for: "work").text == "another")
            scene.clock.advance(by: 0.3)
            #expect(try await reader.accessToken(for: "work").text == "another")
        }
    }

    @Test("A04, A7: refused because another was faster is no refusal of the grant")
    func refusedBecauseAnotherWasFaster() async throws {
        let hold = Hold()
        let transport = ScriptedTransport(.refusal("invalid_grant").held(by: hold))
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let events = scene.vault.events
            let caller = Task { try await scene.vault.accessToken(for: "work") }
            try await hold.waitForArrivals()
            // What no lock of ours prevents: a newer pair is there when the refusal comes.
            try await scene.signInAgain()
            hold.release()
            #expect(try await caller.value.text == "new-access")
            let stored = try scene.stored()
            #expect(stored.tokens.signInNeeded == nil)
            #expect(stored.health.state == .active)
            #expect(
                await everything(of: events, closing: scene.vault)
                    == [.signedIn(generation: 2), .adopted(generation: 2)]
            )
        }
    }
}
