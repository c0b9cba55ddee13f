internal import Platform

/// A complete request, its body included.
package struct HTTPServerRequest: Sendable {
    package let method: String
    /// The target as it was sent: path and query, percent-encoded.
    package let target: String
    /// Header fields in the order they came.
    package let headers: [(name: String, value: String)]
    /// The process that connected, where that is known; it may be gone, and its number another's.
    package let process: Int32?
    private let content: WipedBody

    package init(
        method: String,
        target: String,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        process: Int32? = nil
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.process = process
        content = WipedBody(body)
    }

    /// What came after the header; wiped once the request is done with, unless somebody keeps it.
    package var body: [UInt8] { content.bytes }

    /// The target up to the question mark, percent-encoded as it was sent.
    package var path: String {
        String(target.prefix { $0 != "?" })
    }

    /// The target after the question mark, as it was sent.
    package var rawQuery: String? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        return String(target[target.index(after: mark)...])
    }

    /// The query's fields, decoded.
    package var query: [(name: String, value: String)] {
        FormCoding.decode(rawQuery ?? "")
    }

    /// The first value of a header field, its name compared without case.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }
}

/// A body that is wiped with the last reference: it may hold a secret.
final class WipedBody: Sendable {
    private let storage: Locked<[UInt8]>

    init(_ bytes: [UInt8]) {
        storage = Locked(bytes)
    }

    deinit {
        storage.withLock { Memory.wipe(&$0) }
    }

    var bytes: [UInt8] { storage.withLock { $0 } }
}
