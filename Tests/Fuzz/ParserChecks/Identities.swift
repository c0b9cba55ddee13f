internal import FoundationEssentials
internal import OAuth
internal import VaultCrypto

extension Check {
    /// One byte for the status in front of a body.
    func revocationAnswer(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let status = AnswerSetting.statuses[Int(first) % AnswerSetting.statuses.count]
        let answer = RevocationReader().read(
            HTTPResponse(status: status, body: Secret(bytes: Array(bytes.dropFirst()))),
            received: AnswerSetting.start,
            presented: Secret(AnswerSetting.presented)
        )
        guard case .failed(let error) = answer else { return }
        expectSecretive(error)
        expect(error.class != .grantRefused, "a dead token is no failure")
    }

    /// The claims of an ID token, or the body of userinfo.
    func identity(_ bytes: [UInt8]) {
        let told = UserInfo.identity(in: HTTPResponse(status: 200, body: Secret(bytes: bytes)))
        let token = try? IDToken.identity(
            in: Secret(bytes: bytes),
            issuer: "https://as.example",
            client: ClientID(rawValue: "client"),
            nonce: nil,
            at: AnswerSetting.start
        )
        for identity in [told, token].compactMap(\.self) {
            expect((1...1024).contains(identity.subject.utf8.count), "a subject of no length")
            guard let name = identity.name else { continue }
            expect((1...128).contains(name.unicodeScalars.count), "a name of no length")
            let isPlain = name.unicodeScalars.allSatisfy {
                $0.properties.generalCategory != .control
                    && $0.properties.generalCategory != .format
            }
            expect(isPlain, "a control character is shown")
        }
    }
}
