import FoundationEssentials
import OAuth
import Testing
import VaultCrypto
import VaultTesting

/// An answer with a grant, as one line of the corpus has it.
struct CorpusAnswer: Decodable, Sendable {
    struct Expected: Decodable, Sendable {
        let ok: Bool
        let access_token: String?
        let refresh_token: String?
    }

    /// That only some line needs a profile is of no interest here, whatever it is.
    private struct Profile: Decodable, Sendable {}

    let provider: String?
    let request_context: String
    let http_status: Int
    let headers: [String: String]
    let body: String?
    let expect: Expected
    private let contested: Bool?
    private let needs_profile: Profile?

    private static let all: [CorpusAnswer] = {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.appending(path: "OAuthTests/Fixtures/token_responses.jsonl")
        do {
            return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map {
                try JSONDecoder().decode(CorpusAnswer.self, from: Data($0))
            }
        } catch {
            Issue.record(error)
            return []
        }
    }()

    /// The provider's own answer to a request, else a plain one of the standard.
    static func answer(of provider: String, to context: String) throws -> CorpusAnswer {
        let usable = all.filter { row in
            row.request_context == context && row.expect.ok && row.contested != true
                && row.body != nil && row.expect.access_token != nil
                // What is refreshed next needs something to refresh with.
                && (context != "code" || row.expect.refresh_token != nil)
        }
        let own = usable.first { $0.provider == provider }
        return try #require(
            own ?? usable.first { $0.needs_profile == nil && $0.body?.first == "{" }
        )
    }

    var scripted: ScriptedAnswer {
        let headers = headers.map { (name: $0.key, value: $0.value) }
        return .response(http_status, headers: headers, body: body ?? "")
    }
}
