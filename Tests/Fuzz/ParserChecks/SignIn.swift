internal import Glibc
internal import OAuth
internal import Platform
internal import VaultCrypto

/// Answers every request with the same document.
private struct OneDocument: HTTPTransport {
    let body: Secret

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        HTTPResponse(status: 200, body: body)
    }
}

/// The result of asynchronous work that waits for nothing.
private func result<Value: Sendable>(of work: @escaping @Sendable () async -> Value) -> Value {
    let box = Locked<Value?>(nil)
    Task.detached {
        let value = await work()
        box.withLock { $0 = value }
    }
    while true {
        if let value = box.withLock({ $0 }) { return value }
        sched_yield()
    }
}

extension Check {
    static let issuer = "https://op.example"

    func discovery(_ bytes: [UInt8]) {
        let transport = OneDocument(body: Secret(bytes: bytes))
        let found = result {
            try? await AuthorizationServerMetadata.discover(issuer: Self.issuer, using: transport)
        }
        guard let found else { return }
        expect([Self.issuer, Self.issuer + "/"].contains(found.issuer?.lowercased()), "issuer")
        let endpoints = [
            found.tokenEndpoint, found.authorizationEndpoint, found.deviceAuthorizationEndpoint,
            found.revocationEndpoint, found.userinfoEndpoint, found.registrationEndpoint,
        ]
        for endpoint in endpoints.compactMap({ $0 }) { expectGood(endpoint) }
        expect(!found.tokenEndpointAuthMethodsSupported.isEmpty, "no way to authenticate")
    }

    static let state = "st-9f2kQv7XbA"

    func authorizationRedirect(_ bytes: [UInt8]) {
        guard let address = try? EndpointURL("http://127.0.0.1:53682/callback") else { return }
        let target = String(decoding: bytes, as: UTF8.self)
        var judge = AuthorizationRedirect(redirectURI: address, state: Secret(Self.state))
        var other = judge
        let judgement = judge.judge(method: "GET", target: target, host: "127.0.0.1:53682")
        let pasted = other.judge(pasted: target)
        for judgement in [judgement, pasted] {
            switch judgement {
            case .ignored(let status):
                expect((400...499).contains(status), "status \(status)")
            case .code(let code, _):
                expect(!code.isEmpty, "an empty code")
                expect(Self.hasState(target), "a code without the state")
            case .failed(_, let code, let description):
                expectShowable(code, limit: 64)
                expectShowable(description, limit: 200)
                expect(Self.hasState(target), "an error without the state")
            }
        }
        guard case .ignored = judgement else {
            let second = judge.judge(method: "GET", target: target, host: nil)
            guard case .ignored(410) = second else { return expect(false, "settled twice") }
            return
        }
        bareCode(target, address)
    }

    /// What may be pasted alone is no address, has no blank in it, and counts once.
    private func bareCode(_ text: String, _ address: EndpointURL) {
        var judge = AuthorizationRedirect(
            redirectURI: address,
            state: Secret(Self.state),
            takesCode: true
        )
        guard case .code(let code, _) = judge.judge(pasted: text), !Self.hasState(text) else {
            return
        }
        let isWhole = code.reveal { code in
            !code.isEmpty && !code.contains("://")
                && code.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        }
        expect(isWhole, "a code that is none")
        guard case .ignored(410) = judge.judge(pasted: text) else {
            return expect(false, "a code that counts twice")
        }
    }

    /// Whether the state is there, escaped or not, and whatever blanks were pasted around it.
    private static func hasState(_ target: String) -> Bool {
        let blanks = target.reversed().prefix { $0.isWhitespace }.count
        let query = target.dropLast(blanks).split(separator: "?", maxSplits: 1).last ?? ""
        let pairs = FormDecoding.pairs(query.prefix { $0 != "#" }.utf8.span) ?? []
        return pairs.contains { $0.name == "state" && $0.value == Secret(state) }
    }
}
