import FoundationEssentials
import Testing
import VaultKit

@testable import VaultAgentServer

@Suite struct HookLedgerTests {
    private func event(
        _ kind: VaultEvent.Kind,
        _ account: AccountName? = "work",
        at position: Int64? = nil
    ) -> VaultEvent {
        VaultEvent(
            account: account,
            kind: kind,
            position: position.map { VaultEvent.Position(rawValue: $0) }
        )
    }

    @Test func aTroubleAndItsEndAreToldOnce() {
        var ledger = HookLedger()
        #expect(ledger.take(event(.refreshed(generation: 1, expiry: nil))) == nil)
        #expect(ledger.take(event(.refreshFailed(.unreachable))) == nil)
        #expect(ledger.take(event(.stateChanged(.backingOff), at: 3)) == nil)
        #expect(ledger.take(event(.signInNeeded, at: 4)) == .signInNeeded)
        #expect(ledger.take(event(.stateChanged(.active), at: 5)) == .recovered)
        #expect(ledger.take(event(.signedIn(generation: 2))) == nil)
        #expect(ledger.take(event(.refreshed(generation: 3, expiry: nil))) == nil)
        #expect(ledger.take(event(.stateChanged(.clientRefused), at: 6)) == .clientRefused)
        #expect(ledger.take(event(.stateChanged(.active), at: 7)) == .recovered)
        #expect(ledger.position == VaultEvent.Position(rawValue: 7) && ledger.told.isEmpty)
    }

    @Test func aPairThatIsNotSavedIsToldOnceHoweverOftenItIsTried() {
        var ledger = HookLedger()
        #expect(ledger.take(event(.notSaved)) == .notSaved)
        #expect(ledger.take(event(.notSaved)) == nil)
        #expect(ledger.take(event(.refreshed(generation: 2, expiry: nil))) == .recovered)
        #expect(ledger.take(event(.notSaved)) == .notSaved)
    }

    @Test func whatIsRemovedDoesNotRecover() {
        var ledger = HookLedger()
        #expect(ledger.take(event(.signInNeeded, at: 1)) == .signInNeeded)
        #expect(ledger.take(event(.removed)) == nil)
        #expect(ledger.take(event(.signedIn(generation: 1))) == nil)
        #expect(ledger.take(event(.missed, nil)) == nil)
    }

    /// With the old position every trouble would be told again each time the agent starts.
    @Test func aVaultThatCountsAnewIsFollowed() {
        var ledger = HookLedger()
        #expect(ledger.take(event(.stateChanged(.active), at: 900)) == nil)
        #expect(ledger.take(event(.missed, nil)) == nil)
        #expect(ledger.take(event(.signInNeeded, at: 4)) == .signInNeeded)
        #expect(ledger.position == VaultEvent.Position(rawValue: 4))
    }

    @Test func itStaysSmallHoweverManyAccountsAreInTrouble() {
        var ledger = HookLedger()
        for number in 1...5000 {
            let name = AccountName("a\(number)")
            #expect(ledger.take(event(.signInNeeded, name, at: Int64(number))) == .signInNeeded)
        }
        #expect(ledger.told.count == HookLedger.capacity)
        #expect(ledger.position == VaultEvent.Position(rawValue: 5000))
    }

    @Test func itIsTheSameAfterARestart() throws {
        var ledger = HookLedger()
        _ = ledger.take(event(.signInNeeded, at: 9))
        let text = try JSONEncoder().encode(ledger)
        #expect(try JSONDecoder().decode(HookLedger.self, from: text) == ledger)
    }
}
