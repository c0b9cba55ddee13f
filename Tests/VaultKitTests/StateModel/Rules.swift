/// The rules of the protocol, each of which a test takes away to see the model lose a login.
struct Rules: Sendable, Hashable {
    /// R1: nothing is sent without a durable intent.
    var claimsFirst = true
    /// R1: nobody sees a token that is not durable.
    var storesFirst = true
    /// R2: whoever spends a refresh token holds the account's lock.
    var locks = true
    /// R2: what is stored is read again under the lock.
    var rereads = true
    /// R2: a write changes only the generation that it was decided on.
    var comparesGenerations = true
    /// R3: a refresh outlives whoever asked for it.
    var outlivesCallers = true
    /// R4: nobody waits for a refresh whose token is good.
    var servesGoodTokens = true
    /// R5: the transport sends a request once.
    var sendsOnce = true
    /// R5: the transport follows no redirect.
    var staysAtItsServer = true

    /// What `RefreshOperation` does.
    static let all = Rules()

    /// All rules but one.
    static func without(_ rule: WritableKeyPath<Rules, Bool>) -> Rules {
        var rules = all
        rules[keyPath: rule] = false
        return rules
    }
}
