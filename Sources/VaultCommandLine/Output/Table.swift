/// Rows of text in columns as wide as their widest entry.
struct Table {
    private var rows: [[String]]

    init(header: [String]) {
        rows = [header]
    }

    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    var text: String {
        let widths = rows[0].indices.map { column in
            rows.map { $0[column].count }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.indices.map { column in
                column == row.count - 1
                    ? row[column]
                    : row[column]
                        + String(repeating: " ", count: widths[column] - row[column].count)
            }
            return cells.joined(separator: "  ") + "\n"
        }.joined()
    }
}
