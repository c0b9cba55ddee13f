import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultStore

@testable import VaultKit

/// When accounts from another vault are refreshed first.
@Suite struct ImportScheduleTests {
    private static let now = Moment(
        wall: Date(timeIntervalSince1970: 1_800_000_000),
        bootID: "a boot",
        uptime: 50
    )

    private func account(
        obtained seconds: Double,
        lifetime: Double?,
        refreshToken: String? = "refresh"
    ) -> ExportedAccount {
        ExportedAccount(
            id: .random(),
            generation: 1,
            settings: AccountSettings(
                name: "work",
                client: Client(id: ClientID(rawValue: "client")),
                tokenEndpoint: EndpointURL(unchecked: "https://issuer.example/token")
            ),
            tokens: TokenSet(
                refreshToken: refreshToken.map { Secret($0) },
                accessTokens: [
                    StoredAccessToken(
                        value: Secret("access"),
                        tokenType: "Bearer",
                        obtained: Moment(
                            wall: Self.now.wall.addingTimeInterval(seconds),
                            bootID: "",
                            uptime: 0
                        ),
                        lifetime: lifetime
                    )
                ]
            )
        )
    }

    private func seconds(until account: ExportedAccount) -> Double {
        RefreshSchedule.due(importing: account, at: Self.now)?
            .timeIntervalSince(Self.now.wall) ?? .infinity
    }

    @Test func theTokenIsRefreshedWhenItWouldHaveBeen() {
        let due = seconds(until: account(obtained: -600, lifetime: 3600))
        #expect((840.0...2640).contains(due))
    }

    @Test(
        "without a refresh token the end is due, where it is known",
        arguments: [
            (-600, 3600, 3000.0...3000), (-9000, 3600, 0...30),
            (-600, nil, .infinity ... .infinity),
        ]
            as [(Double, Double?, ClosedRange<Double>)]
    )
    func withoutRefreshToken(obtained: Double, lifetime: Double?, expected: ClosedRange<Double>) {
        let account = account(obtained: obtained, lifetime: lifetime, refreshToken: nil)
        #expect(expected.contains(seconds(until: account)))
    }

    /// D12: a file may have very many that have all expired.
    @Test func importedAccountsAreSpread() {
        let dues = (0..<200).map { _ in seconds(until: account(obtained: -9000, lifetime: 3600)) }
        #expect(dues.allSatisfy { (0.0..<30).contains($0) })
        #expect(Set(dues.map { Int($0) }).count > 20)
    }

    @Test func withoutAnAccessTokenOneIsWantedSoon() {
        var account = account(obtained: 0, lifetime: 3600)
        account.tokens.accessTokens = []
        #expect((0.0..<30).contains(seconds(until: account)))
    }
}
