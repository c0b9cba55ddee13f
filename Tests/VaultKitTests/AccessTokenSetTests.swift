import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit
@testable import VaultStore

/// One refresh token, and access tokens by scope and resource.
@Suite(.timeLimit(.minutes(1))) struct AccessTokenSetTests {
    private static let mail = Scope(["mail"])
    private static let files = Scope(["files"])

    @Test("SF-08: calls that want different tokens wait for one another, and each gets its own")
    func eachGetsItsOwn() async throws {
        let server = RotatingServer()
        let hold = Hold()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.addExpired()
            let vault = scene.vault
            let callers: [(Task<AccessToken, any Error>, String)] = [
                (Task { try await vault.accessToken(for: "work") }, ""),
                (Task { try await vault.accessToken(for: "work", scope: Self.mail) }, "mail"),
                (Task { try await vault.accessToken(for: "work", scope: Self.files) }, "files"),
                (
                    Task {
                        try await vault.accessToken(for: "work", resource: "https://b.example")
                    },
                    "https://b.example"
                ),
                (
                    Task {
                        try await vault.accessToken(
                            for: "work",
                            scope: Scope(["mail", "files"]),
                            resource: "https://b.example"
                        )
                    }, "files mail https://b.example"
                ),
                (Task { try await vault.accessToken(for: "work", scope: Self.mail) }, "mail"),
            ]
            try await vault.waitForWaiters(callers.count)
            hold.release()
            for (caller, wanted) in callers {
                let token = try await caller.value
                #expect(token.text.split(separator: "+").dropFirst().joined() == wanted)
            }
            #expect(server.requestCount == 5)
            #expect(server.reuseCount == 0)
            // Asking again costs nothing, in memory and from the file.
            for vault in [vault, try await scene.openAgain(transport: UnreachableTransport())] {
                #expect(try await vault.accessToken(for: "work").text == scene.stored().accessText)
                let token = try await vault.accessToken(for: "work", scope: Self.files)
                #expect(token.text.hasSuffix("+files"))
            }
            #expect(server.requestCount == 5)
        }
    }

    @Test(
        "a token for less never takes the place of the account's own, nor does it plan its renewal"
    )
    func defaultStays() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.add()
            let due = try scene.stored().health.due
            let narrow = try await scene.vault.accessToken(for: "work", scope: Self.mail)
            #expect(narrow.generation == 2)
            let own = try await scene.vault.accessToken(for: "work")
            #expect(own.text == "work-access-1")
            #expect(own.generation == 1)
            let stored = try scene.stored()
            #expect(stored.refreshText == "work-refresh-2")
            #expect(stored.health.due == due)
            #expect(try await scene.vault.account("work").expiry == own.expiry)
            // A renewal of the account's own token keeps the other.
            #expect(try await scene.vault.refresh("work").text == "work-access-3")
            let again = try await scene.vault.accessToken(for: "work", scope: Self.mail)
            #expect(again == narrow)
            #expect(server.requestCount == 2)
        }
    }

    @Test("a rejection counts for the token it is about, whatever was refreshed since")
    func rejectionsAreApart() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.add()
            let narrow = try await scene.vault.accessToken(for: "work", scope: Self.mail)
            scene.clock.advance(by: 10)
            // The account is at generation 2, its own token at 1.
            let own = try await scene.vault.accessToken(for: "work", newerThan: 1)
            #expect(own.text == "work-access-3")
            let still = try await scene.vault.accessToken(
                for: "work",
                scope: Self.mail,
                newerThan: 1
            )
            #expect(still == narrow)
            let next = try await scene.vault.accessToken(
                for: "work",
                scope: Self.mail,
                newerThan: narrow.generation
            )
            #expect(next.text == "work-access-4+mail")
            #expect(server.requestCount == 3)
        }
    }

    @Test("a set entry is renewed when it is asked for, and the scheduler leaves it alone")
    func renewedOnDemand() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.add(lifetime: nil)
            _ = try await scene.vault.accessToken(for: "work", scope: Self.mail)
            scene.clock.advance(by: 3590)
            let token = try await scene.vault.accessToken(for: "work", scope: Self.mail)
            #expect(token.text == "work-access-3+mail")
            #expect(try scene.stored().tokens.accessTokens.count == 2)
        }
    }

    @Test("ER-09: less granted than asked for is one refresh, a clear error, and no repeat")
    func lessGranted() async throws {
        let transport = ScriptedTransport(
            .grant(accessToken: "less", refreshToken: "refresh-2", scope: "a b")
        )
        try await withScene(transport) { scene in
            try await scene.add()
            for _ in 1...5 {
                let error = await vaultError {
                    try await scene.vault.accessToken(for: "work", scope: Scope(["a", "b", "c"]))
                }
                #expect(error?.code == .scopeMissing)
                #expect(error?.facts[.wanted] == "c")
                scene.clock.advance(by: 60)
            }
            #expect(transport.requestCount == 1)
            #expect(try scene.stored().refreshText == "refresh-2")
            #expect(try await scene.vault.accessToken(for: "work").text == "work-access-1")
        }
    }

    @Test(
        "invalid_scope concerns that request alone: the account goes on, and it is not asked again"
    )
    func refusedScope() async throws {
        let transport = ScriptedTransport(
            .refusal("invalid_scope"),
            .grant(accessToken: "second", refreshToken: "refresh-2"),
            .refusal("invalid_scope")
        )
        try await withScene(transport) { scene in
            try await scene.add()
            for _ in 1...50 {
                let error = await vaultError {
                    try await scene.vault.accessToken(for: "work", scope: Self.mail)
                }
                #expect(error?.code == .requestRefused)
            }
            #expect(transport.requestCount == 1)
            let stored = try scene.stored()
            #expect(stored.health.state == .active)
            #expect(stored.health.failures == nil)
            #expect(stored.intent == nil)
            scene.clock.advance(by: 3600)
            #expect(try await scene.vault.accessToken(for: "work").text == "second")
            #expect(transport.requestCount == 2)
            let error = await vaultError {
                try await scene.vault.accessToken(for: "work", scope: Self.mail)
            }
            #expect(error?.code == .requestRefused)
            #expect(transport.requestCount == 3)
        }
    }

    @Test("the set drops what is dead, and holds sixteen")
    func bounded() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.add(lifetime: 86_400)
            for number in 1...20 {
                _ = try await scene.vault.accessToken(for: "work", scope: Scope(["s\(number)"]))
            }
            var tokens = try scene.stored().tokens.accessTokens
            #expect(tokens.count == 16)
            #expect(tokens.first?.requested == nil)
            #expect(tokens.dropFirst().first?.requested?.scope == Scope(["s6"]))
            scene.clock.advance(by: 3601)
            _ = try await scene.vault.accessToken(for: "work", scope: Self.mail)
            tokens = try scene.stored().tokens.accessTokens
            #expect(tokens.map(\.requested?.scope) == [nil, Self.mail])
        }
    }

    @Test(
        "a person's refresh that meets another token's waits for it, and renews the account's own"
    )
    func forcedMeetsAnother() async throws {
        let server = RotatingServer()
        let hold = Hold()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.add()
            let narrow = Task { try await scene.vault.accessToken(for: "work", scope: Self.mail) }
            try await hold.waitForArrivals()
            let person = Task { try await scene.vault.refresh("work") }
            try await scene.vault.waitForWaiters(2)
            hold.release()
            #expect(try await narrow.value.text == "work-access-2+mail")
            #expect(try await person.value.text == "work-access-3")
        }
    }

    @Test("SF-14: a refresh does not wait for the seats of those who wait for it")
    func noSeatNeeded() async throws {
        let server = RotatingServer()
        let seats = Seats(5)
        let transport = ScriptedTransport { request in server.answer(to: request) }
        try await withScene(transport) { scene in
            try await scene.addExpired()
            // Requests to the resource server that hold all there is while they ask for a token.
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...10 {
                    group.addTask {
                        try await seats.take()
                        defer { seats.giveBack() }
                        return try await scene.vault.accessToken(for: "work").text
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(texts == ["work-access-2"])
            #expect(server.requestCount == 1)
        }
    }

    @Test(
        "what no request can ask for is refused before anything is sent",
        arguments: [
            (["a b"], nil), (["a\u{7}"], nil), (["\""], nil), (["\\"], nil), (["ä"], nil),
            ([], ""), ([], "b.example"), ([], "https://b.example/#x"), ([], "https://b example"),
            ([], ":x"), ([], "https:"),
        ] as [([String], String?)]
    )
    func flaws(scope: [String], resource: String?) async throws {
        try await withScene { scene in
            try await scene.addExpired()
            let error = await vaultError {
                try await scene.vault.accessToken(
                    for: "work",
                    scope: Scope(scope),
                    resource: resource
                )
            }
            #expect(error?.code == .invalidInput)
            #expect(error?.facts[.field] == (resource == nil ? "scope" : "resource"))
            #expect(scene.transport.requestCount == 0)
        }
    }
}

/// So many may be at it at a time.
private final class Seats: Sendable {
    private let free: Shared<Int>

    init(_ count: Int) {
        free = Shared(count)
    }

    func take() async throws {
        while !free.update({ free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    func giveBack() {
        free.update { $0 += 1 }
    }
}
