import Glibc
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit

/// A process that is killed in the middle of a refresh, and the next one.
///
/// The one that is killed is this program again, started by an exit test.
@Suite(.timeLimit(.minutes(1))) struct CrashTests {
    /// Kills a process at a place of its refresh; the account's token has expired.
    private func kill(at place: FaultPoints.Place, _ scene: Scene) async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [
                place = place.rawValue as String,
                directory = scene.home.location.directory as String,
                keyFile = scene.home.keyFile as String
            ] in
            let faults = FaultPoints { reached in
                if reached.rawValue == place { raise(SIGKILL) }
            }
            let clock = ManualClock()
            clock.advance(by: 3601)
            let vault = try await Vault.open(
                VaultLocation(directory: directory),
                unlock: .keyFileAt(path: keyFile),
                transport: RotatingServer().transport(),
                clock: clock,
                faults: faults
            )
            _ = try await vault.accessToken(for: "work")
        }
    }

    @Test("A09, B1: killed before sending, the next process refreshes at once, and only once")
    func killedBeforeSending() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.addExpired()
            try await kill(at: .claimed, scene)
            #expect(try scene.stored().intent?.attempt == 1)
            #expect(try scene.stored().generation == 1)
            let claims = Shared<[Int?]>([])
            let next = try await scene.openAgain(
                faults: FaultPoints { place in
                    guard place == .claimed else { return }
                    let attempt = try? scene.stored().intent?.attempt
                    claims.update { $0.append(attempt) }
                }
            )
            #expect(try await next.accessToken(for: "work").text == "work-access-2")
            #expect(claims.value == [2])
            #expect(try scene.stored().intent == nil)
            #expect(server.requestCount == 1)
            #expect(server.reuseCount == 0)
        }
    }

    @Test(
        "PE-01, cli A10, B2: killed between answer and commit, a strict server's rotation is lost",
        arguments: [FaultPoints.Place.answered, .installing]
    )
    func killedBeforeTheCommit(place: FaultPoints.Place) async throws {
        // The killed process had got number 2.
        let server = RotatingServer(current: ["work": 2])
        try await withScene(server.transport()) { scene in
            try await scene.addExpired()
            try await scene.add("other")
            try await kill(at: place, scene)
            let events = scene.vault.events
            for _ in 1...5 {
                let error = await vaultError { try await scene.vault.accessToken(for: "work") }
                #expect(error?.code == .signInNeeded)
                #expect(error?.facts[.reason] == "rotation_lost")
            }
            #expect(server.requestCount == 1)
            let stored = try scene.stored()
            #expect(stored.tokens.signInNeeded?.reason == .rotationLost)
            #expect(stored.refreshText == "work-refresh-1")
            #expect(stored.intent == nil)
            #expect(try await scene.vault.accessToken(for: "other").text == "other-access-1")
            #expect(await everything(of: events, closing: scene.vault) == [.signInNeeded])
        }
    }

    @Test(
        "cli A10, B3: killed between answer and commit, a server with a grace period is asked again",
        arguments: [FaultPoints.Place.answered, .installing]
    )
    func killedBeforeTheCommitWithGrace(place: FaultPoints.Place) async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.addExpired()
            try await kill(at: place, scene)
            #expect(try await scene.vault.accessToken(for: "work").text == "work-access-2")
            #expect(try scene.stored().intent == nil)
            #expect(server.requestCount == 1)
        }
    }

    @Test("PE-03, cli A10, cli A12: killed after the commit, the next process uses what was stored")
    func killedAfterTheCommit() async throws {
        try await withScene { scene in
            try await scene.addExpired()
            try await kill(at: .installed, scene)
            let token = try await scene.vault.accessToken(for: "work")
            #expect(token.text == "work-access-2")
            #expect(token.generation == 2)
            #expect(try scene.stored().refreshText == "work-refresh-2")
            #expect(try scene.stored().intent == nil)
            #expect(scene.transport.requestCount == 0)
        }
    }

    @Test("B2, server D16: with an outcome unknown the token that still lives is served")
    func unknownOutcomeServesTheOldToken() async throws {
        try await withScene { scene in
            try await scene.add(lifetime: 3600 + 7200)
            try await killForced(scene)
            #expect(try scene.stored().intent != nil)
            let claimed = try scene.stored().intent?.claimed.wall
            for _ in 1...2 {
                let account = try await scene.vault.account("work")
                #expect(account.state == .outcomeUnknown && account.reason == "outcome_unknown")
                #expect(account.since == claimed && account.firstSent == claimed)
                #expect(account.generation == 1)
                scene.clock.advance(by: 1801)
            }
            #expect(try await scene.vault.accessToken(for: "work").text == "work-access-1")
            #expect(scene.transport.requestCount == 0)
        }
    }

    private func killForced(_ scene: Scene) async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [
                directory = scene.home.location.directory as String,
                keyFile = scene.home.keyFile as String
            ] in
            let vault = try await Vault.open(
                VaultLocation(directory: directory),
                unlock: .keyFileAt(path: keyFile),
                transport: RotatingServer().transport(),
                clock: ManualClock(),
                faults: FaultPoints { place in
                    if place == .answered { raise(SIGKILL) }
                }
            )
            _ = try await vault.refresh("work")
        }
    }
}
