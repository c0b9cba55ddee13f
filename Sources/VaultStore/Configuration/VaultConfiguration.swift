package import OAuth
internal import Platform
internal import VaultAccess

/// What a person decided for a vault: `config.json` in its directory, all of it or nothing.
///
/// A member that is mistyped would be a wish that nothing follows: an unknown one is an error, with
/// its line.
package struct VaultConfiguration: Sendable, Equatable {
    /// The program that is told of events, by its absolute path.
    package var onEvent: String?
    /// Limits of requests by host, as an endpoint's URL names it.
    package var limits: [String: RequestLimit] = [:]
    /// What new accounts begin with.
    package var defaults = AccountDefaults()

    /// The line that names the program.
    private var onEventLine = 1

    package init() {}

    /// Reads the text of one.
    package init(_ text: [UInt8]) throws(ConfigurationProblem) {
        var members = try ConfigurationMembers(LocatedJSON.read(text))
        if let found = members.take("on_event") {
            onEvent = try found.text("an absolute path", where: Self.isAbsolutePath)
            onEventLine = found.value.line
        }
        if let found = members.take("limits") { limits = try Self.limits(found.members()) }
        if let found = members.take("defaults") {
            defaults = try AccountDefaults(found.members())
        }
        try members.finish()
    }

    private static func limits(
        _ members: ConfigurationMembers
    ) throws(ConfigurationProblem) -> [String: RequestLimit] {
        var members = members
        var limits: [String: RequestLimit] = [:]
        for (host, line, found) in members.takeAll() {
            // As the requests name it, or the limit would apply to none.
            guard let url = try? EndpointURL("https://\(host)/"), url.host == host else {
                throw ConfigurationProblem(
                    line: line,
                    .unfit(found.name, wanted: "a host name in small letters, without a port")
                )
            }
            var parts = try found.members()
            limits[host] = RequestLimit(
                requests: try parts.require("requests").whole(in: 1...1_000_000),
                seconds: try parts.require("seconds").number(in: 0.001...86_400)
            )
            try parts.finish()
        }
        return limits
    }

    private static func isAbsolutePath(_ text: String) -> Bool {
        text.hasPrefix("/") && !text.utf8.contains(0) && text.utf8.count < 4096
            && !text.split(separator: "/").contains { $0 == ".." || $0 == "." }
    }

    // MARK: - The file

    /// A larger one was not written by hand.
    private static let limit = 64 << 10

    /// Reads that of a vault; one that has none has decided nothing.
    ///
    /// - Throws: `VaultError` of what is wrong with the file, with what is in it, or with the program
    ///   and the certificates that it names.
    package static func read(_ location: VaultLocation) throws -> VaultConfiguration {
        let path = location.configuration
        do {
            let file = try OpenFile(reading: path, followingLinks: false)
            try FilePermissions.checkFile(path, file.status)
            let text = try file.read(limit: limit + 1)
            guard text.count <= limit else {
                throw ConfigurationProblem(line: 1, .tooLarge(limit: limit))
            }
            var configuration = try VaultConfiguration(text)
            try configuration.checkProgram()
            try configuration.defaults.readFiles()
            return configuration
        } catch let problem as ConfigurationProblem {
            throw problem.error(path: path)
        } catch let error as SystemError where error == .notFound {
            return VaultConfiguration()
        } catch let error as SystemError where error == .tooManyLinks {
            throw PermissionProblem(path: path, found: .symbolicLink)
        } catch let error as SystemError {
            throw StoreError.file(path: path, error)
        }
    }

    /// The program runs as this user, at times when nobody looks.
    private func checkProgram() throws {
        guard let onEvent else { return }
        do {
            try FilePermissions.checkProgram(onEvent)
        } catch is SystemError {
            throw ConfigurationProblem(
                line: onEventLine,
                .unfit("on_event", wanted: "the path of a program")
            )
        }
        guard FileSystem.isProgram(onEvent) else {
            throw ConfigurationProblem(
                line: onEventLine,
                .unfit("on_event", wanted: "the path of a program")
            )
        }
    }
}
