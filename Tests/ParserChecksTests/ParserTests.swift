import ParserChecks
import Testing

/// The short form of `make fuzz`: the same inputs in every run.
@Suite struct ParserTests {
    private static let mutations = 2000

    @Test(arguments: Parser.allCases)
    func everySeedKeepsThePromise(parser: Parser) {
        let seeds = Seeds.of(parser)
        #expect(!seeds.isEmpty)
        for seed in seeds + [[]] { #expect(parser.check(seed) == nil, "\(text(seed))") }
    }

    @Test(arguments: Parser.allCases)
    func everyMutationKeepsThePromise(parser: Parser) {
        var mutation = Mutation(Seeds.of(parser), seed: 0x5eed)
        let begin = ContinuousClock.now
        for _ in 0..<Self.mutations {
            let input = mutation.next()
            if let broken = parser.check(input) {
                Issue.record("\(broken): \(text(input))")
                return
            }
        }
        // A few microseconds each; what is quadratic somewhere takes longer.
        #expect(begin.duration(to: .now) < .seconds(20))
    }

    @Test(arguments: Parser.allCases)
    func sizeCostsNoMoreThanItself(parser: Parser) {
        for piece in ["[", "{\"a\":", "\"\\u", "&a=%41", "a.", "\\\"", "<", "a,b ", "-----\n", "1"]
        {
            let bytes = Array(String(repeating: piece, count: 50_000 / piece.utf8.count).utf8)
            let begin = ContinuousClock.now
            #expect(parser.check(bytes) == nil, "\(piece)")
            #expect(begin.duration(to: .now) < .seconds(3), "\(piece)")
        }
    }

    private func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).debugDescription
    }
}
