internal import CSodium

/// Why an export file does not open.
package enum ExportError: Error, Equatable, Sendable {
    /// It does not begin like one.
    case notAnExport
    /// Its end is missing.
    case cutShort
    /// Something follows its end.
    case trailingBytes
    /// It is larger than an export may be.
    case tooLarge
    /// It was written by a newer version.
    case newerFormat(UInt8)
    /// The work it asks for is outside what this program runs on behalf of a file.
    case costOutOfRange
    /// The system did not give the memory that Argon2id needs.
    case outOfMemory
    /// The commitment is not that of this passphrase.
    case wrongPassphrase
    /// The passphrase is right, or the bytes are no text, and what is sealed does not open.
    case damaged
}

/// What is exported, sealed under a passphrase of the export's own.
///
/// The bytes, integers big-endian, as they stand in the text (see ``ExportArmor``):
///
///     header       "VLT1EXP\0" · format u8 (1) · key derivation u8 (1 Argon2id) · flags u16 (0)
///                  · passes u32 · memory u64 (bytes) · salt 16
///     commitment   32: keyed BLAKE2b-256 of "VLT1XCM\0" · header under the secret
///     nonce        24
///     box          secretbox of the content, padded to 512 bytes, under the keyed BLAKE2b-256 of
///                  "VLT1XKE\0" · header under the secret
///
/// The secret is Argon2id of the passphrase and the salt. secretbox neither commits to its key nor
/// has associated data, so the commitment is compared first and both are made from the header: not
/// a bit of it can be changed.
package struct ExportEnvelope: Sendable, Equatable {
    /// The most that a file may have.
    package static let sizeLimit = 64 << 20
    /// The most that can be sealed: base64 and line feeds make 65 bytes of 48.
    package static let contentLimit = 46 << 20

    static let magic = Array("VLT1EXP\0".utf8)
    static let format: UInt8 = 1
    static let argon2id: UInt8 = 1
    static let headerCount = 40
    private static let saltCount = 16
    private static let boxOffset = headerCount + KeyLength.key + KeyLength.nonce
    private static let smallest = boxOffset + KeyLength.padding + KeyLength.authenticator

    let cost: PassphraseCost
    let salt: [UInt8]
    let commitment: [UInt8]
    let nonce: [UInt8]
    let box: [UInt8]

    // MARK: - Sealing

    /// Seals a content under a passphrase, each time with another salt and nonce.
    package static func seal(
        _ content: Secret,
        under passphrase: borrowing SecretBytes,
        cost: PassphraseCost = .standard
    ) throws(ExportError) -> ExportEnvelope {
        try seal(
            content,
            under: passphrase,
            cost: cost,
            salt: Randomness.bytes(count: saltCount),
            nonce: Randomness.bytes(count: KeyLength.nonce)
        )
    }

    static func seal(
        _ content: Secret,
        under passphrase: borrowing SecretBytes,
        cost: PassphraseCost,
        salt: [UInt8],
        nonce: [UInt8]
    ) throws(ExportError) -> ExportEnvelope {
        guard content.count <= contentLimit else { throw .tooLarge }
        let header = header(cost: cost, salt: salt)
        let secret = try secret(from: passphrase, cost: cost, salt: salt)
        let box = withKey(secret, header) { key in
            content.withBytes { SealedRecord.seal($0, key: key, nonce: nonce).box }
        }
        return ExportEnvelope(
            cost: cost,
            salt: salt,
            commitment: commitment(secret, header),
            nonce: nonce,
            box: box
        )
    }

    /// What was sealed, for the right passphrase.
    package func open(with passphrase: borrowing SecretBytes) throws(ExportError) -> Secret {
        let header = Self.header(cost: cost, salt: salt)
        let secret = try Self.secret(from: passphrase, cost: cost, salt: salt)
        guard constantTimeEqual(Self.commitment(secret, header), commitment) else {
            throw .wrongPassphrase
        }
        do {
            return try Self.withKey(secret, header) { key throws(SealingError) in
                try SealedRecord(nonce: nonce, box: box).open(key: key)
            }
        } catch {
            throw .damaged
        }
    }

    // MARK: - Bytes

    var bytes: [UInt8] {
        Self.header(cost: cost, salt: salt) + commitment + nonce + box
    }

    init(
        cost: PassphraseCost,
        salt: [UInt8],
        commitment: [UInt8],
        nonce: [UInt8],
        box: [UInt8]
    ) {
        self.cost = cost
        self.salt = salt
        self.commitment = commitment
        self.nonce = nonce
        self.box = box
    }

    /// Takes bytes apart; nothing is derived and nothing believed yet.
    init(bytes: [UInt8]) throws(ExportError) {
        guard bytes.starts(with: Self.magic) else { throw .notAnExport }
        guard bytes.count > Self.magic.count else { throw .cutShort }
        let format = bytes[Self.magic.count]
        guard format <= Self.format else { throw .newerFormat(format) }
        guard bytes.count >= Self.smallest else { throw .cutShort }
        let flags: UInt16 = bytes.bigEndian(at: 10)
        guard format == Self.format, bytes[9] == Self.argon2id, flags == 0,
            (bytes.count - Self.smallest).isMultiple(of: KeyLength.padding)
        else { throw .damaged }
        let commitmentEnd = Self.headerCount + KeyLength.key
        self.init(
            cost: PassphraseCost(passes: bytes.bigEndian(at: 12), memory: bytes.bigEndian(at: 16)),
            salt: Array(bytes[24..<Self.headerCount]),
            commitment: Array(bytes[Self.headerCount..<commitmentEnd]),
            nonce: Array(bytes[commitmentEnd..<Self.boxOffset]),
            box: Array(bytes[Self.boxOffset...])
        )
    }

    static func header(cost: PassphraseCost, salt: [UInt8]) -> [UInt8] {
        var header = magic
        header.reserveCapacity(headerCount)
        header.append(format)
        header.append(argon2id)
        header.append(bigEndian: UInt16(0))
        header.append(bigEndian: cost.passes)
        header.append(bigEndian: cost.memory)
        return header + salt
    }

    // MARK: - Keys

    private static func secret(
        from passphrase: borrowing SecretBytes,
        cost: PassphraseCost,
        salt: [UInt8]
    ) throws(ExportError) -> SecretBytes {
        do {
            return try cost.secret(from: passphrase, salt: salt)
        } catch .outOfMemory {
            throw .outOfMemory
        } catch {
            throw .costOutOfRange
        }
    }

    private static func commitment(_ secret: borrowing SecretBytes, _ header: [UInt8]) -> [UInt8] {
        secret.withBytes { KeyDerivation.hash((Array("VLT1XCM\0".utf8) + header).span, key: $0) }
    }

    private static func withKey<Result, Failure: Error>(
        _ secret: borrowing SecretBytes,
        _ header: [UInt8],
        _ body: (UnsafePointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withTransientKey { key throws(Failure) in
            secret.withBytes { secret in
                KeyDerivation.hash((Array("VLT1XKE\0".utf8) + header).span, key: secret, into: key)
            }
            return try body(key)
        }
    }
}
