/// An https address with names in braces, which stand for what an account's person tells: a tenant,
/// a shop, a host.
///
/// What is told never leads elsewhere: it may be a host as a whole, one label of a host or one part of
/// a path, by its place, and the host that comes out must be one of the provider's.
package struct EndpointTemplate: Sendable, Hashable {
    /// As it was written.
    package let text: String
    private let parts: [Part]

    fileprivate enum Part: Sendable, Hashable {
        case text(String)
        case name(String, Place)
    }

    fileprivate enum Place: Sendable, Hashable {
        case wholeHost
        case label
        case segment
    }

    /// A template from its text; without names in braces it may be any address for credentials.
    package init(_ text: String) throws(EndpointURLError) {
        guard let start = text.firstRange(of: "://")?.upperBound, text.contains("{") else {
            _ = try EndpointURL(text)
            parts = [.text(text)]
            self.text = text
            return
        }
        let hostEnd = text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
        var (parts, sample, rest): ([Part], String, Substring) = ([], "", text[...])
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else { throw .forbiddenCharacter }
            let name = rest[rest.index(after: open)..<close]
            guard name.wholeMatch(of: /[a-z][a-z_]{0,31}/) != nil else { throw .forbiddenCharacter }
            let after = text.index(after: close)
            let place: Place =
                open >= hostEnd ? .segment : open == start && after == hostEnd ? .wholeHost : .label
            parts += [.text(String(rest[..<open])), .name(String(name), place)]
            sample += rest[..<open] + "x"
            rest = text[after...]
        }
        // Http is for this machine, which nobody names by a tenant.
        guard text.hasPrefix("https://") else { throw .insecure }
        let url = try EndpointURL(sample + rest)
        guard url.query == nil else { throw .forbiddenCharacter }
        self.parts = parts + [.text(String(rest))]
        self.text = text
    }

    /// The names in it, in their order.
    package var names: [String] {
        parts.compactMap { part in
            guard case .name(let name, _) = part else { return nil }
            return name
        }
    }

    /// The address, where no name is in it.
    package var url: EndpointURL? { names.isEmpty ? EndpointURL(unchecked: text) : nil }

    /// The host, where no name is in that.
    package var fixedHost: String? { hasNameInHost ? nil : sample.host }

    /// Whether the host depends on what is told.
    package var hasNameInHost: Bool { places.contains { $0 != .segment } }

    /// Whether a part of the host does: then only a list of hosts says which are the provider's.
    package var hasLabel: Bool { places.contains(.label) }

    private var places: [Place] {
        parts.compactMap { part in
            guard case .name(_, let place) = part else { return nil }
            return place
        }
    }

    private var sample: EndpointURL {
        EndpointURL(
            unchecked: parts.map { part in
                guard case .text(let text) = part else { return "x" }
                return text
            }.joined()
        )
    }
}

// MARK: - Filling in

extension EndpointTemplate {
    /// The address with what was told in place of its names.
    ///
    /// - Parameters:
    ///   - values: What was told, by name.
    ///   - hosts: The provider's, `*.` for any name below; empty for any.
    /// - Returns: The same without names in braces.
    /// - Throws: ``ProviderParameterError``
    package func filled(
        _ values: [String: String],
        hosts: [String]
    ) throws(ProviderParameterError) -> EndpointTemplate {
        var text = ""
        var hostName: String?
        var isOneLabel = true
        for part in parts {
            switch part {
            case .text(let fixed): text += fixed
            case .name(let name, let place):
                guard let value = values[name] else { throw .missing(name) }
                guard place.takes(value) else { throw .malformed(name) }
                if place != .segment { hostName = name }
                // Whoever tells a whole name where one label belongs would be led to another host.
                if place == .label, value.contains(".") { isOneLabel = false }
                text += place == .segment ? value : value.lowercased()
            }
        }
        guard let template = try? EndpointTemplate(text), let url = template.url else {
            throw .malformed(hostName ?? names[0])
        }
        if let hostName, !hosts.isEmpty || hasLabel {
            let isListed = hosts.contains { known in
                isOneLabel && known.hasPrefix("*.")
                    ? url.host.hasSuffix(known.dropFirst()) : url.host == known
            }
            guard isListed else { throw .foreignHost(hostName, url.host) }
        }
        return template
    }
}

extension EndpointTemplate.Place {
    fileprivate func takes(_ value: String) -> Bool {
        switch self {
        case .wholeHost:
            guard let url = try? EndpointURL("https://\(value)/"), url.path == "/" else {
                return false
            }
            // Nothing but a host and perhaps its port was in it.
            return value.wholeMatch(of: /[A-Za-z0-9.-]+(:[0-9]+)?/) != nil
        case .label:
            return value.wholeMatch(of: /[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?/) != nil
        case .segment:
            return value.wholeMatch(of: /[A-Za-z0-9._~-]{1,128}/) != nil
                && value.contains { $0 != "." }
        }
    }
}

/// What is wrong with what a person told of a provider.
package enum ProviderParameterError: Error, Sendable, Hashable {
    /// A name that the provider needs is not told.
    case missing(String)
    /// A name that the provider has not.
    case unknown(String)
    /// What was told is no host, label or part of a path.
    case malformed(String)
    /// The host that comes out is not one of the provider's.
    case foreignHost(String, String)
}
