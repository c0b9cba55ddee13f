internal import VaultStore

/// Checks of the accounts.
enum AccountChecks {
    /// An account as the doctor knows it.
    struct Patient: Sendable {
        let name: String
        let state: AccountState
        /// Whether there is a refresh token; nil when that cannot be seen.
        let isRenewable: Bool?
    }

    static func accounts(_ patients: [Patient], isVerified: Bool) -> [Finding] {
        let findings = patients.compactMap { finding(on: $0) }
        let healthy = patients.count - Set(findings.map(\.text)).count
        var all = findings
        if patients.isEmpty {
            all.append(.ok("accounts", "there are none yet"))
        } else if healthy > 0 {
            all.append(.ok("accounts", "\(healthy) of \(patients.count) are well"))
        }
        guard !isVerified else { return all }
        return all + [
            .warning(
                "accounts",
                "the vault is locked: what is said of accounts is not verified",
                hint: "vault unlock, then vault doctor"
            )
        ]
    }

    private static func finding(on patient: Patient) -> Finding? {
        let name = patient.name
        let text = { (words: String) in "account \(name) \(words)" }
        return switch patient.state {
        case .signInNeeded:
            .problem("accounts", text("needs a new sign-in"), hint: "vault login \(name)")
        case .notSaved:
            .problem(
                "accounts",
                text("was refreshed, and the new token could not be saved yet"),
                hint: "make room on the disk; the agent keeps the token and tries again"
            )
        case .clientRefused:
            .problem(
                "accounts",
                text("is not refreshed: the server refuses its client"),
                hint: "vault client set ID gives its client a new secret (vault client list)"
            )
        case .verifyBeforeUse:
            .warning(
                "accounts",
                text("came back from an old copy: its refresh token may be spent"),
                hint: "vault refresh \(name) tries it, vault login \(name) signs in anew"
            )
        case .outcomeUnknown:
            .warning(
                "accounts",
                text("was being refreshed, and the answer was lost"),
                hint: "vault refresh \(name)"
            )
        case .paused:
            .warning(
                "accounts",
                text("is paused: it was moved to another vault"),
                hint: "vault import takes it back, vault login \(name) signs in anew"
            )
        case .backingOff:
            .warning(
                "accounts",
                text("cannot be refreshed for the moment, and is tried again"),
                hint: "vault status \(name)"
            )
        case .active where patient.isRenewable == false:
            .warning(
                "accounts",
                text("cannot be renewed: it has no refresh token"),
                hint: "vault login \(name) (many servers want the scope offline_access)"
            )
        case .active, .static: nil
        }
    }

    /// What opening every record came to.
    static func records(_ report: VerificationReport) -> Finding {
        guard report.isRestorable else {
            return .problem(
                "records",
                "\(report.findings.count) parts of the file are damaged or were tampered with"
                    + names(in: report),
                hint: "vault verify says which; vault restore FILE brings a backup back",
                .damaged
            )
        }
        guard !report.findings.contains(where: \.isOfTagHints) else {
            return .warning(
                "records",
                "hints of tags are wrong: vault list --tag may miss accounts" + names(in: report),
                hint: VerificationReport.tagHintMending
            )
        }
        if let rows = report.findings.first(where: \.isOfLog) {
            return .warning("records", rows.words, hint: "vault log --all marks them")
        }
        guard report.wasUnlocked else {
            return .ok("records", "the file is whole; locked, its records were not opened")
        }
        return .ok("records", "all \(report.records) sealed records open")
    }

    /// The accounts that something was found of.
    private static func names(in report: VerificationReport) -> String {
        let names = report.findings.compactMap { finding -> String? in
            guard case .account(let name) = finding.part else { return nil }
            return name
        }
        let list = Set(names).sorted().joined(separator: ", ")
        return list.isEmpty ? "" : " (accounts: \(list))"
    }
}
