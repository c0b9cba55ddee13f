/// Where a client is one and the same.
package enum ClientPlace: Sendable {
    /// The address that its refreshes go to.
    case endpoint(String)
    /// A host, whatever the address there.
    case host(String)

    var label: UInt8 {
        switch self {
        case .endpoint: 1
        case .host: 2
        }
    }

    var text: String {
        switch self {
        case .endpoint(let text), .host(let text): text
        }
    }
}
