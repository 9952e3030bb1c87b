import Foundation

/// A process of its own in which figures are taken: pinned to one core, or on all.
///
/// The concurrency runtime decides its number of threads once a process, and memory is only attributable in a fresh
/// one.
struct Worker {
  let onAllCores: Bool
  let isSmoke: Bool

  /// Returns the medians of what processes have measured; the hop under the name `hop`.
  ///
  /// - Parameter floor: Whether only the figures' floors are measured.
  func take(_ figures: [Figure], floor: Bool = false, processes: Int = 1) throws -> [String: Double] {
    var samples: [String: [Double]] = [:]
    for _ in 0..<processes {
      for (key, value) in try runOnce(figures, floor) { samples[key, default: []].append(value) }
    }
    return samples.mapValues(\.median)
  }

  private func runOnce(_ figures: [Figure], _ floor: Bool) throws -> [String: Double] {
    guard let program = Bundle.main.executablePath else {
      throw WrongResult(description: "the program does not know its own path")
    }
    var command = onAllCores ? [program] : ["taskset", "-c", "0", program]
    command += figures.flatMap { ["--only", $0.rawValue] } + ["--worker"]
    command += (isSmoke ? ["--smoke"] : []) + (floor ? ["--floor"] : [])
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw WrongResult(description: "`\(command.joined(separator: " "))` has failed")
    }
    return try JSONDecoder().decode([String: Double].self, from: data)
  }
}
