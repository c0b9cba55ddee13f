import VaultCrypto
import VaultKit

/// What hits are held against: as many tokens in the standard library's dictionary, with no lock, no
/// clock and no question whether they are still good.
///
/// What that takes longer with very many of them is the way to memory.
final class TokenDictionary {
    private var tokens: [AccountName: AccessToken] = [:]

    /// Takes in a copy of a token, at a place of memory of its own.
    func add(_ token: AccessToken) {
        tokens[token.account] = AccessToken(
            account: token.account,
            value: token.value.reveal { Secret($0) },
            tokenType: token.tokenType,
            expiry: token.expiry,
            generation: token.generation
        )
    }

    @inline(never)
    func token(of account: AccountName) -> AccessToken? { tokens[account] }
}
