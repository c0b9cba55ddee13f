import Glibc
import Testing

@testable import Platform

@Suite struct TypedLineTests {
    @Test(
        "is whole at its end",
        arguments: [
            (["a", "b\n"], "ab"), (["ab\rcd\n"], "ab"), (["\n"], ""), (["a\u{7f}b\n"], "b"),
            (["\u{8}\u{7f}a\n"], "a"), (["abc\u{15}d\n"], "d"), (["\u{4}"], ""),
            (["a\u{4}b\n"], "ab"), ([String(repeating: "x", count: 20), "\n"], "xxxxxxxx"),
            (["abc"], nil), (["a\u{4}"], nil),
        ] as [([String], String?)]
    )
    func whole(pieces: [String], line: String?) {
        let typed = TypedLine(limit: 8)
        var found: [UInt8]?
        for piece in pieces { found = found ?? typed.take(Array(piece.utf8)[...]) }
        #expect(found.map { String(decoding: $0, as: UTF8.self) } == line)
    }

    @Test func anEndThatComesWithoutALineEndsIt() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let typed = TypedLine(limit: 8)
        #expect(write(ends[1], "ab", 2) == 2)
        #expect(typed.read(from: ends[0]) == nil)
        close(ends[1])
        #expect(typed.read(from: ends[0]) == Array("ab".utf8))
        #expect(typed.read(from: ends[0]) == [])
    }
}
