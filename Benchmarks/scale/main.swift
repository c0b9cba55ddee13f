import Platform

// A vault with very many accounts: `scale fill DIRECTORY ACCOUNTS PORT RATE DELAY` makes one whose
// accounts fall due RATE a second, from DELAY seconds after now on, at a token endpoint on PORT;
// `scale sample DIRECTORY ACCOUNTS SAMPLES` prints number and access token's generation of some.

let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.dropFirst(2).compactMap { Double($0) }
switch (arguments.first, numbers.count) {
case ("fill", 4):
    let plan = ScaleVault.Plan(
        count: Int(numbers[0]),
        port: Int(numbers[1]),
        rate: numbers[2],
        delay: numbers[3]
    )
    try ScaleVault(directory: arguments[1]).fill(plan)
case ("sample", 2):
    try ScaleVault(directory: arguments[1]).sample(Int(numbers[1]), of: Int(numbers[0]))
default:
    fatalError(
        "usage: scale fill DIRECTORY ACCOUNTS PORT RATE DELAY | sample DIRECTORY ACCOUNTS SAMPLES"
    )
}
