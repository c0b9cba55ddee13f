internal import CPlatform

/// The terminal that this process was started from, wherever its standard descriptors lead.
package enum ControllingTerminal {
    /// Whether there is one.
    package static var isThere: Bool { cplatform_has_terminal() == 1 }

    /// Asks for one line, and returns its bytes without the line feed; the caller wipes them.
    ///
    /// What is typed does not show when the line is hidden. SIGINT, SIGTERM and their like take
    /// their usual effect once the terminal is as it was; after Ctrl-Z and `fg` it asks again.
    ///
    /// - Throws: `noTerminal`; `inputEnded`; `lineTooLong`; another error of the terminal.
    package static func ask(
        _ prompt: String,
        isHidden: Bool,
        limit: Int
    ) throws(SystemError) -> [UInt8] {
        // One allocation: growing would leave copies of a secret behind.
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = Int(
            try SystemError.check(
                cplatform_ask_terminal(prompt, isHidden ? 1 : 0, &bytes, UInt32(limit))
            )
        )
        bytes.removeLast(limit - count)
        return bytes
    }
}

extension Descriptor {
    /// Whether a descriptor is a terminal.
    package static func isTerminal(_ descriptor: Int32) -> Bool {
        cplatform_is_terminal(descriptor) == 1
    }
}
