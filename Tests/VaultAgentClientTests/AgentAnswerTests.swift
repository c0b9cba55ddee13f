import Platform
import Testing

@testable import VaultAgentClient

@Suite struct AgentAnswerTests {
    @Test(
        "reads an answer",
        arguments: [
            ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", 200, "{}"),
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}", 404, "{}"),
            ("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, ""),
            ("HTTP/1.1 200 \r\ncontent-LENGTH:3\r\n\r\nabc", 200, "abc"),
            ("HTTP/1.1 200 OK\r\nContent-Length:   1\r\n\r\na", 200, "a"),
            ("HTTP/1.1 204 No Content\r\n\r\n", 204, ""),
            ("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", 204, ""),
            // The end of the header is the first one.
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\na\r\n\r\n", 200, "a\r\n\r\n"),
        ]
    )
    func reads(text: String, status: Int, body: String) throws {
        let answer = try AgentConnection.parse(Array(text.utf8))
        #expect(answer.status == status)
        #expect(String(decoding: answer.body, as: UTF8.self) == body)
    }

    @Test(
        "refuses what is no answer",
        arguments: [
            // HTTP of another kind, or none.
            "HTTP/2 200\r\nContent-Length: 0\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\u{0}\u{0}\u{12}\u{4}", "SSH-2.0-OpenSSH_9.2\r\n",
            "hello", "\r\n\r\n", "\n\n",
            // No status.
            "HTTP/1.1\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 20x\r\nContent-Length: 0\r\n\r\n", "200 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 99999999999999999999\r\nContent-Length: 0\r\n\r\n",
            // A header that is none.
            "HTTP/1.1 200 OK\r\nContent-Length 0\r\n\r\n",
            // A length that is missing or wrong.
            "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\n{}",
            "HTTP/1.1 204 No Content\r\n\r\n{}",
            // Chunks are for HTTP/1.1, and were not asked for.
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        ]
    )
    func malformed(text: String) {
        #expect(throws: AgentConnection.Failure.malformedAnswer) {
            try AgentConnection.parse(Array(text.utf8))
        }
    }

    /// The agent was killed while it answered: asking again helps.
    @Test func anAnswerThatEndsEarlyIsABrokenConnection() {
        let whole = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8)
        for count in 0..<whole.count {
            #expect(throws: AgentConnection.Failure.broken(nil), "\(count) bytes") {
                try AgentConnection.parse(Array(whole[..<count]))
            }
        }
    }

    @Test func headersAreFoundByTheirLowerCaseName() throws {
        let text = "HTTP/1.1 200 OK\r\nVault-Note: kept\r\nContent-Length: 0\r\n\r\n"
        let answer = try AgentConnection.parse(Array(text.utf8))
        #expect(answer.headers["vault-note"] == "kept")
        #expect(answer.headers["Vault-Note"] == nil)
    }

    @Test func aHugeHeaderIsRead() throws {
        let padding = String(
            repeating: "X-Padding: \(String(repeating: "a", count: 1000))\r\n",
            count: 500
        )
        let text = "HTTP/1.1 200 OK\r\n\(padding)Content-Length: 2\r\n\r\n{}"
        #expect(try AgentConnection.parse(Array(text.utf8)).body == Array("{}".utf8))
    }

    @Test func bytesThatAreNoTextStayInTheBody() throws {
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n".utf8)
        #expect(try AgentConnection.parse(head + [0xff, 0, 0xc3]).body == [0xff, 0, 0xc3])
    }

    @Test func noBytesCrashTheReader() {
        var generator = SystemRandomNumberGenerator()
        let pieces = [
            "HTTP/1.1 ", "200", "\r\n", "\r\n\r\n", ":", "Content-Length: ", "9", "\u{0}", "ä",
        ]
        for _ in 0..<2000 {
            let text = (0..<8).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            _ = try? AgentConnection.parse(Array(text.utf8))
        }
    }
}
