internal import OAuth
internal import VaultAccess

/// What the agent is asked: a method, a path and the fields after it.
struct AgentRequest: Sendable {
    let method: String
    let path: String
    /// The account it is about.
    var account: AccountName?
    var fields: [(name: String, value: String)] = []
    /// Seconds to wait for a refresh at most, which the agent is told; nil where none is waited for.
    var deadline: Double?
    /// JSON.
    var body: [UInt8] = []

    init(_ method: String, _ path: String, about account: AccountName? = nil) {
        self.method = method
        self.path = path
        self.account = account
    }

    /// The request's target, with what is left of its deadline.
    func target(secondsLeft: Double) -> String {
        var fields = fields
        if deadline != nil { fields.append(("deadline", "\(secondsLeft)")) }
        let query = fields.map { "\($0.name)=\(FormEncoding.encode($0.value))" }
        return path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}
