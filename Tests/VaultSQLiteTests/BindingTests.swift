internal import Glibc
import Testing
import VaultSQLite

@Suite struct BindingTests {
    @Test(arguments: [0, 1, -1, .min, .max, nil] as [Int64?])
    func integersComeBack(_ value: Int64?) throws {
        var select = try Connection.inMemory().prepare("SELECT ?1")
        select.bind(value, at: 1)
        #expect(try select.step())
        #expect(select.optionalInteger(at: 0) == value)
        #expect(select.isNull(at: 0) == (value == nil))
    }

    @Test(arguments: ["", "a", "é€😀", "with \0 inside", nil] as [String?])
    func textComesBack(_ value: String?) throws {
        var select = try Connection.inMemory().prepare("SELECT ?1, typeof(?1)")
        select.bind(value, at: 1)
        #expect(try select.step())
        #expect(select.optionalText(at: 0) == value)
        #expect(select.text(at: 0) == value ?? "")
        #expect(select.text(at: 1) == (value == nil ? "null" : "text"))
    }

    @Test(arguments: [[], [0], [UInt8](0...255), nil] as [[UInt8]?])
    func blobsComeBack(_ value: [UInt8]?) throws {
        var select = try Connection.inMemory().prepare("SELECT ?1, typeof(?1)")
        select.bind(value, at: 1)
        #expect(try select.step())
        #expect(select.optionalBlob(at: 0) == value)
        #expect(select.text(at: 1) == (value == nil ? "null" : "blob"))
    }

    @Test func textThatIsNotUTF8IsReplacedAndDoesNotTrap() throws {
        var select = try Connection.inMemory().prepare("SELECT CAST(x'61ff62' AS TEXT)")
        #expect(try select.step())
        #expect(select.text(at: 0) == "a\u{fffd}b")
    }

    @Test(arguments: [-1, 0, 2] as [Int32])
    func aWrongIndexTraps(_ index: Int32) async {
        await #expect(processExitsWith: .failure) { [index = index as Int32] in
            var select = try Connection.inMemory().prepare("SELECT ?1")
            select.bind(1, at: index)
        }
    }

    @Test(arguments: ["integer", "text", "blob", "null"])
    func everyKindOfValueTrapsOnAWrongIndex(_ kind: String) async {
        await #expect(processExitsWith: .failure) { [kind = kind as String] in
            var select = try Connection.inMemory().prepare("SELECT ?1")
            switch kind {
            case "integer": select.bind(1, at: 2)
            case "text": select.bind("a", at: 2)
            case "blob": select.bind([1], at: 2)
            default: select.bind(nil as String?, at: 2)
            }
        }
    }

    @Test func bindingInTheMiddleOfTheRowsTraps() async {
        await #expect(processExitsWith: .failure) {
            var select = try Connection.inMemory().prepare("SELECT ?1")
            guard try select.step() else { exit(EXIT_SUCCESS) }
            select.bind(1, at: 1)
        }
    }
}
