import FoundationEssentials
import Testing

/// Reads one file of the corpus: a JSON object a line.
enum Corpus {
    static func rows<Row: Decodable>(_ file: String, as type: Row.Type = Row.self) -> [Row] {
        do {
            let folder = URL(filePath: #filePath).deletingLastPathComponent()
            let data = try Data(contentsOf: folder.appending(path: "Fixtures/\(file)"))
            return try data.split(separator: UInt8(ascii: "\n")).map {
                try JSONDecoder().decode(Row.self, from: Data($0))
            }
        } catch {
            Issue.record(error, "cannot read \(file)")
            return []
        }
    }
}

/// Text given as prefix, repetition and suffix.
struct Recipe: Decodable, Sendable {
    let prefix: String
    let `repeat`: String
    let count: Int
    let suffix: String

    var text: String { prefix + String(repeating: `repeat`, count: count) + suffix }
}
