/// Named places in the refresh protocol where a test may stop, delay or kill the process.
public struct FaultPoints: Sendable {
    /// The places, in the order they are passed.
    public enum Place: String, Sendable, CaseIterable {
        /// The intent is durable; nothing has been sent.
        case claimed
        /// The whole answer is here; nothing of it is stored.
        case answered
        /// Right before the pair is stored.
        case installing
        /// The pair is stored; nobody knows yet.
        case installed
    }

    private let action: (@Sendable (Place) async -> Void)?

    /// No faults: what everybody but a test uses.
    public static let none = FaultPoints(action: nil)

    /// Runs an action at each place.
    public init(_ action: @escaping @Sendable (Place) async -> Void) {
        self.init(action: action)
    }

    private init(action: (@Sendable (Place) async -> Void)?) {
        self.action = action
    }

    func reached(_ place: Place) async {
        await action?(place)
    }
}
