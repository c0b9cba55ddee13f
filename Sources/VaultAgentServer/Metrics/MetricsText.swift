/// Metrics as Prometheus reads them (text format 0.0.4).
struct MetricsText {
    enum Kind: String {
        case counter, gauge, histogram
    }

    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// One metric and its values, each by the value of its label.
    mutating func add(
        _ name: String,
        _ kind: Kind,
        _ help: String,
        label: String,
        _ values: [String: Int]
    ) {
        begin(name, kind, help)
        for (value, count) in values.sorted(by: { $0.key < $1.key }) {
            text += "\(name){\(label)=\"\(Self.escaped(value))\"} \(count)\n"
        }
    }

    /// One metric that is one number.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        begin(name, kind, help)
        text += "\(name) \(Self.number(value))\n"
    }

    /// A histogram; `counts` are those of each step alone, the last without an upper end.
    mutating func add(
        _ name: String,
        _ help: String,
        steps: [Double],
        counts: [Int],
        sum: Double
    ) {
        begin(name, .histogram, help)
        var total = 0
        for (end, count) in zip(steps.map(Self.number) + ["+Inf"], counts) {
            total += count
            text += "\(name)_bucket{le=\"\(end)\"} \(total)\n"
        }
        text += "\(name)_sum \(Self.number(sum))\n\(name)_count \(total)\n"
    }

    private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
    }
}
