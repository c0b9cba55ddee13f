internal import CPlatform
internal import Glibc

/// Notices of what happens to a directory and to some names in it (inotify(7)).
package enum DirectoryWatch {
    /// An element for each bundle of changes, until nobody listens or the directory is gone.
    ///
    /// - Throws: ``SystemError``, also where the user has as many watches as the kernel allows.
    package static func changes(
        in directory: String,
        of names: [String]
    ) throws(SystemError) -> AsyncStream<Void> {
        var watch: Int32 = -1
        let descriptor = try SystemError.check(cplatform_watch_directory(directory, &watch))
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        // Its number is another's once the thread has closed it.
        let open = Locked<Int32?>(descriptor)
        do throws(SystemError) {
            try DedicatedThread.start {
                Spawning.withCStrings(names) { names in
                    while cplatform_wait_directory_change(descriptor, names) == 1 {
                        continuation.yield()
                    }
                }
                // Its end is a change, too.
                continuation.yield()
                continuation.finish()
                open.withLock { open in
                    if let descriptor = open { Descriptor.close(descriptor) }
                    open = nil
                }
            }
        } catch {
            Descriptor.close(descriptor)
            throw error
        }
        continuation.onTermination = { [watch] _ in
            // Ends the wait of the thread.
            open.withLock { open in
                if let descriptor = open { cplatform_end_watch(descriptor, watch) }
            }
        }
        return stream
    }
}

/// How many files, sockets and pipes this process may have open.
package enum DescriptorLimit {
    /// Raises the limit as far as it may be, to what is wanted at most; what it is then.
    package static func raise(to wanted: Int) -> Int {
        let limit = cplatform_raise_descriptor_limit(UInt64(wanted))
        return limit < 0 ? wanted : Int(limit)
    }
}
