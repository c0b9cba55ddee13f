import Glibc
import Platform

/// The place where this process kills itself.
final class Death: Sendable {
    private let place: String
    private let left: Locked<Int>

    init?(_ text: String?) {
        guard let words = text?.split(separator: ":"), words.count == 2, let count = Int(words[1])
        else { return nil }
        place = String(words[0])
        left = Locked(count)
    }

    func passed(_ place: String) {
        guard place == self.place else { return }
        let isOver = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isOver { raise(SIGKILL) }
    }
}
