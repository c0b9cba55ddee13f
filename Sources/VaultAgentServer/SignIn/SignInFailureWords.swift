internal import VaultKit

/// What the page says where a sign-in did not come about, for whoever was at the browser.
enum SignInFailureWords {
    static func text(_ error: VaultError) -> String {
        switch (error.code, error.facts[.reason]) {
        case (.signInFailed, "refused") where error.facts[.error] == "access_denied":
            "The sign-in was declined, by you or by the service."
        case (.signInFailed, "refused"):
            "The service ended the sign-in with an error."
        case (.signInFailed, "code_refused"), (.clientRefused, _), (.requestRefused, _):
            "You were recognized, but the service then refused to let this program in."
        case (.unreachable, _), (.outcomeUnknown, _):
            "You were recognized, but the service did not answer this program after that."
        case (.throttled, _):
            "You were recognized, but the service wants this program to wait for a while."
        case (.storage, _), (.busy, _), (.notSaved, _), (.locked, _):
            "You were recognized, but the vault could not store what came of it."
        default:
            "Something went wrong after you came back from the service."
        }
    }

    /// What is said to a request that is not the answer, by its status.
    static func text(ignored status: Int) -> String {
        switch status {
        case 400, 403:
            "What arrived here is not the answer to a sign-in that this program waits for. "
                + "Nothing was done with it."
        case 410: "This address works once, and its sign-in has gone on or is over."
        default: "This address waits for a sign-in that was begun in a terminal."
        }
    }
}
