import Glibc
import Testing

@testable import Platform

@Suite struct DirectoryWatchTests {
    @Test func aNameThatIsWatchedIsToldAndNoOther() async throws {
        try await withDirectory { directory in
            let changes = try DirectoryWatch.changes(in: directory, of: ["this", "that"])
            var iterator = changes.makeAsyncIterator()
            try FileSystem.writeNew("\(directory)/other", [UInt8]().span)
            try FileSystem.writeNew("\(directory)/this", [UInt8]().span)
            #expect(await iterator.next() != nil)
            try FileSystem.remove("\(directory)/this")
            #expect(await iterator.next() != nil)
            try FileSystem.remove("\(directory)/other")
        }
    }

    @Test func theEndOfTheDirectoryIsToldAndEndsIt() async throws {
        try await withDirectory { directory in
            let changes = try DirectoryWatch.changes(in: directory, of: ["this"])
            rmdir(directory)
            var count = 0
            for await _ in changes { count += 1 }
            #expect(count == 1)
        }
    }

    @Test func whoDoesNotListenAnyMoreWatchesNothing() async throws {
        try await withDirectory { directory in
            // The kernel lets a user have 128 at a time.
            for _ in 1...300 {
                let changes = try await watch(directory)
                let listener = Task { for await _ in changes {} }
                listener.cancel()
                await listener.value
            }
        }
    }

    /// Its end takes the thread a moment.
    private func watch(_ directory: String) async throws -> AsyncStream<Void> {
        for _ in 1...200 {
            if let changes = try? DirectoryWatch.changes(in: directory, of: ["this"]) {
                return changes
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        return try DirectoryWatch.changes(in: directory, of: ["this"])
    }

    @Test func whatIsNoDirectoryIsNotWatched() {
        #expect(throws: SystemError.notFound) {
            try DirectoryWatch.changes(in: "/no/such/directory", of: [])
        }
        #expect(throws: SystemError(number: ENOTDIR)) {
            try DirectoryWatch.changes(in: "/etc/passwd", of: [])
        }
    }

    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        try await withTemporaryPath { path in
            try FileSystem.makeNewDirectory(path)
            try await body(path)
            rmdir(path)
        }
    }
}
