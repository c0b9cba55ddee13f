internal import CSodium

/// Hash functions that protocols ask for by name.
package enum Digest {
    /// SHA-256 (FIPS 180-4).
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        _ = Sodium.ready
        var digest = [UInt8](repeating: 0, count: crypto_hash_sha256_bytes())
        crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return digest
    }

    /// BLAKE2b-256 without a key: the fastest there is here.
    package static func blake2b(_ bytes: [UInt8]) -> [UInt8] {
        _ = Sodium.ready
        var digest = [UInt8](repeating: 0, count: KeyLength.key)
        _ = crypto_generichash(
            &digest,
            digest.count,
            bytes,
            UInt64(bytes.count),
            nil,
            0
        )
        return digest
    }
}

/// Bytes nobody can predict.
package enum Randomness {
    /// As many random bytes as asked for.
    package static func bytes(count: Int) -> [UInt8] {
        _ = Sodium.ready
        var bytes = [UInt8](repeating: 0, count: count)
        randombytes_buf(&bytes, count)
        return bytes
    }
}
