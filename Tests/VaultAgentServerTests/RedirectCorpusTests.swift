import Platform
import Testing
import VaultHTTPServer

@testable import VaultAgentServer

/// Replays the corpus on a sign-in's socket.
@Suite struct RedirectCorpusTests {
    @Test func hasEveryLineButOne() {
        #expect(RedirectRow.all.count == 78)
        #expect(RedirectRow.played.count == 77)
    }

    @Test("comes to what the corpus says", arguments: RedirectRow.played)
    func corpus(row: RedirectRow) async throws {
        let expected = row.decision
        let member = #","authorization_response_iss_parameter_supported":true"#
        let agent = try await AgentFixture.make(
            ScriptedServer(row.setup.iss_required ? member : "")
        )
        let attempt = try await SignInAttempt.begin(
            agent,
            redirectURI: row.setup.redirect_uri.replacing(/:[0-9]+/, with: "")
        )
        let replay = Replay(attempt)
        var pages: [Page?] = []
        if row.requests.allSatisfy({ $0.parallel == true }) {
            pages = try await replay.together(row.requests)
        } else {
            for request in row.requests { pages.append(try await replay.send(request)) }
        }
        for (page, allowed) in zip(pages, expected.statuses) where allowed != [.word("none")] {
            let status = page.map { RedirectRow.Status.code($0.status) } ?? .word("closed")
            #expect(allowed.contains(status), "\(status)")
        }
        try await expect(attempt, expected)
        for page in pages.compactMap({ $0 }) {
            for text in expected.pages_must_not_contain ?? [] {
                let text = text.replacing("st-9f2kQv7XbA", with: attempt.state)
                #expect(!page.body.contains(text) && !page.head.contains(text))
            }
            for (name, value) in expected.headers_expected ?? [:] {
                #expect(page.header(name) == value)
            }
        }
        attempt.signIn.cancel()
        await agent.service.stop()
    }

    private func expect(
        _ attempt: SignInAttempt,
        _ expected: RedirectRow.Expected
    ) async throws {
        let exchanges = attempt.agent.server.exchanges
        switch expected.outcome {
        case "code":
            #expect(await attempt.outcome() == "ready")
            #expect(exchanges.count == expected.exchanges ?? 1)
            let form = FormCoding.decode(exchanges.first ?? "")
            #expect(form.first { $0.name == "code" }?.value == expected.code)
        case "error":
            #expect(
                await attempt.outcome() == "sign_in_failed refused \(expected.error ?? "")"
            )
            #expect(exchanges.isEmpty)
        default:
            #expect(attempt.signIn.outcome == nil)
            #expect(exchanges.isEmpty)
            // What was refused did not end it: the real answer still counts.
            let issuer = "&iss=https%3A%2F%2Fas.example"
            #expect(try await attempt.comeBack("code=real" + issuer)?.status == 200)
        }
    }
}

/// The browser's side of one line.
private final class Replay: Sendable {
    let attempt: SignInAttempt
    /// Connections that stay open until the line is over.
    private let held = Locked<[Browser]>([])

    init(_ attempt: SignInAttempt) {
        self.attempt = attempt
    }

    func together(_ requests: [RedirectRow.Request]) async throws -> [Page?] {
        attempt.agent.server.gate.shut()
        async let first = send(requests[0])
        async let second = send(requests[1])
        #expect(await eventually { attempt.agent.server.exchanges.count == 1 })
        attempt.agent.server.gate.open()
        // Which of them was first is chance.
        return try await [first, second].sorted { ($0?.status ?? 0) < ($1?.status ?? 0) }
    }

    func send(_ request: RedirectRow.Request) async throws -> Page? {
        let bytes = request.bytes(port: attempt.port, state: attempt.state)
        let (browser, page) = try await onThread { [port = attempt.port] in
            let browser = try Browser(port: port)
            if request.connect_only == true {
                if request.reset == true { browser.reset() }
                return (browser, Page?.none)
            }
            browser.say(
                bytes,
                piece: request.chunk_bytes,
                pauseMilliseconds: request.chunk_delay_ms ?? 0
            )
            // Half a line has no answer: the browser gives up, or the server after ten seconds.
            guard bytes.contains(UInt8(ascii: "\n")) else { return (browser, nil) }
            return (browser, try browser.page(ofHead: request.method == "HEAD"))
        }
        if request.hold_open == true { held.withLock { $0.append(browser) } }
        return page
    }
}
