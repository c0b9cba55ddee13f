import OAuth
import Testing
import VaultCrypto

@testable import VaultStore

/// How somebody signs in is sealed with the account.
@Suite struct SignInFlowRecordTests {
    @Test("comes back as it was sealed", arguments: SignInFlow.allCases)
    func sealed(flow: SignInFlow) throws {
        var settings = Fixture.settings("work")
        settings.signInFlow = flow
        settings.deviceAuthorizationEndpoint =
            flow == .device ? EndpointURL(unchecked: "https://as.example/device") : nil
        let text = AccountRecord.encode(settings)
        #expect(try AccountRecord.decode(text) == settings)
        // Records of older programs say nothing, and those of nearly all accounts still do not.
        #expect(text.reveal { $0.contains("sign_in_flow") } == (flow != .browser))
    }

    @Test func aFlowOfANewerProgramCostsNothing() throws {
        var settings = Fixture.settings("work")
        settings.signInFlow = .device
        let text = AccountRecord.encode(settings).reveal { $0 }
        let newer = text.replacing(#""device""#, with: #""telepathy""#)
        #expect(newer != text)
        settings.signInFlow = .browser
        #expect(try AccountRecord.decode(Secret(newer)) == settings)
    }
}
