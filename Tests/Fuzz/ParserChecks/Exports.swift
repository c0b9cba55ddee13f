internal import VaultCrypto
internal import VaultStore

extension Check {
    /// Nothing is derived and nothing opened: that costs what the file asks for.
    func exportArmor(_ bytes: [UInt8]) {
        let envelope: ExportEnvelope
        do throws(ExportError) {
            envelope = try ExportArmor.envelope(bytes)
        } catch {
            return expect(!"\(error)".contains("CANARY"), "an error with the content")
        }
        let written = ExportArmor.text(of: envelope)
        expect((try? ExportArmor.envelope(written)) == envelope, "written it is another")
        expect(ExportArmor.isExport(bytes), "read, and no export")
    }

    func accountExport(_ bytes: [UInt8]) {
        let export: AccountExport
        do throws(StoreError) {
            export = try AccountExport(decoding: Secret(bytes: bytes))
        } catch {
            return expect(!"\(error)".contains("CANARY"), "an error with a token")
        }
        expect((try? AccountExport(decoding: export.encoded)) == export, "written it is another")
    }
}
