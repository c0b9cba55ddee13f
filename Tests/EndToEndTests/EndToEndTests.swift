import Testing

/// The shipped programs, run as a person runs them.
///
/// One after the other: several tests measure time, and each has processes of its own.
@Suite(.serialized) enum EndToEndTests {}
