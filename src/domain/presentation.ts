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
