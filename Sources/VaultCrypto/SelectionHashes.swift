/// What the selection key vouches for or hides: it finds things, and opens none.
extension Keyring {
    /// The hash that vouches for an account being the one chosen, so that editing the file cannot
    /// switch accounts.
    package func selectionHash(of account: AccountID) -> [UInt8] {
        keyedHash(
            Array("VLT1SEL\0".utf8) + vaultID.bytes + account.bytes,
            keyAt: Self.selectionIndex
        )
    }

    /// Compares a stored keyed hash in constant time.
    package func selection(_ hash: [UInt8], names account: AccountID) -> Bool {
        constantTimeEqual(selectionHash(of: account), hash)
    }

    /// The hash that a client is known by: at one token endpoint, or at one host.
    package func clientHash(of client: String, at place: ClientPlace) -> [UInt8] {
        var message = Array("VLT1CLI\0".utf8) + vaultID.bytes + [place.label]
        for text in [client, place.text] {
            message.append(bigEndian: UInt32(text.utf8.count))
            message += text.utf8
        }
        return keyedHash(message, keyAt: Self.selectionIndex)
    }

    /// The hash that accounts with a tag are found by.
    package func tagHash(of tag: String) -> [UInt8] {
        var message = Array("VLT1TAG\0".utf8) + vaultID.bytes
        message.append(bigEndian: UInt32(tag.utf8.count))
        return keyedHash(message + tag.utf8, keyAt: Self.selectionIndex)
    }
}
