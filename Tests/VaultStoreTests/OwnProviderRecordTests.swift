import OAuth
import Testing
import VaultCrypto

@testable import VaultStore

/// An account remembers what its provider's file said when it was signed in.
@Suite struct OwnProviderRecordTests {
    @Test func theEntryIsSealedWithTheAccount() throws {
        var settings = Fixture.settings("work")
        let bytes = AccountRecord.encode(settings)
        #expect(try AccountRecord.decode(bytes) == settings)
        #expect(bytes.reveal { !$0.contains("own_provider") })

        // Every entry of the catalogue stands for one that a person may have written.
        for name in ProviderCatalogue.builtIn.names {
            settings.refresh.provider = "acme"
            settings.ownProvider = ProviderCatalogue.builtIn[name]
            let read = try AccountRecord.decode(AccountRecord.encode(settings))
            #expect(read == settings, "\(name)")
            #expect(read.provider == settings.ownProvider && !read.isOfUnknownProvider)
        }
    }

    @Test func aRecordOfANewerProgramIsNotReadAsAnother() throws {
        let record = Secret(
            """
            {"client_authentication":"none","client_id":"c","name":"work",\
            "own_provider":"{\\"title\\":\\"A\\",\\"rotation\\":\\"new\\"}",\
            "provider":"acme","token_endpoint":"https://as.example/token"}
            """
        )
        #expect(throws: SealingError.self) { try AccountRecord.decode(record) }
    }

    @Test func endpointsAreGivenAndTaken() throws {
        var settings = Fixture.settings("work")
        let token = settings.tokenEndpoint
        #expect(settings.endpoints == [.token: token])
        let other = try EndpointURL("https://as.example/other")
        settings.endpoints = [.token: other, .authorization: token]
        #expect(settings.tokenEndpoint == other && settings.authorizationEndpoint == token)
    }
}
