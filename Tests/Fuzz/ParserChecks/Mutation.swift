/// Changes of a seed that are the same in every run.
package struct Mutation {
    private var random: Generator
    private let seeds: [[UInt8]]
    private let words: [[UInt8]]

    package init(_ seeds: [[UInt8]], seed: UInt64) {
        self.seeds = seeds
        random = Generator(state: seed | 1)
        words =
            [
                "\"", "\\", "{", "}", "[", "]", ",", ":", "&", "=", "%", "%0", "+", "\\u0000",
                "\\ud800",
                "null", "-0", "1e999", "99999999999999999999", "\u{202e}", "\u{0}", "\r\n", "eyJ",
                ".", "/",
                "CANARY-4f9a1c77e2", "st-9f2kQv7XbA", "access_token", "error", "expires_in",
                "refresh_token",
            ].map { Array($0.utf8) } + [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xef, 0xbb, 0xbf]]
    }

    /// The next one, with one to four changes.
    package mutating func next() -> [UInt8] {
        var bytes = seeds.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &random) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let index = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, index + Int.random(in: 1...8, using: &random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where index < bytes.count: bytes[index] = .random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(index..<end)
        case 2: bytes.insert(contentsOf: bytes[index..<end], at: index)
        case 3: bytes.removeLast(bytes.count - index)
        case 4:
            // The end of another one.
            let other = seeds.randomElement(using: &random) ?? []
            bytes = bytes[..<index] + other.suffix(Int.random(in: 0...other.count, using: &random))
        default:
            bytes.insert(contentsOf: words.randomElement(using: &random) ?? [], at: index)
        }
    }

    /// Numbers of a linear recurrence (xorshift).
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }
}
