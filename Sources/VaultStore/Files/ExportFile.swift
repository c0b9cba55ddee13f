internal import Platform
package import VaultCrypto

/// Files of exported accounts.
package enum ExportFile {
    /// A file that is whole and durable, and has not got its name yet.
    struct Unfinished {
        let path: String
        let temporary: String

        /// Gives it its name, unless that is taken.
        ///
        /// - Throws: `SystemError`; then there is no such file, or only one that was there before.
        func install() throws(SystemError) {
            let identity = try FileSystem.status(of: temporary).identity
            do {
                try FileSystem.install(temporary, as: path)
            } catch {
                // A directory that cannot be synced may have the name all the same.
                let isThere = (try? FileSystem.status(of: path).identity) == identity
                guard !isThere || (try? FileSystem.remove(path)) != nil else { return }
                throw error
            }
        }

        func discard() {
            try? FileSystem.remove(temporary)
        }
    }

    /// Writes an export beside its path: 0600 from the first byte.
    static func prepare(
        _ envelope: ExportEnvelope,
        for path: String
    ) throws(StoreError) -> Unfinished {
        let path = FileSystem.absolute(path)
        let suffix = Randomness.bytes(count: suffixLength / 2).hexadecimal
        let file = Unfinished(path: path, temporary: "\(path).\(suffix).new")
        do throws(SystemError) {
            // The rename decides; this saves the work where it is plain how that will go.
            guard !FileSystem.exists(path) else { throw SystemError.exists }
            try FileSystem.writeNew(file.temporary, ExportArmor.text(of: envelope).span)
        } catch {
            throw error == .exists ? .fileExists(path: path) : .file(path: path, error)
        }
        return file
    }

    /// Removes what exports to the same path left that were killed before their file had its name.
    static func removeLeftovers(of path: String) {
        let path = FileSystem.absolute(path)
        guard let directory = try? FileSystem.resolvedDirectory(above: path),
            let entries = try? FileSystem.entries(of: directory)
        else { return }
        let name = path.suffix(from: path.lastIndex(of: "/") ?? path.startIndex).dropFirst()
        for entry in entries where isLeftover(entry, of: name) {
            let leftover = "\(directory)/\(entry)"
            guard let status = try? FileSystem.status(of: leftover), status.kind == .regular,
                status.owner == FileSystem.currentUser, status.permissions == 0o600
            else { continue }
            try? FileSystem.remove(leftover)
        }
    }

    private static func isLeftover(_ entry: String, of name: Substring) -> Bool {
        guard entry.hasPrefix("\(name)."), entry.hasSuffix(".new") else { return false }
        let suffix = entry.dropFirst(name.count + 1).dropLast(4)
        return suffix.count == suffixLength && suffix.allSatisfy { "0123456789abcdef".contains($0) }
    }

    /// Hexadecimal digits that tell unfinished files of one name apart.
    private static let suffixLength = 16

    /// The text of a file of exported accounts, sealed or not; the caller wipes it.
    package static func read(_ path: String) throws(StoreError) -> [UInt8] {
        let limit = ExportEnvelope.sizeLimit
        do throws(SystemError) {
            let file = try OpenFile(reading: path, followingLinks: true)
            // What is no regular file has no size that says anything.
            let expected = file.status.kind == .regular ? Int(file.status.size) : limit
            guard expected <= limit else { throw SystemError.tooLarge }
            return try file.read(limit: expected + 1, waitingForPipe: true)
        } catch {
            guard error != .tooLarge else { throw .export(.tooLarge) }
            throw .file(path: path, error)
        }
    }

    /// The accounts in a text; `passphrase` is asked for where they are sealed.
    package static func accounts(
        in text: [UInt8],
        passphrase: () throws -> Secret
    ) throws -> AccountExport {
        guard ExportArmor.isExport(text) || !isJSON(text) else {
            return try AccountExport(decoding: Secret(bytes: text))
        }
        let content: Secret
        do {
            let envelope = try ExportArmor.envelope(text)
            content = try envelope.open(with: SecretBytes(copying: passphrase()))
        } catch let error as ExportError {
            throw StoreError.export(error)
        }
        return try AccountExport(decoding: content)
    }

    private static func isJSON(_ text: [UInt8]) -> Bool {
        text.first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) } == UInt8(ascii: "{")
    }
}
