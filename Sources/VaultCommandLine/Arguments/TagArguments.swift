internal import OAuth
internal import VaultKit

/// Tags on the command line.
enum TagArguments {
    /// The value of every option of this name.
    static func tags(
        _ arguments: inout ArgumentReader,
        _ option: String = "--tag"
    ) throws(UsageError) -> Set<AccountTag> {
        var tags: Set<AccountTag> = []
        for text in try arguments.options(option) {
            guard let tag = AccountTag(text) else {
                throw .malformed(
                    option,
                    value: text,
                    wanted: "1 to 128 bytes of text in one line, without a blank at either end"
                )
            }
            tags.insert(tag)
        }
        return tags
    }

    /// The same as a query of the agent's list; empty without a tag.
    static func query(_ tags: Set<AccountTag>) -> String {
        let fields = tags.sorted().map { "tag=\(FormEncoding.encode($0.text))" }
        return fields.isEmpty ? "" : "?" + fields.joined(separator: "&")
    }
}
