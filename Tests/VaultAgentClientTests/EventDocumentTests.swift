import FoundationEssentials
import Testing
import VaultAccess
import VaultAgentClient

@Suite struct EventDocumentTests {
    private static let date = Date(timeIntervalSince1970: 1_800_000_000)

    private static let rows: [(VaultEvent, String)] = [
        (
            VaultEvent(account: "a", kind: .refreshed(generation: 2, expiry: date)),
            #"{"account":"a","expiresAt":"2027-01-15T08:00:00Z","generation":2,"kind":"refreshed"}"#
        ),
        (
            VaultEvent(account: "a", kind: .refreshed(generation: 2, expiry: nil)),
            #"{"account":"a","generation":2,"kind":"refreshed"}"#
        ),
        (
            VaultEvent(account: "a", kind: .adopted(generation: 2)),
            #"{"account":"a","generation":2,"kind":"adopted"}"#
        ),
        (
            VaultEvent(account: "a", kind: .refreshFailed(.unreachable)),
            #"{"account":"a","code":"unreachable","kind":"refresh_failed"}"#
        ),
        (
            VaultEvent(account: "a", kind: .signInNeeded, position: .init(rawValue: 7)),
            #"{"account":"a","kind":"sign_in_needed","position":7}"#
        ),
        (
            VaultEvent(account: "a", kind: .stateChanged(.active), position: .init(rawValue: 8)),
            #"{"account":"a","kind":"state_changed","position":8,"state":"active"}"#
        ),
        (
            VaultEvent(account: "a", kind: .notSaved), #"{"account":"a","kind":"not_saved"}"#
        ),
        (
            VaultEvent(account: "a", kind: .signedIn(generation: 1)),
            #"{"account":"a","generation":1,"kind":"signed_in"}"#
        ),
        (VaultEvent(account: "a", kind: .removed), #"{"account":"a","kind":"removed"}"#),
        (VaultEvent(account: nil, kind: .missed), #"{"kind":"missed"}"#),
    ]

    @Test("goes there and back", arguments: rows)
    func roundTrip(event: VaultEvent, text: String) throws {
        let bytes = try WireJSON.encode(EventDocument(event))
        #expect(String(decoding: bytes, as: UTF8.self) == text)
        let document = try WireJSON.decode(EventDocument.self, from: bytes)
        #expect(VaultEvent(document) == event && !document.isLast)
    }

    @Test(
        "is no event",
        arguments: [
            #"{"kind":"alive"}"#, #"{"kind":"closed","reason":"locked"}"#, #"{"kind":"newer"}"#,
            #"{"kind":"refreshed","account":"a"}"#, #"{"kind":"removed"}"#,
            #"{"kind":"removed","account":"-"}"#, #"{"kind":"refresh_failed","account":"a"}"#,
            #"{"kind":"state_changed","account":"a"}"#,
        ]
    )
    func noEvent(text: String) throws {
        let document = try WireJSON.decode(EventDocument.self, from: Array(text.utf8))
        #expect(VaultEvent(document) == nil)
    }

    @Test func aStateOfANewerAgentIsForAPersonToLookAt() throws {
        let text = #"{"kind":"state_changed","account":"a","state":"newer"}"#
        let document = try WireJSON.decode(EventDocument.self, from: Array(text.utf8))
        #expect(VaultEvent(document)?.kind == .stateChanged(.verifyBeforeUse))
    }
}
