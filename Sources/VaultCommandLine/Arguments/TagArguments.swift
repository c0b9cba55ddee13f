internal import OAuth
internal import VaultKit

/// Tags on the command line.
enum TagArguments {
    /// Every `--tag` that is there.
    static func tags(_ arguments: inout ArgumentReader) throws(UsageError) -> Set<AccountTag> {
        var tags: Set<AccountTag> = []
        for text in try arguments.options("--tag") {
            guard let tag = AccountTag(text) else {
                throw .malformed(
                    "--tag",
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
