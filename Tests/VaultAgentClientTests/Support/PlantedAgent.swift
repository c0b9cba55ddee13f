import FoundationEssentials
import Glibc
import Platform

@testable import VaultAgentClient

/// Takes one connection, reads the request that comes, and answers with what it was told.
final class PlantedAgent: Sendable {
    private let request = Locked<[UInt8]>([])
    private let done: Mailbox<Void>

    init(in directory: String, answering answer: String) throws {
        let listener = try ListeningSocket.unix(directory: directory, name: "agent.sock")
        done = try Mailbox()
        try DedicatedThread.start { [self] in
            defer { done.post(()) }
            guard let socket = listener.descriptor,
                Descriptor.waitReadable([socket], milliseconds: 20_000)[0],
                let peer = try? listener.accept()
            else { return }
            defer { Descriptor.close(peer) }
            while !Self.isWhole(request.withLock { $0 }) {
                var chunk = [UInt8](repeating: 0, count: 4096)
                guard Descriptor.waitReadable([peer], milliseconds: 20_000)[0] else { return }
                let count = read(peer, &chunk, chunk.count)
                guard count > 0 else { return }
                request.withLock { $0 += chunk[..<count] }
            }
            try? Socket.writeAll(Array(answer.utf8), to: peer)
        }
    }

    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n"),
            let length = text.firstMatch(of: /Content-Length: (\d+)/).flatMap({ Int($0.1) })
        else { return false }
        return text[end.upperBound...].utf8.count >= length
    }

    /// The request, once it is answered.
    func received() -> String {
        _ = Descriptor.waitReadable([done.descriptor], milliseconds: 20_000)
        return String(decoding: request.withLock { $0 }, as: UTF8.self)
    }
}
