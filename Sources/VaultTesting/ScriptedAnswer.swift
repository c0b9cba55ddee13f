public import OAuth
internal import VaultCrypto

/// What a scripted transport does with one request.
public struct ScriptedAnswer: Sendable {
    enum End: Sendable {
        case response(HTTPResponse)
        case failure(HTTPTransportError)
    }

    let end: End
    private(set) var hold: Hold?

    /// An answer with these parts.
    public static func response(
        _ status: Int,
        headers: [(name: String, value: String)] = [],
        body: String = ""
    ) -> ScriptedAnswer {
        ScriptedAnswer(
            end: .response(HTTPResponse(status: status, headers: headers, body: Secret(body)))
        )
    }

    /// A grant (RFC 6749 §5.1); without a lifetime `expires_in` is left out.
    public static func grant(
        accessToken: String,
        refreshToken: String? = nil,
        expiresIn: Double? = 3600,
        scope: String? = nil
    ) -> ScriptedAnswer {
        ScriptedAnswer(
            end: .response(
                HTTPResponse(
                    status: 200,
                    headers: [(name: "Content-Type", value: "application/json")],
                    body: TokenBodies.grant(
                        accessToken: accessToken,
                        refreshToken: refreshToken,
                        expiresIn: expiresIn,
                        scope: scope
                    )
                )
            )
        )
    }

    /// An error (RFC 6749 §5.2).
    public static func refusal(
        _ error: String,
        status: Int = 400,
        description: String? = nil,
        headers: [(name: String, value: String)] = []
    ) -> ScriptedAnswer {
        ScriptedAnswer(
            end: .response(
                HTTPResponse(
                    status: status,
                    headers: [(name: "Content-Type", value: "application/json")] + headers,
                    body: TokenBodies.refusal(error, description: description)
                )
            )
        )
    }

    /// No answer.
    public static func failure(_ error: HTTPTransportError) -> ScriptedAnswer {
        ScriptedAnswer(end: .failure(error))
    }

    /// The same answer, which comes only once the hold is released.
    public func held(by hold: Hold) -> ScriptedAnswer {
        var held = self
        held.hold = hold
        return held
    }
}
