import type { JsonObject } from './json.ts'

export type PresentationType =
  | 'text'
  | 'diff'
  | 'file_content'
  | 'command'
  | 'structured'
  | 'binary'

/**
 * What an approver is shown: computed by the service from the bytes that will run, once, when the request
 * is opened, and stored (product.md 26). `content` is text, never markup. `totalLines` and `totalBytes`
 * describe the whole of what `content` shows. `digest` is the hash of this object's canonical JSON without `digest`.
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
 * What is known of a file that a command names (`metadata.files`): `text` and `binary` ones were kept as they were when
 * the request opened. `withheld`: reading it asks or is blocked by itself. `large`: over the bound. `changed`: while it
 * was looked at.
 */
export type NamedFileKind = 'text' | 'binary' | 'withheld' | 'large' | 'changed'
