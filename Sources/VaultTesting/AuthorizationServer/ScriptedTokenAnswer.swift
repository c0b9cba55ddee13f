/// What one token request meets instead of a plain answer.
///
/// The ledger's commit is the moment from which the refresh token counts as used. A delay or a
/// dropped answer after it is what a client sees as an unknown outcome.
public struct ScriptedTokenAnswer: Sendable {
    /// Seconds to wait before the ledger is asked.
    public var delayBeforeCommit = 0.0
    /// Whether the ledger is asked at all.
    public var commits = true
    /// Seconds to wait between the ledger's commit and the answer.
    public var delayAfterCommit = 0.0
    /// What is answered.
    public var answer = Answer.ledger

    /// The possible answers.
    public enum Answer: Sendable {
        /// What the ledger decided.
        case ledger
        /// Nothing: the connection is closed.
        case drop
        /// This response.
        case response(status: Int, headers: [String: String], body: String)
        /// These bytes, then the connection is closed.
        case raw([UInt8])
    }

    /// A plain answer at once.
    public init() {}

    /// The plain answer, with the ledger asked only after some seconds.
    public static func delay(seconds: Double) -> ScriptedTokenAnswer {
        make { $0.delayBeforeCommit = seconds }
    }

    /// The plain answer, sent some seconds after the ledger's commit.
    public static func delayAfterCommit(seconds: Double) -> ScriptedTokenAnswer {
        make { $0.delayAfterCommit = seconds }
    }

    /// No answer, and nothing has happened.
    public static let dropBeforeCommit = make {
        $0.commits = false
        $0.answer = .drop
    }

    /// No answer, though the refresh token is used.
    public static let dropAfterCommit = make { $0.answer = .drop }

    /// This response; the ledger is asked before it only when `commits`.
    public static func respond(
        status: Int,
        headers: [String: String] = [:],
        body: String = "",
        commits: Bool = false
    ) -> ScriptedTokenAnswer {
        make {
            $0.commits = commits
            $0.answer = .response(status: status, headers: headers, body: body)
        }
    }

    /// These bytes; the ledger is asked before them only when `commits`.
    public static func raw(_ bytes: [UInt8], commits: Bool = false) -> ScriptedTokenAnswer {
        make {
            $0.commits = commits
            $0.answer = .raw(bytes)
        }
    }

    private static func make(_ change: (inout ScriptedTokenAnswer) -> Void) -> ScriptedTokenAnswer {
        var answer = ScriptedTokenAnswer()
        change(&answer)
        return answer
    }
}

extension ScriptedTokenAnswer: Decodable {
    private enum CodingKeys: String, CodingKey {
        case delayBeforeCommit, delayAfterCommit, commits, drop, status, headers, body, raw
    }

    /// Reads an object of any of `delayBeforeCommit`, `delayAfterCommit`, `commits`, and one of
    /// `drop` (true), `raw` (text) or `status` with `headers` and `body`.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        delayBeforeCommit = try fields.decodeIfPresent(Double.self, forKey: .delayBeforeCommit) ?? 0
        delayAfterCommit = try fields.decodeIfPresent(Double.self, forKey: .delayAfterCommit) ?? 0
        let status = try fields.decodeIfPresent(Int.self, forKey: .status)
        let raw = try fields.decodeIfPresent(String.self, forKey: .raw)
        if let status {
            answer = .response(
                status: status,
                headers: try fields.decodeIfPresent([String: String].self, forKey: .headers) ?? [:],
                body: try fields.decodeIfPresent(String.self, forKey: .body) ?? ""
            )
        } else if let raw {
            answer = .raw(Array(raw.utf8))
        } else if try fields.decodeIfPresent(Bool.self, forKey: .drop) == true {
            answer = .drop
        }
        commits =
            try fields.decodeIfPresent(Bool.self, forKey: .commits) ?? (status == nil && raw == nil)
    }
}
