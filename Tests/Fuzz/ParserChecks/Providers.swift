internal import OAuth
internal import VaultStore

extension Check {
    /// A file of a person's own providers; and what its endpoints make of the same bytes as a value.
    func providers(_ bytes: [UInt8]) {
        let entries: [String: ProviderCatalogue.Entry]
        do throws(ConfigurationProblem) {
            entries = try ProviderFile.read(bytes)
        } catch {
            let lines = bytes.count { $0 == 0x0a } + 1
            expect((1...lines).contains(error.line), "a fault in a line that is not there")
            filling(String(decoding: bytes, as: UTF8.self))
            return
        }
        for (name, entry) in entries {
            expect(ProviderCatalogue.isName(name), "a name that nobody can type")
            expect(ProviderCatalogue.builtIn[name] == nil, "a provider of the catalogue")
            let told = entry.parameters.mapValues { _ in "a" }
            guard let filled = try? entry.filled(told) else { continue }
            let url = filled.tokenEndpoint
            expect(url.map { (try? EndpointURL($0.string)) == $0 } ?? true, "no endpoint")
        }
    }

    /// Whatever is told in place of a name, the host stays one of the provider's.
    private func filling(_ value: String) {
        let values = ["name": value]
        let hosts = ["*.as.example", "as.example"]
        for text in [
            "https://{name}.as.example/t", "https://{name}/t", "https://as.example/{name}/t",
        ] {
            guard let template = try? EndpointTemplate(text),
                let url = try? template.filled(values, hosts: hosts).url
            else { continue }
            let isOurs = url.host == "as.example" || url.host.hasSuffix(".as.example")
            expect(isOurs && url.path.hasSuffix("/t"), "another place")
            expect((try? EndpointURL(url.string)) == url && url.query == nil, "no endpoint")
        }
    }
}
