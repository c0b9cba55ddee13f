internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultAgentClient
internal import VaultKit

/// What a person sees of a sign-in: what to do, and how far it is.
final class SignInScreen: Sendable {
    private let signIn: SignInDocument
    private let terminal: Terminal
    private let clock: any VaultClock
    /// Whether somebody looks at it, and a line can be written anew.
    let isLive: Bool

    private struct State {
        var notice: SignInDocument.Notice?
        /// What stands in the last line, which is written anew.
        var line = ""
        /// A question stands in the last line.
        var isAsked = false
    }

    private let state = Locked(State())

    init(_ signIn: SignInDocument, _ context: CommandContext) {
        self.signIn = signIn
        terminal = context.terminal
        clock = context.clock
        isLive = TextStyle.of(2).isTerminal && Environment["TERM"].map { $0 != "dumb" } ?? false
    }

    /// Says what the person is to do; whether a browser was opened for them.
    func begin(opensBrowser: Bool) -> Bool {
        if let device = signIn.device { say(device) }
        guard let address = signIn.authorizationURL else { return false }
        let isOpened = opensBrowser && signIn.startURL.map { BrowserLauncher.open($0) } ?? false
        if isOpened {
            terminal.words("go on in the browser; if none opened, this is the address:")
        } else if opensBrowser, signIn.startURL != nil {
            terminal.words("open this address in a browser on this machine:")
        } else {
            terminal.words("open this address in a browser, on this machine or another:")
        }
        terminal.words(address)
        tick()
        return isOpened
    }

    private func say(_ device: SignInDocument.Device) {
        let place = EndpointURL(unchecked: device.verificationURI)
        terminal.words("open this address on any device and type the code \(device.userCode):")
        terminal.words(place.string)
        if let complete = device.verificationURIComplete {
            terminal.words("this one has the code in it: \(complete)")
        }
        draw(device)
        terminal.words(
            "the code \(device.userCode) is for \(place.host), and for nobody who asks you for it"
        )
        // The person is about to sign in there.
        if !place.isSameSite(as: EndpointURL(unchecked: signIn.issuer)) {
            terminal.warning(
                "\(place.host) is no host of the issuer \(signIn.issuer): go on only if you know it"
            )
        }
        tick()
    }

    /// Lines that stand below a drawn code: for whom it is, a warning of two lines, the time left.
    private static let linesBelow = 4

    /// Draws the address for a device with a camera; the code to type stays on the screen, to be
    /// compared (RFC 8628 §3.3.1).
    private func draw(_ device: SignInDocument.Device) {
        guard isLive, let rows = device.qrCode,
            let code = QRCodeText(rows, style: .of(2), linesBelow: Self.linesBelow)
        else { return }
        terminal.words("or point its camera here, and compare the code:")
        try? Descriptor.write(code.lines.joined(separator: "\n") + "\n", to: 2)
    }

    /// Asks for the address that the browser ended on, or the code that its page shows.
    func ask() {
        end()
        state.withLock { $0.isAsked = true }
        let wanted =
            signIn.takesCode ?? false
            ? "paste the code that the page shows, or the page's whole address,"
            : "does the browser end on a page that it cannot open, paste its whole address here"
        terminal.words("\(wanted) and press Enter (it does not show):")
    }

    // MARK: - How far it is

    /// Shows what the agent says of it.
    func show(_ now: SignInDocument) {
        let isNews = state.withLock { state in
            defer { state.notice = now.notice }
            return state.notice != now.notice
        }
        guard now.state == .waiting else { return end() }
        if isLive { return tick() }
        if isNews, let words = Self.words(now.notice) { terminal.words(words) }
    }

    /// Writes the last line anew; a device's code has a time that runs out.
    @Sendable
    func tick() {
        guard isLive else { return }
        let line = state.withLock { state -> String? in
            guard !state.isAsked else { return nil }
            let line = [left ?? waiting, Self.words(state.notice)]
                .compactMap { $0 }.joined(separator: "; ")
            defer { state.line = line }
            return line == state.line ? nil : line
        }
        if let line { try? Descriptor.write("\r\u{1b}[Kvault: \(line)", to: 2) }
    }

    private var waiting: String {
        signIn.authorizationURL == nil ? "asking for a token" : "waiting for the browser"
    }

    private var left: String? {
        guard let device = signIn.device else { return nil }
        let seconds = max(0, Int(device.expiresAt.timeIntervalSince(clock.now().wall)))
        return "waiting for your approval, for \(seconds / 60) min \(seconds % 60) s more"
    }

    /// Takes away the line that is written anew.
    func end() {
        let wasThere = state.withLock { state in
            defer { state.line = "" }
            return !state.line.isEmpty
        }
        if wasThere { try? Descriptor.write("\r\u{1b}[K", to: 2) }
    }

    private static func words(_ notice: SignInDocument.Notice?) -> String? {
        switch notice {
        case nil: nil
        case .exchanging: "fetching the tokens"
        case .unreachable: "the server does not answer, and is asked again"
        case .slowedDown: "the server asked for longer pauses"
        }
    }
}
