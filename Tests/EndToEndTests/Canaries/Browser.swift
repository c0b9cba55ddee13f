import Glibc

/// A program in the place of xdg-open that writes down how it was started, and then is the browser.
///
/// The place is fixed, so it takes a mount namespace, and that takes root.
struct Browser {
    private let stage: Stage
    private let directory: String
    private let program: String

    init(_ stage: Stage) throws {
        self.stage = stage
        directory = "\(stage.notes)browser"
        mkdir(directory, 0o700)
        program = "\(directory)/xdg-open"
        let script = """
            #!/bin/sh
            cat "/proc/$$/cmdline" >'\(directory)/arguments'
            cat "/proc/$$/environ" >'\(directory)/environment'
            exec curl -fsSL --max-time 30 -o '\(directory)/page' "$1"

            """
        try Files.write(script, to: program)
        chmod(program, 0o700)
    }

    /// Starts a program where that is the person's opener.
    func launch(_ words: [String]) throws -> Launch {
        let line = """
            mount -t tmpfs none /usr/local/bin && cp "$1" /usr/local/bin/xdg-open || exit 99
            [ ! -e /usr/bin/xdg-open ] || mount --bind "$1" /usr/bin/xdg-open || exit 99
            shift; exec "$@"
            """
        var launch = stage.launch(
            try Programs.system("unshare"),
            ["--mount", "sh", "-c", line, "sh", program] + words
        )
        launch.environment["DISPLAY"] = ":0"
        return launch
    }

    func wasOpened() throws -> Bool {
        try Files.names(in: directory).contains("arguments")
    }

    /// What it was told, and what it saw.
    func leaks(_ search: LeakSearch) throws -> [Leak] {
        try search.leaks(.argument, Files.read("\(directory)/arguments"), at: "browser")
            + search.leaks(.environment, Files.read("\(directory)/environment"), at: "browser")
    }
}
