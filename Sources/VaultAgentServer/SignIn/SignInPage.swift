internal import VaultHTTPServer
internal import VaultKit

/// The page the browser ends on: plain, without anything from outside and nothing of the request.
///
/// An account's name has no character that HTML would read, so it goes in as it is.
enum SignInPage {
    static func ready(account: AccountName) -> HTTPServerResponse {
        page(
            status: 200,
            title: "Signed in",
            text: "You can close this page and go back to the terminal: account "
                + "<b>\(account)</b> is ready."
        )
    }

    static func failed(account: AccountName) -> HTTPServerResponse {
        page(
            status: 200,
            title: "Not signed in",
            text: "Account <b>\(account)</b> was not signed in. The terminal says why."
        )
    }

    static func ignored(status: Int) -> HTTPServerResponse {
        page(
            status: status,
            title: "Nothing to see here",
            text: "This address waits for a sign-in that was begun in a terminal."
        )
    }

    private static func page(status: Int, title: String, text: String) -> HTTPServerResponse {
        let html = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <style>
            body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 20vh auto;
            padding: 0 1rem }
            </style>
            <h1>\(title)</h1>
            <p>\(text)</p>
            </html>

            """
        return HTTPServerResponse(
            status: status,
            headers: [
                (name: "Content-Type", value: "text/html; charset=utf-8"),
                (name: "Cache-Control", value: "no-store"),
                (
                    name: "Content-Security-Policy",
                    value: "default-src 'none'; style-src 'unsafe-inline'"
                ),
                (name: "Referrer-Policy", value: "no-referrer"),
                (name: "X-Content-Type-Options", value: "nosniff"),
            ],
            text: html
        )
    }
}
