internal import Platform
internal import VaultAccess
internal import VaultAgentClient
internal import VaultHTTPServer

extension Check {
    func version(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let version = VersionNumber(text) else { return }
        expect(VersionNumber(text) == version, "two readings differ")
        expect(!(version < version), "older than itself")
        let release = text.prefix { $0 != "-" && $0 != "+" }
        expect(VersionNumber(String(release)) == version, "another without what follows it")
        let next = VersionNumber(release + ".1")
        expect(next.map { version < $0 || version == $0 } ?? true, "newer than what follows it")
    }

    /// Each line is a field.
    func accept(_ bytes: [UInt8]) {
        let fields = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n",
            omittingEmptySubsequences: false
        ).map(String.init)
        let types = AcceptedTypes(fields)
        for type in ["application/json", "application/x-ndjson", "text/plain"] {
            let isTaken = types.include(type)
            expect(AcceptedTypes(fields + [""]).include(type) == isTaken, "an empty field counts")
            let isNamed = fields.contains { field in
                let field = field.lowercased()
                let main = type.prefix { $0 != "/" }
                return [type, main + "/*", "*/*"].contains { field.contains($0) }
            }
            expect(isNamed || !isTaken, "taken, and nobody named it")
        }
    }

    func eventLine(_ bytes: [UInt8]) {
        guard let document = try? WireJSON.decode(EventDocument.self, from: bytes) else { return }
        let again = try? WireJSON.decode(EventDocument.self, from: bytes)
        expect(document == again, "two readings differ")
        guard let event = VaultEvent(document) else { return }
        expect(!document.isLast, "the end is an event")
        expect(event.position?.rawValue == document.position, "another position")
        expect(event.account != nil || event.kind == .missed, "of which account is not said")
        let written = try? WireJSON.encode(EventDocument(event))
        let read = written.flatMap { try? WireJSON.decode(EventDocument.self, from: $0) }
        expect(read.flatMap { VaultEvent($0) } == event, "written it is another")
    }
}
