import Platform
import Testing

@testable import VaultStore

@Suite struct ExclusiveAccessTests {
    @Test func waitsForARefreshAndKeepsTheNextOut() async throws {
        try await withTemporaryVault { vault in
            let refresher = try FileLock(path: vault.location.lock)
            #expect(try refresher.tryLock(.account(1)))
            #expect(throws: StoreError.inUse) {
                try VaultFile.withoutRefreshes(of: vault.location, limit: 0.02) {}
            }
            refresher.unlock(.account(1))
            let isKeptOut = try VaultFile.withoutRefreshes(of: vault.location) {
                try refresher.isHeldElsewhere(.maintenance) && !refresher.tryLock(.account(1))
            }
            #expect(isKeptOut)
            #expect(try !refresher.isHeldElsewhere(.maintenance))
            #expect(try refresher.tryLock(.account(1)))
        }
    }

    @Test func oneAtATime() async throws {
        try await withTemporaryVault { vault in
            let isInUse = try VaultFile.withoutRefreshes(of: vault.location) {
                do {
                    try VaultFile.withoutRefreshes(of: vault.location, limit: 0.02) {}
                    return false
                } catch StoreError.inUse {
                    return true
                }
            }
            #expect(isInUse)
        }
    }

    @Test func anErrorGivesEverythingBack() async throws {
        try await withTemporaryVault { vault in
            #expect(throws: StoreError.superseded) {
                try VaultFile.withoutRefreshes(of: vault.location) { throw StoreError.superseded }
            }
            try VaultFile.withoutRefreshes(of: vault.location, limit: 0.02) {}
        }
    }
}
