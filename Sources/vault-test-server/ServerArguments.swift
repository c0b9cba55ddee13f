import VaultTesting

/// The program's arguments: pairs of a flag and its value.
enum ServerArguments {
    static let usage = """
        usage: vault-test-server [--port N] [--lifetime SECONDS] [--hold-ms N] [--client ID]
                                 [--profile none|strict|grace:SECONDS|grace-once:SECONDS|ack-on-use]
                                 [--token-prefix TEXT] [--device-interval SECONDS]
                                 [--device-lifetime SECONDS]
                                 [--registration nobody|anybody|confidential]

        """

    /// The settings they ask for, nothing when one of them cannot be read.
    static func settings(_ arguments: ArraySlice<String>) -> TestAuthorizationServer.Settings? {
        var settings = TestAuthorizationServer.Settings()
        var rest = arguments
        while let flag = rest.popFirst() {
            guard let value = rest.popFirst(), apply(flag, value, to: &settings) else { return nil }
        }
        return settings
    }

    private static func apply(
        _ flag: String,
        _ value: String,
        to settings: inout TestAuthorizationServer.Settings
    ) -> Bool {
        switch flag {
        case "--port":
            guard let port = UInt16(value) else { return false }
            settings.port = port
        case "--lifetime":
            guard let seconds = Double(value), seconds >= 0 else { return false }
            settings.accessTokenLifetime = seconds
        case "--hold-ms":
            guard let milliseconds = Double(value), milliseconds >= 0 else { return false }
            settings.standing = .delayAfterCommit(seconds: milliseconds / 1000)
        case "--profile":
            guard let profile = RotationProfile(value) else { return false }
            settings.profile = profile
        case "--client":
            settings.clients.append(.init(value))
        case "--device-interval":
            guard let seconds = Double(value), seconds >= 0 else { return false }
            settings.deviceInterval = seconds
        case "--device-lifetime":
            guard let seconds = Double(value), seconds >= 0 else { return false }
            settings.deviceCodeLifetime = seconds
        case "--registration":
            guard let registration = TestAuthorizationServer.Registration(rawValue: value) else {
                return false
            }
            settings.registration = registration
        case "--token-prefix":
            settings.tokenPrefix = value
        default:
            return false
        }
        return true
    }
}
