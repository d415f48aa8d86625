import type { Json } from '../json/json.ts'

/**
 * Bytes that a result holds besides its text: a picture, a sound, a blob. `mediaType` is the tool's
 * claim.
 */
export interface ResultFile {
  readonly mediaType: string
  readonly bytes: Uint8Array
}

export interface ToolResult {
  readonly type: 'output' | 'error'
  readonly output: Json
  /** what the model is told */
  readonly text: string
  /** of a command that ran; beside the state, never instead of it */
  readonly exitCode?: number
  /**
   * what a command did that it must not, and that was undone: a sentence; its execution is `failed`
   * (security.md 8)
   */
  readonly violation?: string
  /** what is kept whole for people, by name, when `output` has only a part of it */
  readonly streams?: Readonly<Record<string, Uint8Array>>
  /**
   * kept whole by their hashes, in the order in which `output` names them; never inside `output`
   */
  readonly files?: readonly ResultFile[]
  /** the call did not reach what would carry it out, which says something else of it, or is away */
  readonly notMade?: 'changed' | 'unreachable'
  /** why a result is `error` although its tool did not say so, as a sentence for the trail */
  readonly unfit?: string
}

/** What a command writes to. */
export type OutputStream = 'stdout' | 'stderr'
