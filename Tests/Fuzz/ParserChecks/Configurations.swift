internal import OAuth
internal import VaultStore

extension Check {
    func configuration(_ bytes: [UInt8]) {
        let first: VaultConfiguration
        do throws(ConfigurationProblem) {
            first = try VaultConfiguration(bytes)
        } catch {
            let lines = bytes.count { $0 == 0x0a } + 1
            expect((1...lines).contains(error.line), "a fault in a line that is not there")
            return
        }
        let again = try? VaultConfiguration(bytes)
        expect(first == again, "two readings differ")
        // Nothing is taken that a reader of JSON does not take, and no member is passed over.
        let document = JSONReader.read(bytes.span)
        let members = Set((document.value.object ?? [:]).keys)
        expect(
            document.isComplete && members.isSubset(of: ["on_event", "limits", "defaults"]),
            "not a document"
        )
        if let path = first.onEvent {
            expect(path.hasPrefix("/") && !path.utf8.contains(0), "no absolute path")
        }
        let defaults = first.defaults
        let names = defaults.authorizationParameters.map(\.name)
        expect(names.allSatisfy(RequestParameter.mayBeAsked), "a parameter of the protocol's")
        expect(defaults.network.proxy?.text.contains("@") != true, "a proxy's password")
        for (host, limit) in first.limits {
            let url = try? EndpointURL("https://\(host)/")
            expect(url?.host == host, "a host that no request names")
            expect(limit.requests > 0 && limit.seconds > 0, "a limit that lets nothing through")
        }
    }
}
