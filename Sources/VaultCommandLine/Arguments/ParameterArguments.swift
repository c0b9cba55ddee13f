internal import OAuth
internal import VaultAgentClient

/// `NAME=VALUE` words: parameters added to requests, which are no place for secrets.
enum ParameterArguments {
    /// Parameters of refreshes.
    static func refresh(
        _ arguments: inout ArgumentReader
    ) throws(UsageError) -> [RequestParameter] {
        try read(
            arguments.options("--refresh-param", "--refresh-parameter"),
            of: "--refresh-param",
            where: RequestParameter.mayBeNamed
        )
    }

    /// Values are never quoted in errors: one may be a secret in the wrong place.
    static func read(
        _ texts: [String],
        of option: String,
        where mayBe: (String) -> Bool
    ) throws(UsageError) -> [RequestParameter] {
        var parameters: [RequestParameter] = []
        for text in texts {
            guard let mark = text.firstIndex(of: "="), mark != text.startIndex else {
                throw .missing("NAME= in the value of \(option)")
            }
            let name = String(text[..<mark])
            guard mayBe(name) else {
                throw .malformed(
                    option,
                    value: name,
                    wanted: "for an argument: secrets, tokens and the client come in otherwise"
                )
            }
            guard !parameters.contains(where: { $0.name == name }) else {
                throw .repeatedOption("\(option) \(Printable.quoted(name))=")
            }
            parameters.append(RequestParameter(name, String(text[text.index(after: mark)...])))
        }
        return parameters
    }

    /// As the agent wants them; nil where nobody told.
    static func document(
        _ parameters: [RequestParameter]
    ) -> [AddAccountDocument.Parameter]? {
        parameters.isEmpty ? nil : parameters.map { .init(name: $0.name, value: $0.value) }
    }
}
