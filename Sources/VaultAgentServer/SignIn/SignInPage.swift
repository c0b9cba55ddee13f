internal import OAuth
internal import VaultCrypto
internal import VaultHTTPServer
internal import VaultKit

/// The page the browser ends on: plain, without anything from outside and nothing of the request.
///
/// All its words are here but the account's name. What the authorization server said in its own
/// words is for the terminal: whoever can send the browser here could write a text for this page.
enum SignInPage {
    static func ready(account: AccountName) -> HTTPServerResponse {
        page(
            status: 200,
            mark: .done,
            title: "Signed in",
            text: "You can go back to the terminal: account \(strong(account)) is ready.",
            rest: "This page can be closed."
        )
    }

    static func failed(account: AccountName, _ error: VaultError) -> HTTPServerResponse {
        page(
            status: 200,
            mark: .failed,
            title: "Not signed in",
            text: SignInFailureWords.text(error),
            rest: "Account \(strong(account)) is as it was before. The terminal says more."
        )
    }

    /// What was not the answer; a sign-in may go on waiting.
    static func ignored(status: Int) -> HTTPServerResponse {
        var response = page(
            status: status,
            mark: .none,
            title: status == 410 ? "This was used before" : "Nothing to do here",
            text: SignInFailureWords.text(ignored: status),
            rest: "If you were signing in, the terminal knows how that goes."
        )
        // RFC 9110 §15.5.6 wants to know what would be allowed.
        if status == 405 { response.headers.append((name: "Allow", value: "GET")) }
        return response
    }

    /// On to the authorization server, which learns nothing of where the browser came from.
    static func onwards(to destination: EndpointURL) -> HTTPServerResponse {
        HTTPServerResponse(
            status: 303,
            headers: [(name: "Location", value: destination.string)] + protection
        )
    }

    // MARK: - The page

    private enum Mark: String {
        case done
        case failed
        case none
    }

    private static func strong(_ account: AccountName) -> String {
        "<strong>\(escaped(account.text))</strong>"
    }

    /// No name of an account has any of these; that is a rule for names, and no reason to rely on it.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
            .replacing("'", with: "&#39;")
    }

    private static func page(
        status: Int,
        mark: Mark,
        title: String,
        text: String,
        rest: String
    ) -> HTTPServerResponse {
        let html = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <style>\(SignInStyle.text)</style>
            <main class="\(mark.rawValue)">
            <h1>\(title)</h1>
            <p>\(text)</p>
            <p class="rest">\(rest)</p>
            </main>
            </html>

            """
        return HTTPServerResponse(
            status: status,
            headers: [(name: "Content-Type", value: "text/html; charset=utf-8")] + protection,
            text: html
        )
    }

    /// The address has a code in it: nobody keeps it or hands it on.
    ///
    /// Nothing is loaded, framed or run.
    private static let protection = [
        (name: "Cache-Control", value: "no-store"),
        (
            name: "Content-Security-Policy",
            value: "default-src 'none'; style-src 'sha256-\(SignInStyle.hash)'; "
                + "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
        ),
        (name: "Referrer-Policy", value: "no-referrer"),
        (name: "X-Content-Type-Options", value: "nosniff"),
    ]
}

/// How the page looks.
enum SignInStyle {
    static let text = """

        :root { color-scheme: light dark; --paper: #f5f5f2; --ink: #1d1f21; --faint: #5d6166;
          --done: #1a7f4b; --failed: #b3261e; --none: #8a8f94 }
        @media (prefers-color-scheme: dark) {
          :root { --paper: #17191b; --ink: #e8e8e4; --faint: #a0a5aa; --done: #4cc38a;
            --failed: #ff8a80; --none: #777c81 }
        }
        body { margin: 0; background: var(--paper); color: var(--ink);
          font: 1.1rem/1.5 system-ui, sans-serif }
        main { max-width: 30rem; margin: 22vh auto 0; padding: 0 1.25rem 0 1.5rem;
          border-left: .3rem solid var(--none) }
        main.done { border-color: var(--done) }
        main.failed { border-color: var(--failed) }
        h1 { margin: 0; font-size: 1.6rem; font-weight: 600 }
        p { margin: .6rem 0 0 }
        .rest { color: var(--faint); font-size: .95rem }

        """

    /// What the browser compares it with before it applies it (CSP Level 3 §2.3.1).
    static let hash = String(
        decoding: Base64.encode(Digest.sha256(Array(text.utf8))),
        as: UTF8.self
    )
}
