internal import OAuth
internal import VaultAccess

extension ResourceExchange {
    /// Moves the pieces of the request's body to the transport's thread; ends the exchange when they
    /// fail, or are not what was declared.
    func pump(_ pieces: RequestBody.Pieces, length: Int?) async {
        do {
            if try await move(pieces, length: length) { return }
            // From here on no byte leaves that has not left. Pieces that nobody wants may be fewer.
            if upload.stop() { refuse() }
        } catch {
            // What was told to stop may well throw.
            if !upload.isStopped { breakOff(error) }
        }
    }

    /// Whether the pieces were as declared, as far as they were wanted.
    ///
    /// The piece that makes up the declared length waits for the end behind it: were there more, the
    /// server would take a part of the body for the whole.
    private func move(_ pieces: RequestBody.Pieces, length: Int?) async throws -> Bool {
        var count = 0
        var last: [UInt8] = []
        for try await piece in pieces where !piece.isEmpty {
            guard piece.count <= (length ?? .max) - count else { return false }
            count += piece.count
            if count == length {
                last = piece
            } else if await !give(piece, isLast: false) {
                return true
            }
        }
        guard count == length ?? count else { return false }
        _ = await give(last, isLast: true)
        return true
    }

    private func give(_ piece: [UInt8], isLast: Bool) async -> Bool {
        guard let isAwaited = await upload.put(piece, isLast: isLast) else { return false }
        if isAwaited { tellThread() }
        return true
    }
}
