import { readLimits } from './limit-settings.ts'

const { process: host } = globalThis as {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
}

/** What an installation sets: schemas are made of it, so it is read before anything else. */
export const limitsText = host?.env?.['COUNTERSIGN_LIMITS']?.trim() ?? ''

const { preferWaitSeconds, longPollSeconds, ...bounds } = readLimits(limitsText).values

/**
 * Bounds of inputs (security.md 24). Over a bound is a clear error that names it, never a
 * truncation that changes meaning.
 */
export const limits = {
  ...bounds,
  preferWaitMs: preferWaitSeconds * 1000,
  longPollMs: longPollSeconds * 1000,
  /** keys and values of a JSON body together */
  bodyValues: 50_000,
  componentBytes: 255,
  pendingRequestsPerOwner: 500,
  /** of what a program sends along for itself */
  metadataBytes: 16 * 1024,
  /** of a program's own words about its call */
  claimCharacters: 64 * 1024,
  /** files that a program names in its origin; one content, and all of them together */
  originFiles: 50,
  originFileBytes: 1024 * 1024,
  originFilesBytes: 4 * 1024 * 1024,
  /** of the folder in which a program works, as its host writes it */
  originFolderCharacters: 4096,
  attachmentsPerCall: 50,
  runInputCharacters: 1_000_000,
  /** of all attachments of a delegation together, given to the child as text */
  attachedTextBytes: 64 * 1024,
  /** of one file that a command names, and of all of them, kept for its approver to read */
  namedFileBytes: 1024 * 1024,
  namedFilesBytes: 4 * 1024 * 1024,
  /** of one model step that can be read before its message is stored, in UTF-16 units */
  liveTextCharacters: 1_000_000,
  /** event streams of one session or key, and of one address */
  eventStreams: 20,
  eventStreamsOfAddress: 500,
  /** answers that one person and their programs may have held for a decision at a time */
  heldAnswers: 500,
  /** connections of one address, where no proxy stands between */
  connectionsOfAddress: 1024,
  /** pictures, sounds and blobs of one result; together they count to its stored output */
  filesOfResult: 100,
  /**
   * pictures of a transcript that a model is shown, the newest ones; one of them; all of them
   * together
   */
  picturesShown: 16,
  pictureBytes: 3.5 * 1024 * 1024,
  picturesShownBytes: 12 * 1024 * 1024,
  /** pictures and texts that somebody sends with one message; all of them together */
  filesOfMessage: 10,
  filesOfMessageBytes: 8 * 1024 * 1024,
  fileNameCharacters: 255,
  auditEventBytes: 60 * 1024,
  bulkDecisions: 200,
  listDefault: 50,
  listMost: 200,
} as const
