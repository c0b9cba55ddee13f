import CFuzzer
import Glibc
import ParserChecks

// libFuzzer over one parser: vault-fuzz PARSER [OPTION OF LIBFUZZER]... [DIRECTORY]...
// "vault-fuzz seeds DIRECTORY" writes what each begins with to DIRECTORY/PARSER.

private func complain(_ words: String) -> Never {
    let line = "vault-fuzz: \(words)\n"
    _ = write(2, line, line.utf8.count)
    exit(2)
}

private let words = CommandLine.arguments
if words.count == 3, words[1] == "seeds" {
    do {
        try Seeds.write(to: words[2])
    } catch {
        complain("\(error)")
    }
    exit(0)
}
guard words.count > 1, let parser = Parser(rawValue: words[1]) else {
    complain("one of: seeds \(Parser.allCases.map(\.rawValue).joined(separator: " "))")
}
private let chosen = parser
var count = CommandLine.argc - 1
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
exit(
    LLVMFuzzerRunDriver(&count, &arguments) { data, size in
        if let broken = chosen.check(Array(UnsafeBufferPointer(start: data, count: size))) {
            fatalError(broken)
        }
        return 0
    }
)
