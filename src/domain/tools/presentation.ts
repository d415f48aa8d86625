import type { JsonObject } from '../json/json.ts'

/** What a tool of the project may say that its text is. */
export const customTypes = ['text', 'diff', 'file_content', 'structured'] as const

/** All but `binary`: what a program claims is read as text, whatever it says that it is. */
export const claimedTypes = ['text', 'diff', 'file_content', 'command', 'structured'] as const
export type ClaimedType = (typeof claimedTypes)[number]

export const presentationTypes = [...claimedTypes, 'binary'] as const
export type PresentationType = (typeof presentationTypes)[number]

/**
 * What an approver is shown: computed by the service from the bytes that will run, once, when the
 * request is opened, and stored (product.md 26). `content` is text, never markup. `totalLines` and
 * `totalBytes` describe the whole of what `content` shows. `digest` is the hash of this object's
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
 * What is known of a file that a command names (`metadata.files`): `text` and `binary` ones were
 * kept as they were when the request opened. `withheld`: reading it asks or is blocked by itself.
 * `large`: over the bound. `changed`: while it was looked at.
 */
export const namedFileKinds = ['text', 'binary', 'withheld', 'large', 'changed'] as const
export type NamedFileKind = (typeof namedFileKinds)[number]

/**
 * How far the call is that wrote such a file. `waiting`: it is shown as if it had been carried out.
 */
export const writingStates = ['done', 'waiting', 'unknown'] as const
export type WritingState = (typeof writingStates)[number]

/**
 * Names of facts that the service itself puts beside what is shown: a tool of the project cannot
 * fill them.
 */
const ownMetadata = new Set(
  `path from to edits files bases baseHash newHash baseBytes
    newBytes bytes hash mediaType added removed argv commands cwd
    timeoutSeconds sandbox environment programs profile runsWorkspaceCode worker workerDigest model
    attachments choices callId attempt executor startedAt assumes server serverTool
    serverClaims definition pinnedDefinition definitionChange claimHash originHash reportedBy toolHash branch base baseCommit
    headCommit commits`.split(/\s+/),
)

/** Whether a name beside what is shown is one of the service's own facts. */
export function isOwnMetadata(name: string): boolean {
  return ownMetadata.has(name)
}
