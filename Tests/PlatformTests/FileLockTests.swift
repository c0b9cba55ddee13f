import FoundationEssentials
import Glibc
import Testing

@testable import Platform

@Suite struct FileLockTests {
    struct Pair: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let held: FileLock.Range
        let wanted: FileLock.Range
        let granted: Bool

        init(_ words: String, _ held: FileLock.Range, _ wanted: FileLock.Range, granted: Bool) {
            testDescription = words
            self.held = held
            self.wanted = wanted
            self.granted = granted
        }
    }

    @Test(
        arguments: [
            Pair("same account", .account(7), .account(7), granted: false),
            Pair("first account", .account(0), .account(0), granted: false),
            Pair("next account", .account(7), .account(8), granted: true),
            Pair("account before", .account(7), .account(6), granted: true),
            Pair("account, then all", .account(7), .allAccounts, granted: false),
            Pair("first account, then all", .account(0), .allAccounts, granted: false),
            Pair("last account, then all", .account(1 << 62 - 1), .allAccounts, granted: false),
            Pair("all, then an account", .allAccounts, .account(7), granted: false),
            Pair("all, then the first", .allAccounts, .account(0), granted: false),
            Pair("all, then the last", .allAccounts, .account(1 << 62 - 1), granted: false),
            Pair("all twice", .allAccounts, .allAccounts, granted: false),
            Pair("agent twice", .agent, .agent, granted: false),
            Pair("agent, then all", .agent, .allAccounts, granted: true),
            Pair("all, then agent", .allAccounts, .agent, granted: true),
            Pair("agent, then an account", .agent, .account(7), granted: true),
            Pair("maintenance twice", .maintenance, .maintenance, granted: false),
            Pair("maintenance, then an account", .maintenance, .account(7), granted: true),
            Pair("maintenance, then all", .maintenance, .allAccounts, granted: true),
            Pair("maintenance, then agent", .maintenance, .agent, granted: true),
        ]
    )
    func rangesExcludeThoseTheyTouch(_ pair: Pair) async throws {
        try await withTemporaryPath { path in
            let first = try FileLock(path: path)
            let second = try FileLock(path: path)
            #expect(try first.tryLock(pair.held))
            #expect(try second.tryLock(pair.wanted) == pair.granted)
            first.unlock(pair.held)
            #expect(try second.tryLock(pair.wanted))
        }
    }

    @Test func whatAnotherHoldsCanBeAskedFor() async throws {
        try await withTemporaryPath { path in
            let first = try FileLock(path: path)
            let second = try FileLock(path: path)
            #expect(try !second.isHeldElsewhere(.maintenance))
            #expect(try first.tryLock(.maintenance))
            #expect(try second.isHeldElsewhere(.maintenance))
            // One's own is not somebody else's.
            #expect(try !first.isHeldElsewhere(.maintenance))
            first.unlock(.maintenance)
            #expect(try !second.isHeldElsewhere(.maintenance))
            #expect(try second.tryLock(.maintenance))
        }
    }

    @Test func unlockingOneAccountKeepsTheOthers() async throws {
        try await withTemporaryPath { path in
            let first = try FileLock(path: path)
            let second = try FileLock(path: path)
            for number in 1...3 { #expect(try first.tryLock(.account(Int64(number)))) }
            first.unlock(.account(2))
            #expect(try !second.tryLock(.account(1)))
            #expect(try second.tryLock(.account(2)))
            #expect(try !second.tryLock(.account(3)))
        }
    }

    @Test func oneLockIsGrantedItsOwnRangeAgain() async throws {
        try await withTemporaryPath { path in
            let lock = try FileLock(path: path)
            #expect(try lock.tryLock(.account(1)))
            #expect(try lock.tryLock(.account(1)))
            #expect(try lock.tryLock(.allAccounts))
        }
    }

    @Test func lettingGoFreesEverything() async throws {
        try await withTemporaryPath { path in
            let second = try FileLock(path: path)
            do {
                let first = try FileLock(path: path)
                #expect(try first.tryLock(.allAccounts))
                #expect(try first.tryLock(.agent))
                #expect(try !second.tryLock(.account(1)))
            }
            #expect(try second.tryLock(.allAccounts))
            #expect(try second.tryLock(.agent))
        }
    }

    /// As when another thread is between fork and exec: the child has every descriptor.
    @Test func lettingGoFreesEverythingThoughACopyOfTheDescriptorLives() async throws {
        try await withTemporaryPath { path in
            var copy: Int32 = -1
            do {
                let first = try FileLock(path: path)
                #expect(try first.tryLock(.allAccounts))
                #expect(try first.tryLock(.agent))
                copy = dup(try #require(try descriptors(openOn: path).first))
            }
            defer { close(copy) }
            #expect(copy >= 0)
            let second = try FileLock(path: path)
            #expect(try second.tryLock(.allAccounts))
            #expect(try second.tryLock(.agent))
        }
    }

    @Test func ofManyAtOnceOneWins() async throws {
        try await withTemporaryPath { path in
            let locks = try (0..<8).map { _ in try FileLock(path: path) }
            let granted = try await withThrowingTaskGroup(of: Bool.self) { group in
                for lock in locks { group.addTask { try lock.tryLock(.account(7)) } }
                return try await group.reduce(0) { $1 ? $0 + 1 : $0 }
            }
            #expect(granted == 1)
            #expect(locks.count == 8)
        }
    }

    @Test func aRangeBeforeTheFileIsAnError() async throws {
        try await withTemporaryPath { path in
            let lock = try FileLock(path: path)
            #expect(throws: SystemError(number: EINVAL)) { try lock.tryLock(.account(-1)) }
        }
    }
}

/// The file itself.
@Suite struct LockFileTests {
    @Test func aNewFileIsPrivateAndStays() async throws {
        try await withTemporaryPath { path in
            do { _ = try FileLock(path: path) }
            var status = stat()
            #expect(lstat(path, &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o600)
            #expect(status.st_size == 0)
        }
    }

    @Test func anExistingFileIsLeftAsItIs() async throws {
        try await withTemporaryPath { path in
            try Data("kept".utf8).write(to: URL(fileURLWithPath: path))
            let lock = try FileLock(path: path)
            #expect(try lock.tryLock(.allAccounts))
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("kept".utf8))
        }
    }

    @Test func aSymbolicLinkIsRefused() async throws {
        try await withTemporaryPath { path in
            try Data().write(to: URL(fileURLWithPath: path + ".target"))
            for target in [path + ".target", path + ".missing"] {
                #expect(symlink(target, path) == 0)
                #expect(throws: SystemError(number: ELOOP)) { _ = try FileLock(path: path) }
                #expect(unlink(path) == 0)
            }
            #expect(!FileManager.default.fileExists(atPath: path + ".missing"))
        }
    }

    @Test func whatIsNoFileIsRefused() async throws {
        try await withTemporaryPath { path in
            #expect(throws: SystemError.notFound) { _ = try FileLock(path: path + "/x") }
            #expect(mkdir(path, 0o700) == 0)
            #expect(throws: SystemError(number: EISDIR)) { _ = try FileLock(path: path) }
        }
    }
}
