import FoundationEssentials
import OAuth
import Testing
import VaultAccess
import VaultTesting

@testable import VaultKit

/// What `authorized(as:)` makes of a resource server's word, whatever HTTP client speaks to it.
@Suite(.timeLimit(.minutes(1))) struct AuthorizedTests {
    /// Tokens that a resource server has seen, in order.
    private typealias Seen = Shared<[String]>

    /// An account whose token came long enough ago for every resource server to know it.
    private func withSettled(
        _ transport: ScriptedTransport,
        _ body: (Scene) async throws -> Void
    ) async throws {
        try await withScene(transport) { scene in
            try await scene.add()
            scene.clock.advance(by: 6)
            try await body(scene)
        }
    }

    @Test("a token that is taken is used once, and nothing is refreshed")
    func taken() async throws {
        try await withSettled(ScriptedTransport()) { scene in
            let text = try await scene.vault.authorized(as: "work") { token in
                .finished(token.text)
            }
            #expect(text == "work-access-1")
        }
    }

    @Test("ER-10, HT-05: a rejected token is refreshed once, and the request runs once more")
    func rejectedOnce() async throws {
        let server = RotatingServer()
        try await withSettled(server.transport()) { scene in
            let seen = Seen([])
            let text = try await scene.vault.authorized(as: "work") { token in
                seen.update { $0.append(token.text) }
                return token.generation == 1 ? .unauthorized("no") : .finished("yes")
            }
            #expect(text == "yes")
            #expect(seen.value == ["work-access-1", "work-access-2"])
            #expect(server.requestCount == 1)
            #expect(try scene.stored().refreshText == "work-refresh-2")
        }
    }

    @Test(
        "ER-05, ER-11: a server that always says 401 costs one refresh and one retry, then a pause"
    )
    func alwaysRejected() async throws {
        let server = RotatingServer()
        try await withSettled(server.transport()) { scene in
            let calls = Shared(0)
            func ask() async throws -> String {
                try await scene.vault.authorized(as: "work") { token in
                    calls.update { $0 += 1 }
                    return .unauthorized("rejected \(token.generation)")
                }
            }
            let first = try await ask()
            #expect(first == "rejected 2")
            #expect(calls.value == 2)
            scene.clock.advance(by: 10)
            for _ in 1...20 { #expect(try await ask() == "rejected 2") }
            #expect(server.requestCount == 1)
            // Once the pause is over it is tried again, and after that the pause is twice as long.
            scene.clock.advance(by: 50)
            #expect(try await ask() == "rejected 3")
            scene.clock.advance(by: 119)
            #expect(try await ask() == "rejected 3")
            scene.clock.advance(by: 1)
            #expect(try await ask() == "rejected 4")
            #expect(server.requestCount == 3)
            #expect(try await scene.vault.account("work").state == .active)
        }
    }

    @Test(
        "SF-06: 100 requests rejected together cost one refresh; all are sent once more and taken"
    )
    func crowdIsRejected() async throws {
        let server = RotatingServer()
        let hold = Hold()
        try await withSettled(server.transport()) { scene in
            let (rejected, retried) = (Shared(0), Shared(0))
            let answers = try await withThrowingTaskGroup(of: UInt64.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        try await scene.vault.authorized(as: "work") { token in
                            guard token.generation == 1 else {
                                retried.update { $0 += 1 }
                                return .finished(token.generation)
                            }
                            try await hold.pass()
                            rejected.update { $0 += 1 }
                            return .unauthorized(token.generation)
                        }
                    }
                }
                try await hold.waitForArrivals(100)
                hold.release()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers == [UInt64](repeating: 2, count: 100))
            #expect(rejected.value == 100)
            #expect(retried.value == 100)
            #expect(server.requestCount == 1)
        }
    }

    @Test("HT-08: without a token nothing is sent, and the error says what to do")
    func nothingWithoutAToken() async throws {
        let transport = ScriptedTransport(.refusal("invalid_grant"))
        try await withScene(transport) { scene in
            try await scene.addExpired()
            let error = await vaultError {
                _ = try await scene.vault.authorized(as: "work") { _ in
                    Issue.record("it was sent")
                    return .finished(0)
                }
            }
            #expect(error?.code == .signInNeeded)
            #expect(error?.account == "work")
        }
    }

    @Test("a rejection that cannot be followed by a new token is thrown as what kept it away")
    func refreshFails() async throws {
        let transport = ScriptedTransport(
            .failure(.notSent(.connectionFailed)),
            .refusal("invalid_grant")
        )
        try await withSettled(transport) { scene in
            func ask() async -> VaultError? {
                await vaultError {
                    try await scene.vault.authorized(as: "work") { _ in .unauthorized(0) }
                }
            }
            let flaky = await ask()
            #expect(flaky?.code == .unreachable)
            #expect(flaky?.isTransient == true)
            scene.clock.advance(by: 5)
            #expect(await ask()?.code == .signInNeeded)
        }
    }

    @Test("C10: a token that came just now is not replaced, and the rejection is the result")
    func newestThereIs() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.add()
            let calls = Shared(0)
            for _ in 1...3 {
                let status = try await scene.vault.authorized(as: "work") { _ in
                    calls.update { $0 += 1 }
                    return .unauthorized(401)
                }
                #expect(status == 401)
            }
            #expect(calls.value == 3)
            #expect(server.requestCount == 0)
        }
    }

    @Test("a client that throws on 401 is retried too, and its last error is thrown")
    func throwingClient() async throws {
        struct Rejected: Error, Equatable {
            let generation: UInt64
        }
        let server = RotatingServer()
        try await withSettled(server.transport()) { scene in
            await #expect(throws: Rejected(generation: 2)) {
                _ = try await scene.vault.authorized(as: "work") { token in
                    AuthorizedAttempt<Int>.unauthorizedError(Rejected(generation: token.generation))
                }
            }
            await #expect(throws: Rejected(generation: 0)) {
                _ = try await scene.vault.authorized(as: "work") { _ -> AuthorizedAttempt<Int> in
                    throw Rejected(generation: 0)
                }
            }
            #expect(server.requestCount == 1)
        }
    }

    @Test("a caller that is cancelled during the refresh loses nothing for the others")
    func cancelledBetween() async throws {
        let hold = Hold()
        let server = RotatingServer()
        try await withSettled(server.transport(hold: hold)) { scene in
            let first = Task {
                try await scene.vault.authorized(as: "work") { token in
                    token.generation == 1 ? .unauthorized(1) : .finished(2)
                }
            }
            try await hold.waitForArrivals()
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            hold.release()
            #expect(try await scene.vault.accessToken(for: "work", newerThan: 1).generation == 2)
            #expect(server.requestCount == 1)
        }
    }
}
