internal import FoundationEssentials

/// The values that fix the format bit for bit, made by a program that shares no code with ours.
struct Vectors: Decodable, Sendable {
    let constants: Constants
    let kdf: [Subkeys]
    let rootCheck: RootCheck
    let slots: [Slot]
    let records: [Record]
    let negatives: Negatives
    let keyCollision: KeyCollision
    let keyring: [Ring]
    let spentToken: [SpentToken]

    static func load(from file: String = #filePath) throws -> Vectors {
        let path = URL(fileURLWithPath: file).deletingLastPathComponent()
            .appending(path: "Fixtures/vectors.json")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Vectors.self, from: Data(contentsOf: path))
    }

    struct Constants: Decodable, Sendable {
        let secretboxKey, secretboxNonce, secretboxMac, kdfCtx, argon2idAlg: Int
        let padBlock, recordCtxLen, slotCtxLen: Int
    }

    struct Subkeys: Decodable, Sendable {
        let dek, root: Hex?
        let enc, mac, ring, check, spent: Hex?
    }

    struct RootCheck: Decodable, Sendable {
        @Hex var root: [UInt8]
        @Hex var vaultId: [UInt8]
        @Hex var check: [UInt8]
    }

    struct Slot: Decodable, Sendable {
        let name: String
        let type: UInt8
        let slotNo: UInt16
        let passphraseUtf8, salt: Hex?
        let ops: UInt32?
        let mem: UInt64?
        @Hex var ikm: [UInt8]
        @Hex var ctx: [UInt8]
        @Hex var nonce: [UInt8]
        @Hex var commit: [UInt8]
        @Hex var kek: [UInt8]
        @Hex var wrapped: [UInt8]
    }

    struct Record: Decodable, Sendable {
        let name, generation, box: String
        let fmt, kind: UInt8
        let epoch: UInt32
        let paddedLen, boxLen: Int
        @Hex var dek: [UInt8]
        @Hex var vaultId: [UInt8]
        @Hex var accountId: [UInt8]
        @Hex var ctx: [UInt8]
        @Hex var recordKey: [UInt8]
        @Hex var nonce: [UInt8]
        @Hex var plaintext: [UInt8]
    }

    struct Negatives: Decodable, Sendable {
        let cases: [Case]

        struct Case: Decodable, Sendable {
            let name: String
            let opens: Bool
            @Hex var ctx: [UInt8]
        }
    }

    struct KeyCollision: Decodable, Sendable {
        @Hex var nonce: [UInt8]
        @Hex var keyA: [UInt8]
        @Hex var keyB: [UInt8]
        @Hex var box: [UInt8]
        @Hex var opensA: [UInt8]
        @Hex var opensB: [UInt8]
    }

    struct Ring: Decodable, Sendable {
        let version: UInt64
        let flags: UInt8
        let activeEpoch: UInt32
        let entries: [Entry]
        @Hex var ctx: [UInt8]
        @Hex var recordKey: [UInt8]
        @Hex var nonce: [UInt8]
        @Hex var plaintext: [UInt8]
        @Hex var box: [UInt8]

        struct Entry: Decodable, Sendable {
            let epoch: UInt32
            @Hex var dataKey: [UInt8]
        }
    }

    struct SpentToken: Decodable, Sendable {
        @Hex var root: [UInt8]
        @Hex var vaultId: [UInt8]
        @Hex var refreshTokenUtf8: [UInt8]
        @Hex var hash: [UInt8]
    }
}

/// Bytes written as hexadecimal digits.
@propertyWrapper
struct Hex: Decodable, Sendable {
    let wrappedValue: [UInt8]

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let bytes = Self.bytes(of: text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not hexadecimal")
            )
        }
        wrappedValue = bytes
    }

    static func bytes(of text: some StringProtocol) -> [UInt8]? {
        let digits = text.map(\.hexDigitValue)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}
