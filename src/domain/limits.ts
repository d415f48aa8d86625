import { readLimits } from './limit-settings.ts'

const { process: host } = globalThis as {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
}

/** The setting of the installation. Schemas depend on it, so it is read before anything else. */
export const limitsText = host?.env?.['COUNTERSIGN_LIMITS']?.trim() ?? ''

const { preferWaitSeconds, longPollSeconds, ...bounds } = readLimits(limitsText).values

/**
 * Bounds of inputs (security.md 24). Beyond a bound there is a clear error that names it, never a
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
  /** of a program's own metadata */
  metadataBytes: 16 * 1024,
  /** of a program's own description of its call */
  claimCharacters: 64 * 1024,
  /** files in a program's origin; one content, and all of them together */
  originFiles: 50,
  originFileBytes: 1024 * 1024,
  originFilesBytes: 4 * 1024 * 1024,
  /** of the folder in which a program works, in the notation of its host */
  originFolderCharacters: 4096,
  attachmentsPerCall: 50,
  runInputCharacters: 1_000_000,
  /** of all attachments of a delegation together, as text in the child's message */
  attachedTextBytes: 64 * 1024,
  /** of one file that a command names, and of all of them, stored for its approver */
  namedFileBytes: 1024 * 1024,
  namedFilesBytes: 4 * 1024 * 1024,
  /** live text of one model step before its message is stored, in UTF-16 units */
  liveTextCharacters: 1_000_000,
  /** event streams of one session or key, and of one address */
  eventStreams: 20,
  eventStreamsOfAddress: 500,
  /** concurrent answers that wait (`Prefer: wait`), for a person and their programs together */
  heldAnswers: 500,
  /** connections of one address, without a proxy in between */
  connectionsOfAddress: 1024,
  /** pictures, sounds and blobs of one result; they count to its stored output */
  filesOfResult: 100,
  /** pictures of a transcript that a model sees, the newest ones; bytes of one; of all together */
  picturesShown: 16,
  pictureBytes: 3.5 * 1024 * 1024,
  picturesShownBytes: 12 * 1024 * 1024,
  /** pictures and texts of one message; bytes of all together */
  filesOfMessage: 10,
  filesOfMessageBytes: 8 * 1024 * 1024,
  fileNameCharacters: 255,
  auditEventBytes: 60 * 1024,
  bulkDecisions: 200,
  listDefault: 50,
  maxListItems: 200,
} as const
