import Foundation

/// The figures that were taken, beside their bars.
struct Report {
  struct Line: Encodable {
    let key: String
    let value: Double
    let unit: String
    /// The bar as a sentence, such as `≤ 40`; nil: the figure is only reported.
    let bar: String?
    let met: Bool?
    let meaning: String
  }

  private(set) var hops: [String: Double] = [:]
  private(set) var lines: [Line] = []

  mutating func add(_ values: [String: Double], onAllCores: Bool) {
    hops[onAllCores ? "hopNanosecondsAll" : "hopNanoseconds"] = values["hop"]
    for figure in Figure.allCases {
      guard let value = values[figure.rawValue] else { continue }
      let (bar, met) = Self.judge(value, figure.bar(onAllCores: onAllCores), beside: values)
      lines.append(
        Line(
          key: figure.key(onAllCores: onAllCores), value: value, unit: figure.unit.rawValue, bar: bar, met: met,
          meaning: figure.meaning))
    }
  }

  private static func judge(
    _ value: Double, _ bar: Figure.Bar?, beside values: [String: Double]
  ) -> (String?, Bool?) {
    let (step, waiting) = (values[Figure.step.rawValue], values[Figure.bytesPerWaitingFlow.rawValue])
    return switch bar {
    case nil: (nil, nil)
    case .atMost(let most): ("≤ \(text(most))", value <= most)
    case .atLeast(let least): ("≥ \(text(least))", value >= least)
    case .stepPlus(let most): ("≤ step + \(text(most))", step.map { value <= $0 + most })
    case .timesStep(let factor): ("≤ \(text(factor)) × step", step.map { value <= factor * $0 })
    case .timesWaiting(let factor): ("≤ \(text(factor)) × waiting", waiting.map { value <= factor * $0 })
    }
  }

  /// Keys that were not measured, or are no number.
  var missing: [String] {
    let good = Set(lines.filter(\.value.isFinite).map(\.key))
    let wanted =
      Figure.allCases.filter(\.isMeasuredPinned).map { $0.key(onAllCores: false) }
      + Figure.allCases.map { $0.key(onAllCores: true) }
    return wanted.filter { !good.contains($0) }
  }

  var table: String {
    var text = hops.sorted { $0.key < $1.key }.map { "\($0.key): \(Self.text($0.value))\n" }.joined()
    text += Self.row("figure", "value", "unit", "bar", "") + "\n"
    for line in lines {
      let met = line.met.map { $0 ? "met" : "NOT MET" } ?? "-"
      let row = Self.row(line.key, Self.text(line.value), line.unit, line.bar ?? "report", "\(met)\t\(line.meaning)")
      text += row + "\n"
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

  private static func row(_ key: String, _ value: String, _ unit: String, _ bar: String, _ rest: String) -> String {
    func pad(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    return pad(key, 24) + pad(value, 10) + pad(unit, 7) + pad(bar, 16) + rest
  }

  private static func text(_ value: Double) -> String {
    value >= 1000 ? String(format: "%.0f", value) : String(format: value >= 100 ? "%.0f" : "%.4g", value)
  }
}
