import type { JsonObject } from '../json/json.ts'

/** The types that a custom tool may give its text. */
export const customTypes = ['text', 'diff', 'file_content', 'structured'] as const

/** Without `binary`: a program's claims are always read as text. */
export const claimedTypes = ['text', 'diff', 'file_content', 'command', 'structured'] as const

export const presentationTypes = [...claimedTypes, 'binary'] as const
export type PresentationType = (typeof presentationTypes)[number]

/**
 * What an approver sees: computed by the service from the bytes that will run, once, when the
 * request is opened, and stored (product.md 26). `content` is text, never markup. `totalLines` and
 * `totalBytes` are of the whole that `content` shows. `digest` is the hash of this object's
 * canonical JSON without `digest`.
 */
export interface Presentation {
  readonly type: PresentationType
  readonly language: string | null
  readonly content: string
  readonly truncated: boolean
  readonly totalLines: number
  readonly totalBytes: number
  readonly metadata: JsonObject
  readonly warnings: readonly string[]
  readonly digest: string
}

/**
 * Kinds of files that a command names (`metadata.files`): `text` and `binary` ones were stored as
 * they were when the request opened. `withheld`: reading it asks or is blocked by itself. `large`:
 * over the bound. `changed`: while it was read.
 */
export const namedFileKinds = ['text', 'binary', 'withheld', 'large', 'changed'] as const
export type NamedFileKind = (typeof namedFileKinds)[number]

/**
 * The state of the call that wrote such a file. `waiting`: its proposal is shown as if it had been
 * carried out.
 */
export const writingStates = ['done', 'waiting', 'unknown'] as const

/** Names of metadata that the service itself sets: a custom tool cannot set them. */
const ownMetadata = new Set(
  `path from to edits files bases baseHash newHash baseBytes
    newBytes bytes hash mediaType added removed argv commands cwd
    timeoutSeconds sandbox environment programs profile runsWorkspaceCode worker workerDigest model
    attachments choices callId attempt executor startedAt assumes server serverTool
    serverClaims definition pinnedDefinition definitionChange claimHash originHash reportedBy toolHash branch base baseCommit
    headCommit commits fieldTitles`.split(/\s+/),
)

/** Whether the service itself sets metadata of this name. */
export function isOwnMetadata(name: string): boolean {
  return ownMetadata.has(name)
}
