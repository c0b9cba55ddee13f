/// What the refreshes of one account have of their own.
public struct RefreshOptions: Sendable, Hashable {
    /// The catalogue's name of the provider, whose quirks apply; nil for none.
    public var provider: String?
    /// What the server does with used refresh tokens, where somebody told.
    public var rotation: RefreshTokenRotation?
    /// Parameters added to each refresh, or put in the place of those of the same name.
    public var parameters: [RequestParameter]
    /// Whether the scope asked for is named in each refresh (RFC 6749 §6 leaves it out).
    public var sendsScope: Bool
    /// Where refreshes go, if not to the token endpoint.
    public var endpoint: EndpointURL?

    /// Options; without any a refresh is what RFC 6749 §6 has.
    public init(
        provider: String? = nil,
        rotation: RefreshTokenRotation? = nil,
        parameters: [RequestParameter] = [],
        sendsScope: Bool = false,
        endpoint: EndpointURL? = nil
    ) {
        self.provider = provider
        self.rotation = rotation
        self.parameters = parameters
        self.sendsScope = sendsScope
        self.endpoint = endpoint
    }
}
