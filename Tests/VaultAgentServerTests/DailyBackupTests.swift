import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultKit
import VaultStore
import VaultTesting

@testable import VaultAgentServer

@Suite(.timeLimit(.minutes(1))) struct DailyBackupTests {
    /// A vault with one account, and the backups that an agent makes of it while `body` runs.
    private func withBackups(
        _ body: (TemporaryVault, ManualClock) async throws -> Void
    ) async throws {
        try await TemporaryVault.use { home in
            let clock = ManualClock()
            let vault = try await home.open(transport: UnreachableTransport(), clock: clock)
            let registration = AccountRegistration(
                name: "work",
                client: Client(id: ClientID(rawValue: "client")),
                tokenEndpoint: try EndpointURL("https://as.example/token")
            )
            let answer = HTTPResponse(status: 200, body: Secret(ScriptedServer.granted))
            guard
                case .granted(let granted) = TokenResponseReader(grantType: .refreshToken)
                    .read(answer, countingFrom: clock.now().wall)
            else { return }
            _ = try await vault.add(registration, granted)
            let log = try AgentLog(home.location)
            let backups = Task {
                await DailyBackups(vault: vault, log: log, clock: clock).run()
            }
            try await clock.waitForSleeper(within: 60)
            try await body(home, clock)
            backups.cancel()
            await backups.value
        }
    }

    /// Lets the agent look so many times, once an hour.
    private func look(_ times: Int, _ clock: ManualClock) async throws {
        for _ in 1...times {
            clock.advanceToNextWake(within: 3600)
            try await clock.waitForSleeper(within: 3600)
        }
    }

    private func count(_ words: String, in home: TemporaryVault) throws -> Int {
        let data = try Data(contentsOf: URL(filePath: home.location.log))
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
            .count { $0.contains(words) }
    }

    @Test func oneIsMadeADayAndWrittenDown() async throws {
        try await withBackups { home, clock in
            try await look(1, clock)
            #expect(try BackupFolder(home.location).all().count == 1)
            try await look(24 * 3, clock)
            #expect(try BackupFolder(home.location).all().count == 4)
            #expect(try count("backed_up", in: home) == 4)
        }
    }

    @Test func aClockThatJumpsMakesNoMore() async throws {
        try await withBackups { home, clock in
            try await look(1, clock)
            for _ in 1...10 {
                clock.stepWall(by: 100 * 86_400)
                try await look(1, clock)
            }
            #expect(try BackupFolder(home.location).all().count == 1)
        }
    }

    @Test func aFailureIsWrittenDownAndStopsNothing() async throws {
        try await withBackups { home, clock in
            let folder = BackupFolder(home.location).path
            try Data("no folder".utf8).write(to: URL(filePath: folder))
            try await look(2, clock)
            #expect(try count("backup_failed", in: home) == 2)
            try FileSystem.remove(folder)
            try await look(1, clock)
            #expect(try BackupFolder(home.location).all().count == 1)
        }
    }
}
