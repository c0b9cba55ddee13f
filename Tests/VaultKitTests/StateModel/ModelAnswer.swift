import FoundationEssentials
import OAuth
import Platform
import VaultCrypto

@testable import VaultKit

/// What a worker gets back for its request.
enum ModelAnswer: Hashable, Sendable {
    case response(Int, String)
    /// The connection ended while the server may have been at work.
    case connectionLost
    /// 30 seconds went by.
    case timedOut
    /// There was no connection.
    case unreachable

    /// As a gateway answers for a server that it lost.
    static let badGateway = ModelAnswer.response(502, "<html><h1>502 Bad Gateway</h1></html>")
    /// As somebody on the way answers who wants it sent elsewhere.
    static let redirect = ModelAnswer.response(307, "")

    /// As a server answers that does not know the client's secret.
    static let wrongSecret = ModelAnswer.response(401, #"{"error": "invalid_client"}"#)

    /// Whether there is a new refresh token in it.
    var hasRefreshToken: Bool {
        guard case .response(200, let body) = self else { return false }
        return body.contains("refresh_token")
    }

    /// The same without its access token.
    var withoutAccessToken: ModelAnswer? {
        guard hasRefreshToken, case .response(_, let body) = self else { return nil }
        return .response(200, body.replacing("access_token", with: "access_tok"))
    }

    /// What the shipping reader makes of it.
    func read(presented: Secret, sent: Moment) -> RefreshAnswer {
        switch self {
        case .response(let status, let body):
            .answered(
                TokenResponseReader(grantType: .refreshToken).read(
                    HTTPResponse(
                        status: status,
                        headers: [("Content-Type", "application/json")],
                        body: Secret(body)
                    ),
                    countingFrom: sent.wall,
                    presented: presented
                )
            )
        case .connectionLost: .failed(.ambiguous(.connectionLost))
        case .timedOut: .failed(.ambiguous(.timedOut))
        case .unreachable: .failed(.notSent(.connectionFailed))
        }
    }
}
