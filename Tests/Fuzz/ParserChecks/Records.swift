internal import VaultCrypto
internal import VaultStore

/// What is inside a seal: whoever has the keys may have written it with another program.
extension Check {
    func keyring(_ bytes: [UInt8]) {
        readsAsItIsWritten(bytes, KeyringPlaintext.init(decoding:)) { $0.encoded() }
    }

    func accountRecord(_ bytes: [UInt8]) {
        readsAsItIsWritten(bytes, AccountRecord.decode, AccountRecord.encode)
    }

    func tokenRecord(_ bytes: [UInt8]) {
        readsAsItIsWritten(bytes, TokenRecord.decode, TokenRecord.encode)
    }

    func intentRecord(_ bytes: [UInt8]) {
        readsAsItIsWritten(bytes, IntentRecord.decode, IntentRecord.encode)
    }

    private func readsAsItIsWritten<Record: Equatable>(
        _ bytes: [UInt8],
        _ decode: (Secret) throws(SealingError) -> Record,
        _ encode: (Record) -> Secret
    ) {
        guard let record = try? decode(Secret(bytes: bytes)) else { return }
        expect((try? decode(encode(record))) == record, "written it is another")
    }
}
