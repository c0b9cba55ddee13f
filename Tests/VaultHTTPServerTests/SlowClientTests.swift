import Glibc
import Platform
import Testing
import VaultHTTPServer

/// Row F-52 of the fault matrix: who misuses the socket holds up nobody and grows nothing.
@Suite(.timeLimit(.minutes(1))) struct SlowClientTests {
    private static let request = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"

    /// A server on a UNIX socket that says how long the body is.
    private static func use(
        requestSeconds: Double = 10,
        _ body: @escaping @Sendable (_ connect: () throws -> RawClient) throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        var limits = HTTPServerLimits()
        limits.requestSeconds = requestSeconds
        let listener = try ListeningSocket.unix(directory: directory.path, name: "http.sock")
        let server = try HTTPServer(on: listener, limits: limits) { request in
            .response(HTTPServerResponse(status: 200, text: "\(request.body.count)"))
        }
        try await onThread { [path = directory.path] in
            try body { try RawClient.connected(directory: path, name: "http.sock") }
        }
        await server.stop()
    }

    @Test(
        "who sends a byte now and then is cut off",
        arguments: [
            ("", "GET / HTTP/1.1\r\n"),
            ("GET / HTTP/1.1\r\n", "Host: hhhhhhhhhhhhhhhhhhhhhhhhhhhh"),
            (
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n",
                "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
            ), (request, "GET / HTTP/1.1\r\nHost: hhhhhhhhhhhhhhhhhhhhhhhhhhhhhh"),
        ]
    )
    func trickle(start: String, rest: String) async throws {
        try await Self.use(requestSeconds: 0.2) { connect in
            let client = try connect()
            client.send(start)
            if start == Self.request { #expect(client.answer()?.body == "3") }
            for byte in rest where client.isOpen {
                client.send(String(byte))
                Pause.milliseconds(25)
            }
            let end = Uptime.seconds() + 5
            while client.isOpen, Uptime.seconds() < end { Pause.milliseconds(10) }
            #expect(!client.isOpen)
        }
    }

    @Test func whoSaysNothingBetweenRequestsIsLeftAlone() async throws {
        try await Self.use(requestSeconds: 0.1) { connect in
            let client = try connect()
            for _ in 1...3 {
                client.send(Self.request)
                #expect(client.answer()?.body == "3")
                for _ in 1...5 { Pause.milliseconds(30) }
            }
        }
    }

    @Test func aThousandWhoMisuseItHoldUpNobody() async throws {
        try await Self.use { connect in
            let before = Self.residentKilobytes
            let words = [
                "", "GET / HT", "\u{0}\u{1}\u{2}garbage\r\n\r\n", "POST / HTTP/1.1\r\nContent-Le",
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4294967296\r\n\r\n",
            ]
            var crowd: [RawClient] = []
            for index in 0..<1000 {
                let client = try connect()
                client.send(words[index % words.count])
                crowd.append(client)
            }
            var times: [Double] = []
            for index in 0..<100 {
                let start = Uptime.seconds()
                let client = try connect()
                client.send(Self.request)
                #expect(client.answer()?.body == "3")
                times.append(Uptime.seconds() - start)
                // The crowd goes on, a byte at a time.
                crowd[(index * 10) % crowd.count].send("x")
            }
            times.sort()
            let (usual, slowest) = (times[95], times[99])
            let grown = Self.residentKilobytes - before
            print("beside 1,000 misusers: p95 \(usual) s, slowest \(slowest) s, \(grown) KiB more")
            #expect(usual < 0.1 * Self.patience)
            // The first stand in the queue behind the thousand.
            #expect(slowest < 1 * Self.patience)
            // A quarter of the thousand have a seat with 32 KiB; a sanitizer's own memory is not ours.
            #expect(grown < 32 << 10 || Self.isSanitized)
        }
    }

    @Test func aPassedDescriptorIsNotKept() async throws {
        try await Self.use { connect in
            var ends: [Int32] = [-1, -1]
            #expect(pipe(&ends) == 0)
            let client = try connect()
            client.send(Self.request, passing: ends[1])
            #expect(client.answer()?.body == "3")
            close(ends[1])
            // The end of the pipe: nobody has the other one.
            var state = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            #expect(poll(&state, 1, 5000) == 1)
            var byte: UInt8 = 0
            #expect(read(ends[0], &byte, 1) == 0)
            close(ends[0])
        }
    }

    /// How much longer a busy machine may take.
    private static let patience = getenv("CI") == nil ? 1.0 : 10.0

    /// It takes terabytes of addresses.
    private static var isSanitized: Bool { kilobytes("VmSize:") > 1 << 30 }

    private static var residentKilobytes: Int { kilobytes("VmRSS:") }

    private static func kilobytes(_ field: String) -> Int {
        let status = (try? FileSystem.read("/proc/self/status", limit: 1 << 16)) ?? []
        let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.hasPrefix(field) } ?? ""
        return line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
