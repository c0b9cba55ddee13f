import Glibc
import Platform
import Testing
import VaultCrypto
import VaultKit

@testable import VaultCommandLine

@Suite struct PassphraseInputTests {
    @Test(
        "takes all of a descriptor but one line end",
        arguments: [
            ("word", "word"), ("word\n", "word"), ("word\r\n", "word"), ("word\n\n", "word\n"),
            ("two words \n", "two words "), ("a\nb", "a\nb"), ("\u{e9}", "\u{e9}"),
        ]
    )
    func descriptor(content: String, passphrase: String) throws {
        let input = PassphraseInput(
            descriptor: try Self.descriptor(Array(content.utf8)),
            ask: nil,
            readsStandardInput: false
        )
        #expect(!input.isTyped)
        #expect(try input.read().reveal { $0 } == passphrase)
    }

    @Test(
        "refuses",
        arguments: [
            ([UInt8](), "empty"), ([10], "empty"), ([13, 10], "empty"),
            ([97, 0, 98], "has_nul"), ([UInt8](repeating: 97, count: 1025), "too_long"),
            ([UInt8](repeating: 97, count: 5000), "too_long"),
        ]
    )
    func unfit(content: [UInt8], reason: String) throws {
        let input = PassphraseInput(
            descriptor: try Self.descriptor(content),
            ask: nil,
            readsStandardInput: false
        )
        do {
            _ = try input.read()
            Issue.record("it was taken")
        } catch let error as VaultError {
            #expect(error.code == .invalidInput)
            #expect(error.facts == [.field: "passphrase", .reason: reason])
        }
    }

    @Test func theLongestIsTakenWithItsLineEnd() throws {
        let content = [UInt8](repeating: 97, count: 1024) + [13, 10]
        let input = PassphraseInput(
            descriptor: try Self.descriptor(content),
            ask: nil,
            readsStandardInput: false
        )
        #expect(try input.read().count == 1024)
    }

    @Test func withoutTerminalOrDescriptorItSaysHow() {
        let input = PassphraseInput(descriptor: nil, ask: nil, readsStandardInput: false)
        #expect(throws: UsageError.self) { try input.read() }
        #expect(throws: UsageError.self) { try input.readNew(terminal: Terminal()) }
    }

    @Test func aDescriptorComesBeforeTheTerminal() throws {
        let input = PassphraseInput(
            descriptor: try Self.descriptor(Array("given".utf8)),
            ask: { _ in throw VaultError(.busy) },
            readsStandardInput: true
        )
        #expect(try input.read() == Secret("given"))
        let again = PassphraseInput(
            descriptor: try Self.descriptor(Array("given".utf8)),
            ask: { _ in throw VaultError(.busy) },
            readsStandardInput: true
        )
        #expect(try again.readNew(terminal: Terminal()) == Secret("given"))
    }

    @Test(
        "a new one is typed twice",
        arguments: [
            (["a", "a"], "a"), (["a", "b", "c", "c"], "c"), (["a", "b", "c", "d", "e", "e"], "e"),
            (["a", "b", "c", "d", "e", "f", "g", "g"], nil),
        ] as [([String], String?)]
    )
    func typedTwice(typed: [String], passphrase: String?) throws {
        let typist = Typist(typed)
        let input = PassphraseInput(
            descriptor: nil,
            ask: { _ in try typist.next() },
            readsStandardInput: false
        )
        #expect(input.isTyped)
        guard let passphrase else {
            #expect(throws: VaultError.self) { try input.readNew(terminal: Terminal()) }
            return
        }
        #expect(try input.readNew(terminal: Terminal()) == Secret(passphrase))
    }

    /// A descriptor that has these bytes, and then its end.
    private static func descriptor(_ content: [UInt8]) throws -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError(number: errno) }
        let written = write(ends[1], content, content.count)
        close(ends[1])
        guard written == content.count else { throw SystemError(number: errno) }
        return ends[0]
    }
}

/// A person who types what they were told to.
private final class Typist: Sendable {
    private let words: Locked<[String]>

    init(_ words: [String]) {
        self.words = Locked(words)
    }

    func next() throws -> Secret {
        try words.withLock { words in
            guard !words.isEmpty else { throw VaultError(.busy) }
            return Secret(words.removeFirst())
        }
    }
}
