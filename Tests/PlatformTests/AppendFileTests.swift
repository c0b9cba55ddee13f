internal import Glibc
import Platform
import Testing

@Suite struct AppendFileTests {
    @Test func atItsLimitItMakesWay() async throws {
        try await withTemporaryPath { path in
            var file = try AppendFile(path: path, limit: 10)
            file.append(Array("first\n".utf8))
            file.append(Array("second\n".utf8))
            #expect(try FileSystem.read(path, limit: 100) == Array("second\n".utf8))
            #expect(try FileSystem.read(path + ".1", limit: 100) == Array("first\n".utf8))
            unlink(path + ".1")
        }
    }

    @Test func whatIsInTheWayDoesNotMakeItGrow() async throws {
        try await withTemporaryPath { path in
            mkdir(path + ".1", 0o700)
            defer { rmdir(path + ".1") }
            var file = try AppendFile(path: path, limit: 100)
            for number in 0..<100 { file.append(Array("line \(number)\n".utf8)) }
            let kept = try FileSystem.read(path, limit: 1000)
            #expect(kept.count <= 100)
            #expect(kept.suffix(8) == Array("line 99\n".utf8)[...])
        }
    }
}
