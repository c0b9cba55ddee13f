internal import VaultStore

/// Tokens by account and request.
///
/// Open addressing over one array: with very many accounts each piece of memory comes from afar, and this
/// needs a small slot, the entry and the token. The entries of one account follow upon one another.
struct TokenTable {
    private struct Slot {
        var hash = 0
        var entry: TokenCache.Entry?
    }

    /// A power of two, at most half of them taken.
    private var slots: [Slot]
    private(set) var count = 0

    /// A table that takes so many without growing.
    init(capacity: Int = 0) {
        var size = 8
        while size < capacity * 2 { size *= 2 }
        slots = Array(repeating: Slot(), count: size)
    }

    func entry(
        of account: AccountName,
        _ hash: Int,
        for request: AccessTokenRequest?
    ) -> TokenCache.Entry? {
        index(of: account, hash) { $0.request == request }.flatMap { slots[$0].entry }
    }

    /// The entries of an account.
    func entries(of account: AccountName, _ hash: Int) -> [TokenCache.Entry] {
        var entries: [TokenCache.Entry] = []
        _ = index(of: account, hash) { entry in
            entries.append(entry)
            return false
        }
        return entries
    }

    /// Takes in an entry, in the place of the one that was asked for alike.
    mutating func insert(_ entry: TokenCache.Entry, _ hash: Int) {
        if let index = index(of: entry.token.account, hash, where: { $0.request == entry.request })
        {
            slots[index].entry = entry
            return
        }
        if (count + 1) * 2 > slots.count { grow() }
        place(Slot(hash: hash, entry: entry))
        count += 1
    }

    /// Removes the entries of an account that the closure names.
    mutating func remove(
        _ account: AccountName,
        _ hash: Int,
        where isGone: (TokenCache.Entry) -> Bool
    ) {
        while let index = index(of: account, hash, where: isGone) { remove(at: index) }
    }

    private func index(
        of account: AccountName,
        _ hash: Int,
        where isWanted: (TokenCache.Entry) -> Bool
    ) -> Int? {
        var index = hash & (slots.count - 1)
        while let entry = slots[index].entry {
            if slots[index].hash == hash, entry.token.account == account, isWanted(entry) {
                return index
            }
            index = next(index)
        }
        return nil
    }

    private mutating func place(_ slot: Slot) {
        var index = slot.hash & (slots.count - 1)
        while slots[index].entry != nil { index = next(index) }
        slots[index] = slot
    }

    /// Empties a slot, and moves up whatever was only behind it because it was taken.
    private mutating func remove(at index: Int) {
        count -= 1
        slots[index] = Slot()
        var index = next(index)
        while slots[index].entry != nil {
            let slot = slots[index]
            slots[index] = Slot()
            place(slot)
            index = next(index)
        }
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(), count: old.count * 2)
        for slot in old where slot.entry != nil { place(slot) }
    }

    private func next(_ index: Int) -> Int { (index + 1) & (slots.count - 1) }
}
