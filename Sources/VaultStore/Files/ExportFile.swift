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
        let suffix = Randomness.bytes(count: 8).hexadecimal
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

    /// The text of a file of exported accounts, sealed or not; the caller wipes it.
    package static func read(_ path: String) throws(StoreError) -> [UInt8] {
        let limit = ExportEnvelope.sizeLimit
        do throws(SystemError) {
            // What is no regular file has no size that says anything.
            let status = try FileSystem.status(of: FileSystem.resolved(path))
            let expected = status.kind == .regular ? Int(status.size) : limit
            guard expected <= limit else { throw SystemError.tooLarge }
            return try FileSystem.read(path, limit: expected + 1)
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
