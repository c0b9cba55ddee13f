import Testing
import VaultQRCode

@Suite struct QRCodeTests {
    /// Version 1, level L, as `qrencode -l L -m 0 -t ASCII` draws it.
    @Test func aTextIsAMatrix() throws {
        let code = try #require(QRCode("http://as.test/d"))
        #expect(code.modules.count == 21)
        #expect(code.modules.allSatisfy { $0.count == 21 })
        // The finder patterns: three corners have one, the fourth has none.
        let finder = [
            "#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######",
        ]
        #expect(corner(code, 0, 0) == finder)
        #expect(corner(code, 0, 14) == finder)
        #expect(corner(code, 14, 0) == finder)
        #expect(corner(code, 14, 14) != finder)
        // The timing patterns between them, and the module that is always dark.
        #expect((8...12).map { code.modules[6][$0] } == [true, false, true, false, true])
        #expect((8...12).map { code.modules[$0][6] } == [true, false, true, false, true])
        #expect(code.modules[13][8])
    }

    private func corner(_ code: QRCode, _ row: Int, _ column: Int) -> [String] {
        code.modules[row..<row + 7].map { line in
            String(line[column..<column + 7].map { $0 ? "#" : "." })
        }
    }

    @Test("a longer text makes a larger code", arguments: [(17, 21), (18, 25), (2953, 177)])
    func size(length: Int, width: Int) throws {
        // Small letters have no shorter form.
        let code = try #require(QRCode(String(repeating: "a", count: length)))
        #expect(code.modules.count == width)
    }

    @Test("some texts have no code", arguments: ["", "a\0b", String(repeating: "a", count: 2954)])
    func none(text: String) {
        #expect(QRCode(text) == nil)
    }

    @Test func anotherTextIsAnotherCode() {
        #expect(QRCode("http://as.test/d") == QRCode("http://as.test/d"))
        #expect(QRCode("http://as.test/d") != QRCode("http://as.test/e"))
    }
}
