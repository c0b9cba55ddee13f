internal import OAuth
internal import VaultCrypto

extension Check {
    func json(_ bytes: [UInt8]) {
        let document = JSONReader.read(bytes.span)
        let again = JSONReader.read(bytes.span)
        expect(document.value == again.value, "two readings differ")
        guard document.isComplete else { return }
        // What is written is read as the same value, whatever bytes its strings hold.
        let written = JSONReader.read(JSONText.encode(document.value))
        expect(written.isComplete && written.value == document.value, "written it is another")
        _ = document.value.double
        _ = document.value.member(at: "a.b")
    }

    func form(_ bytes: [UInt8]) {
        guard let pairs = FormDecoding.pairs(bytes.span) else { return }
        let again = FormDecoding.pairs(bytes.span) ?? []
        expect(
            pairs.elementsEqual(again) { $0.name == $1.name && $0.value == $1.value },
            "two readings differ"
        )
        let ampersands = bytes.count { $0 == UInt8(ascii: "&") }
        expect(pairs.count <= ampersands + 1, "more pairs than there are")
        let size = pairs.reduce(0) { $0 + $1.value.count }
        expect(size <= bytes.count, "decoding made it longer")
    }

    func scope(_ bytes: [UInt8]) {
        let scope = Scope(parsing: String(decoding: bytes, as: UTF8.self))
        expect(Scope(parsing: scope.text) == scope, "written it is another")
        expect(Set(scope.names).count == scope.names.count, "a name twice")
        expect(scope.isSuperset(of: scope), "not all of itself")
        let isClean = scope.names.allSatisfy { name in
            !name.isEmpty && !name.unicodeScalars.contains { $0.properties.isWhitespace }
        }
        expect(isClean, "a name with a blank")
    }

    func endpointURL(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let url = try? EndpointURL(text) else { return }
        expectGood(url)
        expect(url.string == text, "another address than was given")
    }

    func proxyURL(_ bytes: [UInt8]) {
        guard let proxy = try? ProxyURL(String(decoding: bytes, as: UTF8.self)) else { return }
        expect((try? ProxyURL(proxy.text)) == proxy, "written it is another")
        expect(proxy.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "a blank in an address")
        expect(!proxy.text.contains("@"), "a password in an address")
    }

    func certificates(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let authorities = try? CertificateAuthorities(pem: text) else { return }
        let pem = authorities.pem
        expect((try? CertificateAuthorities(pem: pem)) == authorities, "written it is another")
        expect(pem.utf8.count <= CertificateAuthorities.limit, "more than an account keeps")
        expect(!pem.contains("PRIVATE KEY-----"), "a private key")
    }

    func expectGood(_ url: EndpointURL) {
        expect(!url.host.isEmpty && (1...65_535).contains(url.port), "no host or port")
        expect(url.string.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "a blank in an address")
        let isSafe = url.string.lowercased().hasPrefix("https://") || url.isLoopback
        expect(isSafe, "in the clear to another machine")
        // Where it leads is the same for whoever reads its origin.
        let origin = try? EndpointURL(url.origin)
        expect(origin?.origin == url.origin && origin?.host == url.host, "another origin")
        expect(origin?.port == url.port && origin?.isLoopback == url.isLoopback, "another port")
    }
}
