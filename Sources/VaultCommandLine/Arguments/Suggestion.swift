/// What somebody may have meant by a word that is not known.
enum Suggestion {
    /// The candidate with the fewest edits to the word, unless that is a guess in the dark.
    static func nearest(to word: String, in candidates: [String]) -> String? {
        let ranked = candidates.map { (candidate: $0, edits: edits(from: word, to: $0)) }
        guard let best = ranked.min(by: { $0.edits < $1.edits }), best.edits <= 2 else {
            return nil
        }
        return best.candidate
    }

    /// Insertions, deletions and replacements that turn one text into the other.
    private static func edits(from source: String, to target: String) -> Int {
        let target = Array(target)
        var row = Array(0...target.count)
        for (i, character) in source.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in target.indices {
                let replaced = diagonal + (character == target[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[target.count]
    }
}
