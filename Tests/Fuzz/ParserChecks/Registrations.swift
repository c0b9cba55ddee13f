internal import FoundationEssentials
internal import OAuth
internal import VaultCrypto

extension Check {
    func deviceAuthorization(_ bytes: [UInt8]) {
        let response = HTTPResponse(status: 200, body: Secret(bytes: bytes))
        switch DeviceAuthorization.read(response, countingFrom: AnswerSetting.start) {
        case .granted(let found):
            expect(!found.deviceCode.isEmpty, "an empty device code")
            expect(found.lifetime > 0 && found.interval > 0, "times that are none")
            expect(found.lifetime.isFinite && found.interval.isFinite, "times without an end")
            expectGood(found.verificationURI)
            if let complete = found.verificationURIComplete { expectGood(complete) }
            expectShowable(found.userCode, limit: 64)
            var polling = DevicePolling(found)
            for _ in 0..<20 {
                let wait = polling.waitAfterSilence()
                expect(wait >= 1 && wait <= max(60, found.interval), "a wait of \(wait)")
            }
        case .refused(let error): expectSecretive(error)
        }
    }

    func clientRegistration(_ bytes: [UInt8]) {
        let response = HTTPResponse(status: 201, body: Secret(bytes: bytes))
        switch ClientRegistration.read(response, countingFrom: AnswerSetting.start) {
        case .registered(let client):
            expect(!client.id.rawValue.isEmpty, "an empty client id")
            let isPublic = client.authentication == .none
            expect(isPublic == (client.secret == nil), "a secret that is not used, or missing")
            expect(client.secret?.isEmpty != true, "an empty secret")
        case .refused(let error): expectSecretive(error)
        }
    }
}
