import Foundation

/// The figures that were taken, beside their bars.
struct Report {
  struct Line: Encodable {
    let key: String
    let value: Double
    let unit: String
    /// The bar as a sentence, such as `≤ 40`; `nil` if the figure is only reported.
    let bar: String?
    let met: Bool?
    /// The goal as a sentence. It is not judged.
    let goal: String?
    /// The value of the plain program that does the same work, and the figure over it.
    let floor: Double?
    let ratio: Double?
    let meaning: String
  }

  private(set) var hops: [String: Double] = [:]
  private(set) var lines: [Line] = []
  private(set) var missing: [String] = []

  mutating func add(_ values: [String: Double], onAllCores: Bool) {
    hops[onAllCores ? "hopNanosecondsAll" : "hopNanoseconds"] = values["hop"]
    for figure in Figure.allCases where onAllCores || figure.isMeasuredPinned {
      let key = figure.key(onAllCores: onAllCores)
      let floor = values[figure.floorKey]
      if figure.hasFloor, floor?.isFinite != true { missing.append(key + " (floor)") }
      guard let value = values[figure.rawValue], value.isFinite else {
        missing.append(key)
        continue
      }
      let step = values[Figure.step.rawValue]
      let bar = figure.bar(onAllCores: onAllCores)
      lines.append(
        Line(
          key: key, value: value, unit: figure.unit.rawValue, bar: bar.map(Self.sentence),
          met: bar.flatMap { Self.isMet($0, by: value, step: step) },
          goal: figure.goal(onAllCores: onAllCores).map(Self.sentence), floor: floor,
          ratio: floor.map { value / $0 }, meaning: figure.meaning))
    }
  }

  private static func sentence(_ bar: Figure.Bar) -> String {
    switch bar {
    case .atMost(let most): "≤ \(text(most))"
    case .atLeast(let least): "≥ \(text(least))"
    case .stepPlus(let most): "≤ step + \(text(most))"
    case .timesStep(let factor): "≤ \(text(factor)) × step"
    }
  }

  private static func isMet(_ bar: Figure.Bar, by value: Double, step: Double?) -> Bool? {
    switch bar {
    case .atMost(let most): value <= most
    case .atLeast(let least): value >= least
    case .stepPlus(let most): step.map { value <= $0 + most }
    case .timesStep(let factor): step.map { value <= factor * $0 }
    }
  }

  var table: String {
    var text = hops.sorted { $0.key < $1.key }.map { "\($0.key): \(Self.text($0.value))\n" }.joined()
    text += Self.row(["figure", "value", "unit", "floor", "ratio", "bar", "", "goal", "meaning"])
    for line in lines {
      text += Self.row([
        line.key, Self.text(line.value), line.unit, line.floor.map(Self.text) ?? "-", line.ratio.map(Self.text) ?? "-",
        line.bar ?? "-", line.met.map { $0 ? "met" : "NOT MET" } ?? "-", line.goal ?? "-", line.meaning,
      ])
    }
    return text
  }

  func json() throws -> String {
    struct Object: Encodable {
      let hops: [String: Double]
      let figures: [String: Line]
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let object = Object(hops: hops, figures: Dictionary(uniqueKeysWithValues: lines.map { ($0.key, $0) }))
    return String(decoding: try encoder.encode(object), as: UTF8.self)
  }

  private static func row(_ cells: [String]) -> String {
    let widths = [26, 9, 7, 9, 8, 15, 9, 8, 0]
    let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }
    return padded.joined() + "\n"
  }

  private static func text(_ value: Double) -> String {
    value >= 1000 ? String(format: "%.0f", value) : String(format: value >= 100 ? "%.0f" : "%.4g", value)
  }
}
