import OAuth
import Testing
import VaultCrypto
import VaultHTTPServer
import VaultKit

@testable import VaultAgentServer

/// What a person sees who comes back from the authorization server.
@Suite struct SignInPageTests {
    private static let failures: [VaultError] = [
        VaultError(.signInFailed, facts: [.reason: "refused", .error: "access_denied"]),
        VaultError(
            .signInFailed,
            facts: [.reason: "refused", .error: "<script>", .errorDescription: "canary-<b>"]
        ),
        VaultError(.signInFailed, facts: [.reason: "code_refused", .error: "canary"]),
        VaultError(.unreachable, facts: [.host: "canary.example"]), VaultError(.storage),
        VaultError(.throttled), VaultError(.closed),
    ]

    private static let pages: [HTTPServerResponse] =
        [SignInPage.ready(account: "work")]
        + failures.map { SignInPage.failed(account: "work", $0) }
        + [400, 404, 405, 410, 414, 421].map { SignInPage.ignored(status: $0) }

    @Test("is protected", arguments: pages)
    func headers(page: HTTPServerResponse) throws {
        #expect(page.header("Cache-Control") == "no-store")
        #expect(page.header("Referrer-Policy") == "no-referrer")
        #expect(page.header("X-Content-Type-Options") == "nosniff")
        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        let policy = try #require(page.header("Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
        let style = try #require(page.text.firstMatch(of: /(?s)<style>(.*)<\/style>/)).1
        let hash = Base64.encode(Digest.sha256(Array(style.utf8)))
        #expect(policy.contains("'sha256-\(String(decoding: hash, as: UTF8.self))'"))
    }

    @Test("takes nothing from elsewhere and runs nothing", arguments: pages)
    func content(page: HTTPServerResponse) {
        for text in ["http:", "https:", "<script", "<img", "<link", "url(", "@import", "canary"] {
            #expect(!page.text.contains(text), "\(text)")
        }
        #expect(page.text.contains("prefers-color-scheme: dark"))
        #expect(page.body.count < 4096)
    }

    @Test func wordsEachFailureForAPerson() {
        let texts = Set(Self.failures.map { SignInFailureWords.text($0) })
        #expect(texts.count == Self.failures.count)
        let page = SignInPage.failed(account: "work", Self.failures[0])
        #expect(page.text.contains("declined"))
        #expect(page.text.contains("<strong>work</strong> is as it was before"))
    }

    @Test func escapesEverything() {
        #expect(
            SignInPage.escaped(#"<a b="c" d='e'>&"#)
                == "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;"
        )
    }
}
