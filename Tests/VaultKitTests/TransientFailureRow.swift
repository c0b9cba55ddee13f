import OAuth
import VaultKit
import VaultStore
import VaultTesting

/// An answer, the code of the error and the state that it leads to.
struct TransientFailureRow: Sendable {
    let answer: ScriptedAnswer
    let code: VaultError.Code
    let state: AccountState
    /// Whether the refresh token may have been spent.
    let leavesIntent: Bool

    static let all: [TransientFailureRow] = [
        TransientFailureRow(
            answer: .failure(.notSent(.nameNotResolved)),
            code: .unreachable,
            state: .backingOff,
            leavesIntent: false
        ),
        TransientFailureRow(
            answer: .failure(.notSent(.tlsFailed)),
            code: .unreachable,
            state: .backingOff,
            leavesIntent: false
        ),
        TransientFailureRow(
            answer: .failure(.ambiguous(.timedOut)),
            code: .outcomeUnknown,
            state: .outcomeUnknown,
            leavesIntent: true
        ),
        TransientFailureRow(
            answer: .failure(.ambiguous(.connectionLost)),
            code: .outcomeUnknown,
            state: .outcomeUnknown,
            leavesIntent: true
        ),
        TransientFailureRow(
            answer: .response(500),
            code: .outcomeUnknown,
            state: .outcomeUnknown,
            leavesIntent: true
        ),
        TransientFailureRow(
            answer: .response(502, body: "<html>bad gateway</html>"),
            code: .outcomeUnknown,
            state: .outcomeUnknown,
            leavesIntent: true
        ),
        TransientFailureRow(
            answer: .response(503),
            code: .outcomeUnknown,
            state: .outcomeUnknown,
            leavesIntent: true
        ),
        TransientFailureRow(
            answer: .response(504),
            code: .outcomeUnknown,
            state: .outcomeUnknown,
            leavesIntent: true
        ),
        TransientFailureRow(
            answer: .response(403, body: "<html>a challenge</html>"),
            code: .outcomeUnknown,
            state: .outcomeUnknown,
            leavesIntent: true
        ),
        TransientFailureRow(
            answer: .response(
                200,
                headers: [(name: "Content-Type", value: "text/html")],
                body: "<html>a portal</html>"
            ),
            code: .outcomeUnknown,
            state: .outcomeUnknown,
            leavesIntent: true
        ),
        // Row D18 calls it ambiguous; DESIGN 4.4 decides: the endpoint's address is wrong.
        TransientFailureRow(
            answer: .response(302, headers: [(name: "Location", value: "https://portal.example/")]),
            code: .clientRefused,
            state: .clientRefused,
            leavesIntent: false
        ),
        TransientFailureRow(
            answer: .response(200, body: #"{"access_token":"cut"#),
            code: .outcomeUnknown,
            state: .outcomeUnknown,
            leavesIntent: true
        ),
        TransientFailureRow(
            answer: .response(400, body: "<html>a firewall</html>"),
            code: .outcomeUnknown,
            state: .outcomeUnknown,
            leavesIntent: true
        ),
        TransientFailureRow(
            answer: .response(400, body: #"{"error":"brand_new_code"}"#),
            code: .outcomeUnknown,
            state: .outcomeUnknown,
            leavesIntent: true
        ),
        TransientFailureRow(
            answer: .response(429),
            code: .throttled,
            state: .backingOff,
            leavesIntent: false
        ),
        TransientFailureRow(
            answer: .refusal("invalid_scope"),
            code: .requestRefused,
            state: .backingOff,
            leavesIntent: false
        ),
        TransientFailureRow(
            answer: .refusal("invalid_client", status: 401),
            code: .clientRefused,
            state: .clientRefused,
            leavesIntent: false
        ),
    ]
}
