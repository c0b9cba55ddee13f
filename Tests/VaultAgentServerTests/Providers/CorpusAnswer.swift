import FoundationEssentials
import OAuth
import Testing
import VaultCrypto
import VaultTesting

/// Lines of the corpus, by the names of its files.
enum CorpusFile {
    static func rows<Row: Decodable>(_ name: String, as row: Row.Type) -> [Row] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.appending(path: "OAuthTests/Fixtures/\(name)")
        do {
            return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map {
                try JSONDecoder().decode(Row.self, from: Data($0))
            }
        } catch {
            Issue.record(error)
            return []
        }
    }
}

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

    private static let all = CorpusFile.rows("token_responses.jsonl", as: CorpusAnswer.self)

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

    /// The provider's own answer to any request that has a refresh token, else a plain one.
    static func grant(of provider: String) throws -> CorpusAnswer {
        let own = all.first { row in
            row.provider == provider && row.expect.ok && row.expect.access_token != nil
                && row.expect.refresh_token != nil && row.contested != true && row.body != nil
        }
        return try own ?? answer(of: provider, to: "code")
    }

    /// The provider's own answer that tells of a failure.
    static func failure(of provider: String) throws -> CorpusAnswer {
        try #require(all.first { $0.provider == provider && !$0.expect.ok })
    }

    var scripted: ScriptedAnswer { .line(http_status, headers, body) }
}

extension ScriptedAnswer {
    fileprivate static func line(
        _ status: Int,
        _ headers: [String: String],
        _ body: String?
    ) -> ScriptedAnswer {
        .response(
            status,
            headers: headers.map { (name: $0.key, value: $0.value) },
            body: body ?? ""
        )
    }
}

/// An answer to a revocation, as one line of the corpus has it.
struct CorpusRevocation: Decodable, Sendable {
    private struct Expected: Decodable, Sendable { let outcome: String }

    private let provider: String
    private let http_status: Int
    private let headers: [String: String]
    private let body: String
    private let expect: Expected
    private let contested: Bool?

    private static let all = CorpusFile.rows("revocation.jsonl", as: CorpusRevocation.self)

    /// The provider's own word for a token that is dead now, else that of RFC 7009 §2.2.
    static func answer(of provider: String) -> ScriptedAnswer {
        let own = all.filter { $0.provider == provider && $0.expect.outcome == "revoked" }
        guard let row = own.first(where: { $0.contested != true }) ?? own.first else {
            return .response(200)
        }
        return .line(row.http_status, row.headers, row.body)
    }
}

/// An answer with codes for a device, as one line of the corpus has it.
struct CorpusDevice: Decodable, Sendable {
    struct Expected: Decodable, Sendable {
        let ok: Bool
        let device_code: String?
        let user_code: String?
    }

    private let provider: String
    private let http_status: Int
    private let headers: [String: String]
    private let body: String
    let expect: Expected

    private static let all = CorpusFile.rows("device_authorization.jsonl", as: CorpusDevice.self)

    static func answer(of provider: String) throws -> CorpusDevice {
        let usable = all.filter(\.expect.ok)
        return try #require(usable.first { $0.provider == provider } ?? usable.first)
    }

    var scripted: ScriptedAnswer { .line(http_status, headers, body) }
}
