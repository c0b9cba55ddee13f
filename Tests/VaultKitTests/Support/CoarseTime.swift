import Platform
import VaultTesting

@testable import VaultKit

/// Lets months pass in steps of hours: after each the scheduler has some rounds, until nothing is at
/// work.
func pass(
    _ scene: Scene,
    _ scheduler: inout Scheduler,
    days: Double,
    step: Double = 6 * 3600
) async {
    let end = scene.clock.now().advanced(by: days * 86_400)
    while end.seconds(since: scene.clock.now()) > 0 {
        scene.clock.advance(by: step)
        for _ in 0..<3 {
            _ = await scheduler.dispatch()
            // A host that was known is asked for a connection after each step.
            for _ in 0..<20 { await Task.yield() }
            while scene.vault.refresher.flightCount > 0 { await Task.yield() }
            scene.clock.advance(by: 1)
        }
    }
}
