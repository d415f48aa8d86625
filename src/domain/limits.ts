/** Bounds of inputs (security.md 24). Over a bound is a clear error that names it, never a truncation that changes meaning. */
export const limits = {
  httpBodyBytes: 12 * 1024 * 1024,
  pathBytes: 1024,
  pathComponents: 64,
  componentBytes: 255,
  writeBytes: 8 * 1024 * 1024,
  editsPerCall: 200,
  callsPerTurn: 100,
  pendingRequestsPerRun: 100,
  reasonCharacters: 4000,
  pendingRequestsPerOwner: 500,
  /** of what a program sends along for itself */
  metadataBytes: 16 * 1024,
  /** of a program's own words about its call */
  claimCharacters: 64 * 1024,
  delegationDepth: 5,
  attachmentsPerCall: 50,
  runInputCharacters: 1_000_000,
  /** of all attachments of a delegation together, given to the child as text */
  attachedTextBytes: 64 * 1024,
  /** of one file that a command names, and of all of them, kept for its approver to read */
  namedFileBytes: 1024 * 1024,
  namedFilesBytes: 4 * 1024 * 1024,
  preferWaitMs: 60_000,
  longPollMs: 60_000,
  shownToModelBytes: 64 * 1024,
  storedOutputBytes: 10 * 1024 * 1024,
  /** pictures, sounds and blobs of one result; together they count to its stored output */
  filesOfResult: 100,
  /** pictures of a transcript that a model is shown, the newest ones; one of them; all of them together */
  picturesShown: 16,
  pictureBytes: 3.5 * 1024 * 1024,
  picturesShownBytes: 12 * 1024 * 1024,
  auditEventBytes: 60 * 1024,
  bulkDecisions: 200,
  listDefault: 50,
  listMost: 200,
} as const
