internal import CPlatform

/// Memory that held a secret, and memory as a whole.
package enum Memory {
    /// Overwrites bytes with zeros in a way that no optimiser removes, and empties the array.
    ///
    /// Bytes that somebody else still holds stay as they are.
    package static func wipe(_ bytes: inout [UInt8]) {
        cplatform_wipe(&bytes, UInt64(bytes.count))
        bytes = []
    }

    /// Keeps the heaps of this process few and without large holes: for one that runs for very long.
    package static func keepSmall() {
        cplatform_keep_memory_small()
    }

    /// Gives back to the system what is free in the heaps.
    package static func giveBack() {
        cplatform_give_memory_back()
    }
}
