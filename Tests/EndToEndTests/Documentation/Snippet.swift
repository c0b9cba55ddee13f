/// A piece of Swift in a page, with what the comments before it say of it.
///
/// `<!-- imports: A B -->` names its modules and `<!-- given: name: Type -->` what it finds there;
/// `<!-- test -->` makes it a file of tests, `<!-- other -->` something that is no Swift file.
struct Snippet {
    enum Kind {
        case body
        case test
        case other
    }

    var kind = Kind.body
    var imports: [String] = []
    var given = ""
    var code = ""

    /// Every piece of Swift in a page of Markdown, in their order.
    static func all(in page: String) -> [Snippet] {
        var found: [Snippet] = []
        var next = Snippet()
        var isInside = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "```swift" {
                isInside = true
            } else if line == "```", isInside {
                found.append(next)
                (next, isInside) = (Snippet(), false)
            } else if isInside {
                next.code += line + "\n"
            } else {
                next.note(line)
            }
        }
        return found
    }

    private mutating func note(_ line: Substring) {
        if let match = line.wholeMatch(of: /<!-- imports: (.+) -->/) {
            imports = match.1.split(separator: " ").map(String.init)
        } else if let match = line.wholeMatch(of: /<!-- given: (.+) -->/) {
            given = String(match.1)
        } else if line == "<!-- test -->" {
            kind = .test
        } else if line == "<!-- other -->" {
            kind = .other
        }
    }

    /// A source file in which it compiles if it is right.
    func file(named name: String) -> String {
        guard kind == .body else { return code }
        let modules = imports.map { "import \($0)\n" }.joined()
        return "\(modules)\nfunc \(name)(\(given)) async throws {\n\(code)}\n"
    }
}
