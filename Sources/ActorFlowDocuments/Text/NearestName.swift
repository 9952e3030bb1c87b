/// Returns the one of `names` that `name` was probably meant to be, or `nil` if none is near.
///
/// A name is near if it differs only in upper and lower case, or by at most one change in three characters. Of equally
/// near names, the first in alphabetical order is returned.
func nearestName(to name: String, in names: some Sequence<String>) -> String? {
  let wanted = Array(name.lowercased().unicodeScalars.prefix(longest + 1))
  guard wanted.count <= longest else { return nil }
  var nearest: (name: String, distance: Int)?
  for candidate in names {
    let scalars = Array(candidate.lowercased().unicodeScalars.prefix(longest + 1))
    let allowed = max(1, max(wanted.count, scalars.count) / 3)
    guard scalars.count <= longest, abs(scalars.count - wanted.count) <= allowed else { continue }
    let distance = distance(wanted, scalars)
    guard distance <= allowed else { continue }
    if let nearest, (nearest.distance, nearest.name) <= (distance, candidate) { continue }
    nearest = (candidate, distance)
  }
  return nearest?.name
}

/// The length of the longest name that is compared: the time grows with the product of both lengths.
private let longest = 64

/// Returns the number of characters to insert, delete, replace or swap with their neighbour.
private func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
  var before = [Int](repeating: 0, count: b.count + 1)
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var cost = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
      row.append(cost)
    }
    (before, last) = (last, row)
  }
  return last[b.count]
}
