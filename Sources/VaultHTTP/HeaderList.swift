internal import CCurl
internal import Glibc
internal import OAuth
internal import VaultCrypto

/// The request's header fields as libcurl wants them, wiped at the end: one may be a credential.
final class HeaderList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    init(_ headers: [HTTPHeader]) {
        // Without this libcurl would wait for the server's leave to send a larger body.
        append("Expect:")
        for header in headers {
            // A colon with nothing after it removes a field; a semicolon sends an empty one.
            header.value.reveal { value in
                append(value.isEmpty ? "\(header.name);" : "\(header.name): \(value)")
            }
        }
    }

    deinit {
        var node = first
        while let current = node {
            if let text = current.pointee.data { explicit_bzero(text, strlen(text)) }
            node = current.pointee.next
        }
        curl_slist_free_all(first)
    }

    private func append(_ line: String) {
        first = curl_slist_append(first, line)
    }
}
