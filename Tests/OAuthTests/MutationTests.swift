import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

/// Damaged inputs: nothing they hold may stop the process, and no answer may grant without a token.
@Suite struct MutationTests {
    @Test func readersSurviveDamagedAnswers() throws {
        var random = SmallGenerator(state: 1)
        let names = ProviderCatalogue.builtIn.names
        for row in TokenResponseRow.all {
            guard let body = row.body, body.utf8.count < 4096 else { continue }
            for _ in 0..<20 {
                let damaged = Self.damaged(Array(body.utf8), &random)
                // Whatever is known of a provider is tried on the answers of all others.
                let name = try #require(names.randomElement(using: &random))
                let quirks = try #require(ProviderCatalogue.builtIn[name]).quirks
                let answer = TokenResponseReader(
                    grantType: row.grantType,
                    quirks: Bool.random(using: &random) ? quirks : ProviderQuirks()
                ).read(
                    HTTPResponse(
                        status: row.http_status,
                        headers: [
                            ("Retry-After", String(decoding: damaged.prefix(20), as: UTF8.self))
                        ],
                        body: Secret(bytes: damaged)
                    ),
                    countingFrom: Date(timeIntervalSince1970: row.received_at)
                )
                if case .granted(let response) = answer { #expect(!response.accessToken.isEmpty) }
            }
        }
    }

    @Test func readersSurviveDamagedTokensAndTargets() throws {
        var random = SmallGenerator(state: 2)
        for row in JSONWebTokenRow.all {
            guard let token = row.token else { continue }
            for _ in 0..<20 {
                _ = JSONWebToken.claims(of: Secret(bytes: Self.damaged(Array(token.utf8), &random)))
            }
        }
        for row in AuthorizationRedirectRow.judged {
            for request in row.requests {
                guard let target = request.target else { continue }
                for _ in 0..<20 {
                    let damaged = Self.damaged(Array(target.utf8), &random)
                    var judge = try row.judge()
                    let text = String(decoding: damaged, as: UTF8.self)
                    _ = judge.judge(method: "GET", target: text, host: text)
                    _ = try? EndpointURL("https://" + text)
                }
            }
        }
    }

    /// One to three bytes changed, taken out or doubled.
    private static func damaged(_ bytes: [UInt8], _ random: inout SmallGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            guard let index = bytes.indices.randomElement(using: &random) else { break }
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[index] = .random(in: 0...255, using: &random)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(bytes[index], at: index)
            default: bytes.removeLast(bytes.count - index)
            }
        }
        return bytes
    }
}

/// The same numbers in every run (xorshift).
private struct SmallGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
