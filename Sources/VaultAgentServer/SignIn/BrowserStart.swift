internal import OAuth
internal import Platform
internal import VaultCrypto
internal import VaultHTTPServer

/// Where the browser is started: a short address of the sign-in's own listener, which leads on to the
/// authorization server, once.
///
/// Every user of the machine can read the words that a program was started with (proc(5)), and those
/// of what opens the browser too. Whoever had the authorization URL from there could sign in with an
/// account of their own, and bring its code to the listener with the right state: the vault would
/// keep the stranger's grant. This address leads there once; where somebody was faster the person's
/// browser says that it was used.
final class BrowserStart: Sendable {
    let url: String
    private let path: String
    private let host: String
    private let destination: EndpointURL
    private let isUsed = Locked(false)

    init(_ destination: EndpointURL, address: String, port: UInt16) {
        self.destination = destination
        host = "\(address):\(port)"
        path = "/start-" + Secret.randomText().reveal { $0 }
        url = "http://\(host)\(path)"
    }

    /// The answer to a request for this address; nil for any other.
    func answer(to request: HTTPServerRequest) -> HTTPServerResponse? {
        guard request.target == path else { return nil }
        // Another name for this machine is a page that had its name lead here.
        guard request.header("Host") == host else { return SignInPage.ignored(status: 421) }
        guard request.method == "GET" else { return SignInPage.ignored(status: 405) }
        let isFirst = isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
        // Not 302: nothing but a GET goes on from here (RFC 9110 §15.4.4).
        return isFirst ? SignInPage.onwards(to: destination) : SignInPage.ignored(status: 410)
    }
}
