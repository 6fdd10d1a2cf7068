import CoreData
import Foundation
import SeededRandom

// Makes contexts wait for each other. Exits with 0 on success, with 1 if a rule was violated, with 3 if it was stuck,
// and with 5 if objects are missing in the end.
//
//     QueueStress scenario NAME               a case that is known to wait in a circle, on the main thread
//     QueueStress MODE SEED SECONDS           random work on a random tree of contexts; MODE says what the main thread does:
//         dispatch                            it is given up by dispatchMain()
//         loop                                it runs its run loop, and takes part between other events

/// Takes part in the work in successive turns of the main queue.
func takeTurns(_ stress: Stress, _ number: Int, _ random: SeededGenerator) {
    DispatchQueue.main.async {
        guard !stress.isOver else { return }
        var random = random
        stress.step(0, number, &random)
        takeTurns(stress, number + 1, random)
    }
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { fail("arguments are missing") }

if arguments[1] == "scenario" {
    guard let scenario = Scenarios.all[arguments[2]] else { fail("no scenario “\(arguments[2])”") }
    let progress = Counter()
    watch(progress, seconds: 10)
    try scenario(progress)
    report("done")
    exit(0)
}

guard arguments.count == 4, let seed = UInt64(arguments[2]), let seconds = Double(arguments[3]) else {
    fail("arguments are wrong")
}
let hasMainThread = arguments[1] == "loop"
let stress = try Stress(seed: seed, seconds: seconds, hasMainThread: hasMainThread)
watch(stress.progress, seconds: seconds + 20)
stress.start(4, seed: seed)
stress.whenDone {
    report("done, \(stress.progress.value) steps")
    exit(0)
}
if hasMainThread {
    var random = SeededGenerator(seed: seed &+ 77)
    var number = 0
    while !stress.isOver {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            number += 1
            stress.step(0, number, &random)
        }
        _ = RunLoop.main.run(mode: .default, before: Date().addingTimeInterval(0.001))
    }
    RunLoop.main.run()
    exit(4)
} else {
    takeTurns(stress, 1, SeededGenerator(seed: seed &+ 77))
    dispatchMain()
}
