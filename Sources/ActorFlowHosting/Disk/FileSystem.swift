/// The calls that the store on files makes to the system.
///
/// A program has ``SystemFiles``. A test has a simulation, which loses what was not synced. All calls block.
package protocol FileSystem: Sendable {
  /// Opens a file; returns `nil` if it is opened for reading and there is no such file.
  func open(_ path: String, _ access: FileAccess) throws(SystemFailure) -> (any SystemFile)?
  /// Gives a file another name, in place of a file that has that name.
  func rename(_ path: String, to target: String) throws(SystemFailure)
  /// Removes a file or an empty directory, or does nothing if there is no such file.
  func remove(_ path: String) throws(SystemFailure)
  /// Returns when the names in a directory are on the disk.
  func syncDirectory(_ path: String) throws(SystemFailure)
  /// Makes a directory; returns `false` if it exists already.
  func makeDirectory(_ path: String) throws(SystemFailure) -> Bool
  /// The names in a directory.
  func names(in path: String) throws(SystemFailure) -> [String]
  /// The identity of the file that has this name now, or `nil` if there is none.
  func identity(at path: String) throws(SystemFailure) -> FileIdentity?
}

/// An open file of a ``FileSystem``; it is closed with its last reference.
package protocol SystemFile: AnyObject, Sendable {
  /// Reads bytes; returns fewer only at the file's end.
  func read(_ count: Int, at offset: Int) throws(SystemFailure) -> [UInt8]
  /// Writes all bytes, or throws after some of them.
  func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(SystemFailure)
  /// Returns when the bytes of the file are on the disk.
  func sync() throws(SystemFailure)
  /// Cuts the file off, or lengthens it.
  func truncate(to size: Int) throws(SystemFailure)
  /// Takes the space for this number of bytes, so that writing them later cannot fill the disk.
  func reserve(_ size: Int) throws(SystemFailure)
  func size() throws(SystemFailure) -> Int
  func identity() throws(SystemFailure) -> FileIdentity
  /// Locks the file; returns `false` if it is locked already.
  func lock() throws(SystemFailure) -> Bool
  /// Releases a lock, even while a process that is being started has a copy of the open file.
  func unlock()
}

/// The reason to open a file.
package enum FileAccess: Sendable {
  /// Reading a file that exists.
  case read
  /// Reading and writing a new, empty file.
  case create
  /// Locking a file, which is created if it is missing.
  case lock
}

/// The identity of a file, whatever its name; two files that exist at the same time have different identities.
package struct FileIdentity: Sendable, Equatable {
  package let device: UInt64
  package let inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    (self.device, self.inode) = (device, inode)
  }
}

/// The system's number for an error.
package struct SystemFailure: Error, Sendable {
  package let code: Int32

  package init(_ code: Int32) {
    self.code = code
  }
}
