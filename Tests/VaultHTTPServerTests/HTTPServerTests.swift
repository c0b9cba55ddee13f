import Platform
import Testing
import VaultHTTPServer

@Suite struct HTTPServerTests {
    /// Answers with what it was asked.
    private static let echo: HTTPServer.Handler = { request in
        .response(
            HTTPServerResponse(
                status: 200,
                headers: [("X-Method", request.method), ("X-Target", request.target)],
                body: request.body
            )
        )
    }

    private func server(
        limits: HTTPServerLimits = HTTPServerLimits(),
        handler: @escaping HTTPServer.Handler = echo
    ) throws -> HTTPServer {
        try HTTPServer(on: .loopback(), limits: limits, handler: handler)
    }

    @Test func aRequestIsEchoedExactly() async throws {
        let server = try server()
        let answer = try await onThread { [port = server.port] in
            let client = try RawClient.connected(port: port)
            client.send(
                "POST /a%20b/c?x=1%262&y HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe\0lo"
            )
            return client.answer()
        }
        #expect(answer?.status == 200)
        #expect(answer?.body == "he\0lo")
        #expect(answer?.head.contains("X-Target: /a%20b/c?x=1%262&y") == true)
        #expect(answer?.head.contains("X-Method: POST") == true)
        #expect(answer?.head.contains("Content-Length: 5") == true)
        #expect(answer?.head.contains("Date:") == false)
        #expect(answer?.head.contains("Server:") == false)
        await server.stop()
    }

    @Test func headersKeepOrderAndAreFoundWithoutCase() async throws {
        let seen = Locked<HTTPServerRequest?>(nil)
        let server = try server { request in
            seen.withLock { $0 = request }
            return .response(HTTPServerResponse(status: 204))
        }
        let status = try await onThread { [port = server.port] in
            let client = try RawClient.connected(port: port)
            client.send("GET / HTTP/1.1\r\nHost: h\r\nB: 1\r\nA: 2\r\nb: 3\r\n\r\n")
            return client.answer()?.status
        }
        let request = seen.withLock { $0 }
        #expect(status == 204)
        #expect(request?.headers.map(\.name) == ["Host", "B", "A", "b"])
        #expect(request?.header("b") == "1")
        await server.stop()
    }

    @Test func aConnectionServesManyRequests() async throws {
        let server = try server()
        let bodies = try await onThread { [port = server.port] in
            let client = try RawClient.connected(port: port)
            return (1...20).map { number in
                client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n\(number + 10)")
                return client.answer()?.body
            }
        }
        #expect(bodies == (11...30).map(String.init))
        await server.stop()
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        let server = try server()
        let bodies = try await onThread { [port = server.port] in
            let client = try RawClient.connected(port: port)
            let request = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n"
            client.send("\(request)1\(request)2\(request)3")
            return (1...3).map { _ in client.answer()?.body }
        }
        #expect(bodies == ["1", "2", "3"])
        await server.stop()
    }

    @Test func anHTTP10ConnectionIsClosedAfterTheAnswer() async throws {
        let server = try server()
        let text = try await onThread { [port = server.port] in
            let client = try RawClient.connected(port: port)
            client.send("GET /x HTTP/1.0\r\n\r\n")
            return client.rest()
        }
        // RFC 9110 §2.5: the version is the sender's, not the request's.
        #expect(text.hasPrefix("HTTP/1.1 200 "))
        #expect(text.contains("Connection: close\r\n"))
        #expect(text.contains("Content-Length: 0\r\n"))
        await server.stop()
    }

    @Test func aChunkedBodyIsPutTogether() async throws {
        let server = try server()
        let body = try await onThread { [port = server.port] in
            let client = try RawClient.connected(port: port)
            client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            client.send("3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n")
            return client.answer()?.body
        }
        #expect(body == "abcdefg")
        await server.stop()
    }

    @Test func rawBytesGoOutAsTheyAre() async throws {
        let server = try server { _ in .raw(Array("no http at all".utf8)) }
        let text = try await onThread { [port = server.port] in
            let client = try RawClient.connected(port: port)
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            return client.rest()
        }
        #expect(text == "no http at all")
        await server.stop()
    }

    @Test func aDroppedRequestEndsWithoutAByte() async throws {
        let server = try server { _ in .drop }
        let text = try await onThread { [port = server.port] in
            let client = try RawClient.connected(port: port)
            client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx")
            return client.rest()
        }
        #expect(text.isEmpty)
        await server.stop()
    }

    @Test func aHeaderWithALineBreakIsNeverSent() async throws {
        let server = try server { _ in
            .response(HTTPServerResponse(status: 200, headers: [("A", "b\r\nSet-Cookie: c")]))
        }
        let text = try await onThread { [port = server.port] in
            let client = try RawClient.connected(port: port)
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            return client.rest()
        }
        #expect(text.isEmpty)
        await server.stop()
    }

    @Test func manyClientsAtOnceGetTheirOwnAnswers() async throws {
        let server = try server()
        let port = server.port
        let right = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<16 {
                group.addTask {
                    try await onThread {
                        let client = try RawClient.connected(port: port)
                        return (0..<50).count { number in
                            client.send("GET /\(worker)/\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
                            let head = client.answer()?.head
                            return head?.contains("X-Target: /\(worker)/\(number)\r\n") == true
                        }
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(right == 16 * 50)
        await server.stop()
    }
}
