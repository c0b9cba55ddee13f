import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit

@Suite(.timeLimit(.minutes(1))) struct SchedulerTests {
    @Test("cli D11, E9: a token is renewed before it expires, day after day, once a lifetime")
    func renewsInTime() async throws {
        let clock = ManualClock()
        let expiry = Shared(clock.now().wall.addingTimeInterval(3600))
        let late = Shared(0)
        let isFirst = Shared(true)
        let transport = ScriptedTransport { request in
            let now = clock.now().wall
            // The lead of an hour's token is twelve minutes, half of it the first time; a round of the
            // loop may take half a one.
            let lead = isFirst.value ? 360.0 : 720
            isFirst.update { $0 = false }
            if expiry.value.timeIntervalSince(now) < lead - 31 { late.update { $0 += 1 } }
            expiry.update { $0 = now.addingTimeInterval(3600) }
            let last = request.refreshToken?.reveal { $0 } ?? ""
            return .grant(accessToken: "access", refreshToken: last + "x")
        }
        try await withScene(transport, clock: clock) { scene in
            try await scene.add()
            try await run(scene, for: 24 * 3600)
            #expect(late.value == 0)
            #expect((29...36).contains(transport.requestCount))
            #expect(try await scene.vault.accessToken(for: "work").warning == nil)
        }
    }

    @Test("cli D12, E1: accounts that were added at one moment are renewed in time and spread out")
    func manyAccounts() async throws {
        let clock = ManualClock()
        let sent = Shared<[Double]>([])
        let start = clock.now()
        let transport = ScriptedTransport { request in
            sent.update { $0.append(clock.now().seconds(since: start)) }
            let name = request.refreshToken?.reveal { String($0.prefix { $0 != "-" }) } ?? ""
            return .grant(accessToken: "\(name)-access-2", refreshToken: "\(name)-refresh-2")
        }
        try await withScene(transport, clock: clock) { scene in
            for number in 1...150 {
                try await scene.add(try #require(AccountName("account\(number)")))
            }
            try await run(scene, for: 3600)
            let times = sent.value
            #expect(times.count == 150)
            #expect(times.allSatisfy { (1440...3240 + 31).contains($0) })
            // 60 rounds of half a minute: none has a third of them.
            let rounds = Dictionary(grouping: times) { Int($0 / 30) }.mapValues(\.count)
            #expect(rounds.values.allSatisfy { $0 < 50 })
            #expect(rounds.count > 8)
        }
    }

    @Test("ER-07, cli B12: a server that fails for hours is asked ever more seldom")
    func failures() async throws {
        let transport = ScriptedTransport { _ in .failure(.notSent(.connectionFailed)) }
        try await withScene(transport) { scene in
            try await scene.add()
            try await run(scene, for: 6 * 3600)
            #expect(transport.requestCount > 8)
            #expect(transport.requestCount < 80)
            #expect(try scene.stored().refreshText == "work-refresh-1")
        }
    }

    @Test(
        "ER-07, C03: however short tokens live, there is no hot loop",
        arguments: [1.0, 5, 60, nil] as [Double?]
    )
    func shortLifetimes(lifetime: Double?) async throws {
        let transport = ScriptedTransport { _ in
            .grant(accessToken: "access", refreshToken: "work-refresh-1", expiresIn: lifetime)
        }
        try await withScene(transport) { scene in
            try await scene.add(lifetime: lifetime)
            try await run(scene, for: 600)
            // At most one a second.
            #expect(transport.requestCount <= 601)
        }
    }

    @Test("ER-08, D05, D06, TI-05: after hours of suspend without network it recovers by itself")
    func suspend() async throws {
        let clock = ManualClock()
        let isUp = Shared(false)
        let server = RotatingServer()
        let transport = ScriptedTransport { request in
            isUp.value ? server.answer(to: request) : .failure(.notSent(.nameNotResolved))
        }
        try await withScene(transport, clock: clock) { scene in
            try await scene.add()
            clock.advance(by: 8 * 3600)
            try await run(scene, for: 90)
            #expect(server.requestCount == 0)
            #expect(transport.requestCount >= 1)
            isUp.update { $0 = true }
            // Back-off is at most half an hour, and the new token needs nothing before that.
            try await run(scene, for: 1900)
            #expect(server.requestCount == 1)
            #expect(try scene.stored().accessText == "work-access-2")
        }
    }

    @Test(
        "a wall clock that is set while the scheduler runs changes nothing",
        arguments: [-7200.0, 7200]
    )
    func wallClockStep(step: Double) async throws {
        let clock = ManualClock()
        let start = clock.now()
        let sent = Shared<[Double]>([])
        let transport = ScriptedTransport { request in
            sent.update { $0.append(clock.now().seconds(since: start)) }
            let last = request.refreshToken?.reveal { $0 } ?? ""
            return .grant(accessToken: "access", refreshToken: last + "x")
        }
        try await withScene(transport, clock: clock) { scene in
            try await scene.add()
            let stepping = Task {
                while clock.now().seconds(since: start) < 600 { await Task.yield() }
                clock.stepWall(by: step)
            }
            try await run(scene, for: 3 * 3600)
            await stepping.value
            let times = [0] + sent.value
            #expect(times.count >= 4)
            for (earlier, later) in zip(times, times.dropFirst()) {
                #expect((1440...3290).contains(later - earlier))
            }
        }
    }

    @Test("cli D10: what had expired before the start is renewed at once")
    func expiredAtStart() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.addExpired()
            scene.clock.advance(by: 3 * 86_400)
            try await run(scene, for: 1)
            #expect(try scene.stored().accessText == "work-access-2")
        }
    }

    @Test("D04: a fresh sign-in is not refreshed")
    func freshSignIn() async throws {
        try await withScene { scene in
            try await scene.add()
            try await run(scene, for: 600)
            #expect(scene.transport.requestCount == 0)
        }
    }

    @Test("cli B12, server D15: an account that needs a sign-in is left alone")
    func deadGrant() async throws {
        let transport = ScriptedTransport(.refusal("invalid_grant"))
        try await withScene(transport) { scene in
            try await scene.add()
            let events = scene.vault.events
            try await run(scene, for: 24 * 3600)
            #expect(transport.requestCount == 1)
            #expect(await everything(of: events, closing: scene.vault) == [.signInNeeded])
        }
    }

    @Test("I01: an account that is added wakes the scheduler, one that is removed rests")
    func wakesOnChanges() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            let scheduler = Task { try await scene.vault.runScheduler() }
            try await scene.clock.waitForSleeper(within: 30)
            #expect(scene.clock.secondsUntilNextWake == 30)
            try await scene.add(lifetime: 20)
            // Due after 8 to 12 seconds.
            try await scene.clock.waitForSleeper(within: 13)
            try await scene.vault.remove("work")
            while scene.clock.secondsUntilNextWake != 30 { await Task.yield() }
            scheduler.cancel()
            _ = try? await scheduler.value
            #expect(server.requestCount == 0)
        }
    }

    @Test("PE-08: an account that cannot be read holds up nobody")
    func damagedAccount() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            for name in ["a", "b", "c"] as [AccountName] { try await scene.add(name) }
            let accounts = try await scene.vault.accounts().sorted {
                ($0.due ?? .distantFuture) < ($1.due ?? .distantFuture)
            }
            // It stands at the head of the queue.
            let damaged = try #require(accounts.first).name
            scene.clock.advance(by: 3601)
            try Saboteur(scene.home.location).spoilTokens(of: damaged)
            try await run(scene, for: 60)
            #expect(server.requestCount == 2)
            for account in accounts.dropFirst() {
                #expect(try scene.stored(account.name).generation == 2)
            }
            let error = await vaultError { try await scene.vault.accessToken(for: damaged) }
            #expect(error?.code == .tampered)
        }
    }

    @Test("what is at work or cannot be read does not keep the scheduler busy")
    func restsBesideWork() async throws {
        let hold = Hold()
        let transport = ScriptedTransport { _ in
            .grant(accessToken: "access-2", refreshToken: "refresh-2").held(by: hold)
        }
        try await withScene(transport) { scene in
            try await scene.add("damaged")
            try await scene.addExpired()
            try Saboteur(scene.home.location).spoilTokens(of: "damaged")
            let scheduler = Task { try await scene.vault.runScheduler() }
            try await hold.waitForArrivals()
            try await scene.clock.waitForSleeper(within: 30)
            #expect(scene.clock.secondsUntilNextWake ?? 0 >= 1)
            hold.release()
            scheduler.cancel()
            _ = try? await scheduler.value
            while scene.vault.refresher.flightCount > 0 { await Task.yield() }
        }
    }

    @Test("two schedulers on one open vault both rest, and both end")
    func twoSchedulersOnOneVault() async throws {
        try await withScene { scene in
            let schedulers = (1...2).map { _ in Task { try await scene.vault.runScheduler() } }
            try await scene.clock.waitForSleepers(2)
            for scheduler in schedulers { scheduler.cancel() }
            for scheduler in schedulers {
                await #expect(throws: CancellationError.self) { try await scheduler.value }
            }
        }
    }

    @Test("I08, A2: two schedulers and a caller on one vault send one request")
    func twoSchedulers() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.addExpired()
            let other = try await scene.openAgain()
            let schedulers = [scene.vault, other].map { vault in
                Task { try await vault.runScheduler() }
            }
            let token = try await scene.clock.passingSleeps(within: 0.1) {
                try await scene.vault.accessToken(for: "work")
            }
            #expect(token.text == "work-access-2")
            await scene.clock.passingSleeps(within: 0.1) {
                for scheduler in schedulers { scheduler.cancel() }
                await other.close()
                await scene.vault.close()
            }
            #expect(server.requestCount == 1)
            #expect(server.reuseCount == 0)
        }
    }
}
