internal import VaultCrypto

/// A device code that was given out (RFC 8628 §3.2).
struct DeviceRequest: Sendable {
    /// What the resource owner made of it.
    enum Decision: Sendable {
        case approved(subject: String)
        case denied
    }

    let client: String
    let scope: String
    let userCode: String
    let end: Double
    /// Seconds there have to be between polls.
    var interval: Double
    var polled: Double?
    var decision: Decision?
}

extension Ledger {
    /// RFC 8628 §3.5.
    private static let slowDown = 5.0

    /// A device code and its user code.
    mutating func makeDeviceCode(
        client: String,
        scope: String,
        lifetime: Double,
        interval: Double,
        now: Double
    ) -> (deviceCode: Secret, userCode: String) {
        let deviceCode = mint.code()
        let userCode = "USER-\(devices.count + 1)"
        devices[deviceCode] = DeviceRequest(
            client: client,
            scope: scope,
            userCode: userCode,
            end: now + lifetime,
            interval: interval
        )
        return (deviceCode, userCode)
    }

    /// Decides about the device that shows a user code; false for one that no device shows.
    mutating func decide(_ decision: DeviceRequest.Decision, userCode: String) -> Bool {
        guard let code = devices.first(where: { $0.value.userCode == userCode })?.key else {
            return false
        }
        devices[code]?.decision = decision
        return true
    }

    /// What a poll gets (RFC 8628 §3.5); a device code gives tokens once.
    mutating func poll(
        _ code: Secret,
        client: String,
        now: Double
    ) throws(LedgerRefusal) -> TokenPair {
        guard let device = devices[code], device.client == client else { throw .invalidGrant }
        guard now < device.end else { throw .expiredToken }
        switch device.decision {
        case .approved(let subject):
            devices[code] = nil
            return issue(subject: subject, client: client, scope: device.scope, now: now)
        case .denied: throw .accessDenied
        case nil: break
        }
        devices[code]?.polled = now
        // A poll that comes a moment early was sent in time.
        if let polled = device.polled, now - polled < device.interval - 0.2 {
            devices[code]?.interval += Self.slowDown
            throw .slowDown
        }
        throw .authorizationPending
    }
}
