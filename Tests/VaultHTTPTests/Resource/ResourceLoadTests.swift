import Glibc
import OAuth
import Platform
import Testing
import VaultAccess
import VaultHTTP
import VaultHTTPServer

@Suite(.timeLimit(.minutes(1))) struct ResourceLoadTests {
    /// Row CA-05 of the library's cases.
    @Test func sixThousandRequestsCancelledByOtherTasks() async throws {
        let transport = CurlTransport()
        let server = try RecordingServer(always: .text("answer"))
        let request = ResourceRequest(.get, server.url())
        var uncancelled = 0
        for round in 0..<60 {
            let tasks = (0..<100).map { _ in Task { try await transport.text(of: request).text } }
            // One in ten is left alone, beside all that ends around it.
            for (number, task) in tasks.enumerated() where !number.isMultiple(of: 10) {
                Task.detached {
                    for _ in 0..<(number * 7 + round) % 300 { await Task.yield() }
                    task.cancel()
                }
            }
            for (number, task) in tasks.enumerated() {
                switch await task.result {
                case .success(let text):
                    #expect(text == "answer")
                    if number.isMultiple(of: 10) { uncancelled += 1 }
                case .failure(let error): #expect(error is CancellationError)
                }
            }
        }
        #expect(uncancelled == 600)
        #expect(try await transport.text(of: request).text == "answer")
        await server.stop()
    }

    @Test func twoHundredAtOnceGetTheirOwnAnswers() async throws {
        let transport = CurlTransport()
        let server = try RecordingServer { request, _ in
            .response(HTTPServerResponse(status: 200, body: request.body))
        }
        let right = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let body = RequestBody.texts(["body ", "\(number)"])
                    let request = ResourceRequest(.post, server.url(), body: body)
                    return await (try? transport.text(of: request).text) == "body \(number)"
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(right == 200)
        await server.stop()
    }

    @Test("a thousand exchanges leave no descriptor behind", arguments: [true, false])
    func descriptors(isRead: Bool) async {
        await #expect(processExitsWith: .success) { [isRead] in
            let transport = CurlTransport()
            let server = try RecordingServer { _, _ in .text(String(repeating: "x", count: 20_000))
            }
            let request = ResourceRequest(.get, server.url())
            func exchange() async throws {
                let response = try await transport.send(request)
                if isRead { #expect(try await response.text.count == 20_000) }
            }
            for _ in 0..<10 { try await exchange() }
            let before = Self.openDescriptors()
            for _ in 0..<1000 { try await exchange() }
            // What was let go of ends a moment later.
            for _ in 0..<1000 where Self.openDescriptors() > before + 4 {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(Self.openDescriptors() <= before + 4)
        }
    }

    private static func openDescriptors() -> Int {
        guard let directory = opendir("/proc/self/fd") else { return .max }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }
}
