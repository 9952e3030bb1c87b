/// Thrown for an input that needs the flow's steps at rest, and comes while they run. Nothing has changed.
package struct NotAtRest: Error {
  package init() {}
}
