internal import CPlatform

/// Memory that held a secret.
package enum Memory {
    /// Overwrites bytes with zeros in a way that no optimiser removes, and empties the array.
    ///
    /// Bytes that somebody else still holds stay as they are.
    package static func wipe(_ bytes: inout [UInt8]) {
        cplatform_wipe(&bytes, UInt64(bytes.count))
        bytes = []
    }
}
