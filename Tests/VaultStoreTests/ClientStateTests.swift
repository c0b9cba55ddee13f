import FoundationEssentials
import Testing
import VaultCrypto

@testable import VaultStore

@Suite struct ClientStateTests {
    private let now = Date(timeIntervalSince1970: 1_900_000_000)
    private let account = AccountID.random()

    private func later(_ seconds: TimeInterval) -> Date { now.addingTimeInterval(seconds) }

    @Test("a pause that no clock of now can have asked for gives way to the next")
    func pauses() {
        for (known, asked, found) in [(100.0, 50.0, 100.0), (50, 100, 100), (99_999, 60, 60)] {
            var state = ClientState()
            state.pausedUntil = later(known)
            let effect = ClientEffect.throttled(until: later(asked))
            #expect(state.after(effect, account: account, at: now).pausedUntil == later(found))
        }
    }

    @Test("refused grants count within one window, and a grant ends them")
    func refusedGrants() {
        let refused = ClientEffect.grantRefused(isEarlyRetry: false)
        var state = ClientState()
        for seconds in [0.0, 100, 299] {
            state = state.after(refused, account: account, at: later(seconds))
        }
        #expect(state.refusedGrants.count == 3 && state.refusedGrants.since == now)
        #expect(state.retries.refused == 0)
        let next = state.after(refused, account: account, at: later(300))
        #expect(next.refusedGrants.count == 1)
        // The wall clock was set back.
        #expect(state.after(refused, account: account, at: later(-1)).refusedGrants.count == 1)
        let granted = state.after(.granted(isRetry: true), account: account, at: now)
        #expect(granted.refusedGrants.count == 0 && granted.retries.granted == 1)
    }

    @Test("three accounts open the breaker, one account does not")
    func breaker() {
        var state = ClientState()
        for _ in 1...5 { state = state.after(.refused, account: account, at: now) }
        #expect(state.breaker == nil && state.refused == [account])
        for _ in 1...2 { state = state.after(.refused, account: .random(), at: now) }
        #expect(state.breaker?.reason == .clientRefused)
        #expect(state.breaker?.nextTry == later(ClientState.tryInterval))
    }

    @Test("too many is a third of all within the window, or twenty in a row")
    func massRefusal() {
        let rows = [
            (19, 19, 19, false), (20, 1, 66, true), (20, 1, 67, false), (1, 20, 100_000, true),
        ]
        for (refused, inARow, accounts, isIt) in rows {
            #expect(MassRefusal.isIt(refused, inARow: inARow, of: accounts) == isIt)
        }
    }
}
