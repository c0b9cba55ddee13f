import FoundationEssentials
import OAuth
import Testing
import VaultTesting

@testable import VaultKit

@Suite(.timeLimit(.minutes(1))) struct SingleFlightTests {
    @Test(
        "SF-01, SF-02, SF-11, A1: however many ask, one request is sent and all get its token",
        arguments: [50, 200, 1000]
    )
    func oneRequestForAll(callers: Int) async throws {
        let server = RotatingServer()
        let hold = Hold()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.addExpired()
            let tokens = try await withThrowingTaskGroup(of: AccessToken.self) { group in
                for _ in 0..<callers {
                    group.addTask { try await scene.vault.accessToken(for: "work") }
                }
                try await scene.vault.waitForWaiters(callers)
                hold.release()
                return try await group.reduce(into: Set<AccessToken>()) { $0.insert($1) }
            }
            #expect(tokens.map(\.text) == ["work-access-2"])
            #expect(server.requestCount == 1)
            #expect(try scene.stored().refreshText == "work-refresh-2")
        }
    }

    @Test("SF-09, A8: two accounts do not share a flight, and a slow one holds up nobody else")
    func accountsAreApart() async throws {
        let hold = Hold()
        let transport = ScriptedTransport { request in
            let name = request.refreshToken?.reveal { String($0.prefix { $0 != "-" }) } ?? ""
            let answer = ScriptedAnswer.grant(
                accessToken: "\(name)-access-2",
                refreshToken: "\(name)-refresh-2"
            )
            return name == "slow" ? answer.held(by: hold) : answer
        }
        try await withScene(transport) { scene in
            try await scene.add("slow")
            try await scene.addExpired("fast")
            let slow = Task { try await scene.vault.accessToken(for: "slow") }
            try await hold.waitForArrivals()
            #expect(try await scene.vault.accessToken(for: "fast").text == "fast-access-2")
            hold.release()
            #expect(try await slow.value.text == "slow-access-2")
            #expect(transport.requestCount == 2)
        }
    }

    @Test("SF-04: who comes between the answer and the commit joins")
    func joinsBetweenAnswerAndCommit() async throws {
        let hold = Hold()
        let faults = FaultPoints { place in
            if place == .installing { try? await hold.pass() }
        }
        let server = RotatingServer()
        try await withScene(server.transport(), faults: faults) { scene in
            try await scene.addExpired()
            let first = Task { try await scene.vault.accessToken(for: "work") }
            try await hold.waitForArrivals()
            let second = Task { try await scene.vault.accessToken(for: "work") }
            try await scene.vault.waitForWaiters(2)
            hold.release()
            #expect(try await first.value == second.value)
            #expect(server.requestCount == 1)
        }
    }

    @Test("SF-12, server A10: a failure reaches all who wait, and is forgotten by the next caller")
    func failureIsNotSticky() async throws {
        let hold = Hold()
        let transport = ScriptedTransport(
            .failure(.notSent(.connectionFailed)).held(by: hold),
            .grant(accessToken: "second", refreshToken: "refresh-2")
        )
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let callers = (0..<10).map { _ in
                Task { await vaultError { try await scene.vault.accessToken(for: "work") } }
            }
            try await scene.vault.waitForWaiters(10)
            hold.release()
            for caller in callers { #expect(await caller.value?.code == .unreachable) }
            #expect(transport.requestCount == 1)
            scene.clock.advance(by: 3)
            #expect(try await scene.vault.accessToken(for: "work").text == "second")
        }
    }

    @Test("SF-07: who has seen the newest generation rejected does not get it from a late flight")
    func joinsNoOlderFlight() async throws {
        let hold = Hold()
        let faults = FaultPoints { place in
            if place == .installed { try? await hold.pass() }
        }
        let server = RotatingServer()
        try await withScene(server.transport(), faults: faults) { scene in
            try await scene.addExpired()
            let first = Task { try await scene.vault.accessToken(for: "work") }
            try await hold.waitForArrivals()
            // Stored, and read by somebody, before the flight that stored it has ended.
            scene.clock.advance(by: 6)
            let seen = try await scene.vault.accessToken(for: "work")
            #expect(seen.generation == 2)
            let retry = Task { try await scene.vault.accessToken(for: "work", newerThan: 2) }
            try await scene.vault.waitForWaiters(2)
            hold.release()
            #expect(try await first.value.generation == 2)
            #expect(try await retry.value.generation == 3)
            #expect(server.requestCount == 2)
        }
    }

    @Test("SF-06: late rejections of an older generation refresh nothing")
    func lateRejections() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.add()
            scene.clock.advance(by: 6)
            for _ in 1...20 {
                let token = try await scene.vault.accessToken(for: "work", newerThan: 1)
                #expect(token.generation == 2)
            }
            #expect(server.requestCount == 1)
        }
    }

    @Test(
        "SF-03: who checked before a refresh and joins after it finds its pair, and sends nothing"
    )
    func joinsTooLate() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.addExpired()
            let checked = try scene.stored()
            #expect(try await scene.vault.accessToken(for: "work").generation == 2)
            let flight = try scene.vault.refresher.flight(for: checked)
            guard case .adopted(let account) = try await flight.outcome(deadline: nil) else {
                Issue.record("it did not adopt")
                return
            }
            #expect(account.generation == 2)
            #expect(server.requestCount == 1)
            #expect(server.reuseCount == 0)
        }
    }

    @Test("a person's refresh does not inherit the back-off of a flight that it joined")
    func forcedAfterBackoff() async throws {
        let hold = Hold()
        let transport = ScriptedTransport(
            .failure(.notSent(.connectionFailed)).held(by: hold),
            .grant(accessToken: "second", refreshToken: "refresh-2")
        )
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let other = try await scene.openAgain()
            let failing = Task {
                await vaultError { try await other.accessToken(for: "work") }
            }
            try await hold.waitForArrivals()
            // Waits for the other's lock, and finds its back-off then.
            let caller = Task {
                await vaultError { try await scene.vault.accessToken(for: "work") }
            }
            try await scene.clock.waitForSleeper(within: 0.05)
            let person = Task { try await scene.vault.refresh("work") }
            try await scene.vault.waitForWaiters(2)
            hold.release()
            // The clock stands still until the lock is free: it would else outrun the patience of
            // who polls for it, and the back-off.
            #expect(await failing.value?.code == .unreachable)
            scene.clock.advanceToNextWake(within: 0.05)
            #expect(await caller.value?.code == .unreachable)
            #expect(try await person.value.text == "second")
            #expect(transport.requestCount == 2)
        }
    }

    @Test("a person's refresh shares what a flight came to that did send")
    func forcedAfterFailure() async throws {
        let hold = Hold()
        let transport = ScriptedTransport(.failure(.notSent(.connectionFailed)).held(by: hold))
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let caller = Task {
                await vaultError { try await scene.vault.accessToken(for: "work") }
            }
            try await hold.waitForArrivals()
            let person = Task { await vaultError { try await scene.vault.refresh("work") } }
            try await scene.vault.waitForWaiters(2)
            hold.release()
            #expect(await caller.value?.code == .unreachable)
            #expect(await person.value?.code == .unreachable)
            #expect(transport.requestCount == 1)
        }
    }

    @Test("a rejected generation that the account has not reached is none of its own")
    func generationOfAnotherLine() async throws {
        try await withScene { scene in
            try await scene.add()
            scene.clock.advance(by: 60)
            for _ in 1...20 {
                let token = try await scene.vault.accessToken(for: "work", newerThan: 99)
                #expect(token.generation == 1)
            }
            #expect(scene.transport.requestCount == 0)
        }
    }

    @Test("server C10: a resource server that does not know a new token yet brings no refresh")
    func lateResourceServer() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.addExpired()
            let token = try await scene.vault.accessToken(for: "work")
            for _ in 1...40 {
                scene.clock.advance(by: 0.1)
                let same = try await scene.vault.accessToken(
                    for: "work",
                    newerThan: token.generation
                )
                #expect(same.generation == token.generation)
            }
            #expect(server.requestCount == 1)
            scene.clock.advance(by: 1.5)
            let next = try await scene.vault.accessToken(for: "work", newerThan: token.generation)
            #expect(next.generation == token.generation + 1)
            #expect(server.requestCount == 2)
        }
    }

    @Test("A02: a valid token costs no request, whoever else refreshes")
    func validTokenCostsNothing() async throws {
        try await withScene { scene in
            try await scene.add()
            for account in [1, 2] {
                let vault = account == 1 ? scene.vault : try await scene.openAgain()
                for _ in 1...100 {
                    #expect(try await vault.accessToken(for: "work").text == "work-access-1")
                }
            }
            #expect(scene.transport.requestCount == 0)
        }
    }

    @Test("R4, A9, cli A23: readers of a good token do not wait for a refresh")
    func readersDoNotWait() async throws {
        let hold = Hold()
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.add()
            let refresh = Task { try await scene.vault.refresh("work") }
            try await hold.waitForArrivals()
            #expect(try await scene.vault.accessToken(for: "work").generation == 1)
            hold.release()
            #expect(try await refresh.value.generation == 2)
            #expect(try await scene.vault.accessToken(for: "work").generation == 2)
        }
    }
}
