internal import OAuth
internal import VaultCrypto
internal import VaultKit

/// The body of a request to unlock, put together without text that nobody wipes.
enum UnlockRequest {
    /// The JSON; the caller wipes it.
    static func body(_ unlock: Unlock, lockAfter seconds: Double?) -> [UInt8] {
        var body: [UInt8] = []
        // Growing would leave copies of the secret behind. An escape has six bytes for one.
        body.reserveCapacity(6 * (unlock.size + 64))
        body += "{".utf8
        if let seconds { body += "\"lockAfterSeconds\":\(UInt64(seconds)),".utf8 }
        switch unlock {
        case .keyFile: break
        case .keyFileAt(let path): append("keyFile", Secret(path), to: &body)
        case .passphrase(let passphrase): append("passphrase", passphrase, to: &body)
        case .recoveryKey(let text): append("recoveryKey", text, to: &body)
        case .key(let key):
            var bytes = key.withBytes { bytes in bytes.indices.map { bytes[$0] } }
            var text = Base64.encode(bytes)
            append("key", Secret(wiping: &text), to: &body)
            wipe(&bytes)
        }
        if body.last == UInt8(ascii: ",") { body.removeLast() }
        body += "}".utf8
        return body
    }

    private static func append(_ name: String, _ value: Secret, to body: inout [UInt8]) {
        body += "\"\(name)\":\"".utf8
        value.withBytes { bytes in
            for index in bytes.indices { append(bytes[index], to: &body) }
        }
        body += "\"".utf8
    }

    /// A byte of a string (RFC 8259 §7).
    ///
    /// What is no UTF-8 goes as it is: a passphrase is bytes.
    private static func append(_ byte: UInt8, to body: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            body.append(UInt8(ascii: "\\"))
            body.append(byte)
        case 0..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            body += "\\u00".utf8
            body.append(digits[Int(byte >> 4)])
            body.append(digits[Int(byte & 15)])
        default: body.append(byte)
        }
    }
}

extension Unlock {
    /// The bytes of what is sent of it, or a little more.
    fileprivate var size: Int {
        switch self {
        case .keyFile: 0
        case .keyFileAt(let path): path.utf8.count
        case .passphrase(let secret), .recoveryKey(let secret): secret.count
        case .key(let key): 2 * key.count
        }
    }
}
