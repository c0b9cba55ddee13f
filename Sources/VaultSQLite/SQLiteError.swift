internal import CSQLite
package import Platform

/// A result code of SQLite (https://www.sqlite.org/rescode.html), always the extended one.
package struct ResultCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The code without its extension.
    package var primary: ResultCode { ResultCode(rawValue: rawValue & 0xff) }

    package static let busy = ResultCode(rawValue: SQLITE_BUSY)
    package static let full = ResultCode(rawValue: SQLITE_FULL)
    package static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
    package static let inputOutput = ResultCode(rawValue: SQLITE_IOERR)
    package static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
    package static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
    package static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
    package static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
    package static let outOfMemory = ResultCode(rawValue: SQLITE_NOMEM)
    package static let schema = ResultCode(rawValue: SQLITE_SCHEMA)

    static let error = ResultCode(rawValue: SQLITE_ERROR)
    static let ok = ResultCode(rawValue: SQLITE_OK)
    static let row = ResultCode(rawValue: SQLITE_ROW)
    static let done = ResultCode(rawValue: SQLITE_DONE)
}

/// A call of SQLite that failed.
///
/// Statements only ever have placeholders, so neither the text nor the message carries a value.
package struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    package let code: ResultCode
    /// SQLite's words for what went wrong.
    package let message: String
    /// The statement, where there was one.
    package let sql: String?
    /// The error of the operating system behind it; its number is 0 where there was none.
    package let systemError: SystemError

    package init(
        code: ResultCode,
        message: String,
        sql: String?,
        systemError: SystemError = SystemError(number: 0)
    ) {
        self.code = code
        self.message = message
        self.sql = sql
        self.systemError = systemError
    }

    /// Without a connection there is only the code's own text.
    init(code: ResultCode, sql: String? = nil) {
        self.init(code: code, message: String(cString: sqlite3_errstr(code.rawValue)), sql: sql)
    }

    package var description: String { "SQLite error \(code.rawValue): \(message)" }

    /// Whether the disk is full, or the user's part of it.
    package var isFullDisk: Bool {
        code.primary == .full || [.noSpace, .overQuota].contains(systemError)
    }

    /// Whether what was read may read well the next time: an I/O error, or content that makes no
    /// sense, which one bad read looks like too.
    package var isDoubtfulRead: Bool {
        [.inputOutput, .corrupt, .notADatabase].contains(code.primary)
    }
}

/// An error of COMMIT itself: the transaction may be there or not.
///
/// It is decided when the journal's end reaches the disk, and an error there says neither whether
/// it did nor whether it will. The connection that met it must not be asked.
package struct UnknownCommit: Error, Sendable {
    package let cause: SQLiteError
}
