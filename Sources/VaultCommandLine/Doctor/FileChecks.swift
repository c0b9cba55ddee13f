internal import FoundationEssentials
internal import Platform
internal import VaultStore

/// Checks of the vault's files from outside.
enum FileChecks {
    /// Bytes below which nothing that grows can be written for long.
    private static let scarceSpace: UInt64 = 16 << 20

    static func permissions(_ errors: [any Error]) -> [Finding] {
        guard errors.isEmpty else { return errors.map { .problem("permissions", $0) } }
        return [.ok("permissions", "nobody else can reach the vault's files")]
    }

    static func journal(isHot: Bool) -> Finding {
        isHot
            ? .warning("journal", "a write was cut short, and is undone when the vault is read")
            : .ok("journal", "no write was cut short")
    }

    static func format(_ version: Int64, newest: Int64) -> Finding {
        version == newest
            ? .ok("format", "the vault has format \(version), the newest")
            : .warning(
                "format",
                "the vault has format \(version), and \(newest) is the newest",
                hint: "vault verify, or any other command, brings it up to date"
            )
    }

    static func space(free: UInt64, reserve: Int64?) -> [Finding] {
        let room = "\(free >> 20) MiB are free"
        let space: Finding =
            free < scarceSpace
            ? .problem("space", "the disk is full or nearly so: \(room)", hint: "make room on it")
            : .ok("space", room)
        guard reserve == nil, free < scarceSpace else { return [space] }
        return [
            space, .warning("space", "the vault's reserve of 256 KiB is used up or was never made"),
        ]
    }

    /// The clock is compared with times that were written down when it was right.
    static func clock(now: Date, newest: Date?, fileModified: Date?) -> Finding {
        let tolerance = 120.0
        let times = [newest, fileModified].compactMap { $0 }
        guard let latest = times.max(), latest.timeIntervalSince(now) > tolerance else {
            return .ok("clock", "the clock is not behind what the vault has written down")
        }
        return .problem(
            "clock",
            "the clock is behind: the vault was written \(TimeText.distance(to: latest, from: now))",
            hint: "set the clock; tokens are renewed too late by a wrong one"
        )
    }

    static func backups(newest: Date?, now: Date, hasAccounts: Bool) -> Finding {
        let late = 3 * 86_400.0
        guard hasAccounts else { return .ok("backups", "there is nothing to back up") }
        guard let newest else {
            return .warning(
                "backups",
                "there is no backup",
                hint: "a running agent makes one a day; vault backup FILE makes one now"
            )
        }
        let age = TimeText.distance(to: newest, from: now)
        guard now.timeIntervalSince(newest) > late else {
            return .ok("backups", "the newest backup was made \(age)")
        }
        return .warning(
            "backups",
            "the newest backup was made \(age)",
            hint: "vault agent start lets one be made every day"
        )
    }
}
