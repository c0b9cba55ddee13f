/// What people type and keep, each different, with letters that encodings change.
enum TourSecrets {
    static let first = #"CANARYp4ss "first"/é+"#
    static let second = #"CANARYp4ss "second"/é+"#
    static let third = #"CANARYp4ss "third"/é+"#
    static let wrong = #"CANARYp4ss "wrong"/é+"#
    static let export = #"CANARYp4ss "export"/é+"#

    /// What they have in common is there, in every form, where one of them is.
    static let canary = Canary("passphrase", "CANARYp4ss")

    /// The recovery keys that were shown, whose place that was.
    static func recoveryKeys(in history: [Ended]) -> [String] {
        history.filter { ended in
            ended.code == 0 && ["init", "key"].contains(ended.words.first)
                && !ended.words.contains("list") && !ended.stdout.isEmpty
        }.map(\.word)
    }

    static func canaries(ofRecoveryKey text: String) -> [Canary] {
        [text, text.replacing("-", with: "")].map { Canary("recovery key", $0) }
    }
}
