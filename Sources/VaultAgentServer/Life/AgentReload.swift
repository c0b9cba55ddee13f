internal import Platform
internal import VaultKit
internal import VaultStore

/// Reads the configuration again when it is asked to; of a wrong one nothing is taken.
struct AgentReload: Sendable {
    let service: AgentService
    let notifier: ServiceNotifier
    let log: AgentLog

    func run(_ requests: AsyncStream<Void>) async {
        for await _ in requests {
            notifier.reloading()
            let status = reload()
            notifier.ready(status ?? Readiness.status(isLocked: service.vault.lockReason != nil))
        }
    }

    /// What is wrong, if anything.
    private func reload() -> String? {
        do {
            service.configure(try VaultConfiguration.read(service.vault.location))
            log.write("reloaded")
            return nil
        } catch {
            let error = VaultError(error)
            var facts = ["code": error.code.rawValue]
            for (name, value) in error.facts { facts[name.rawValue] = value }
            log.write("reload_failed", facts)
            return "ready, with its earlier configuration: config.json is not valid"
        }
    }
}
