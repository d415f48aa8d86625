import type { Json } from '../json/json.ts'
import type { ListedChanges } from './file-change.ts'

/** Bytes of a result: a picture, a sound, a blob. `mediaType` is the tool's claim. */
export interface ResultFile {
  readonly mediaType: string
  readonly bytes: Uint8Array
}

export interface ToolResult {
  readonly type: 'output' | 'error'
  readonly output: Json
  /** for the model */
  readonly text: string
  /** of a command that ran; in addition to the state */
  readonly exitCode?: number
  /**
   * a forbidden effect of a command, which was undone: a sentence; its execution is `failed`
   * (security.md 8)
   */
  readonly violation?: string
  /** complete streams for people, by name, when `output` has only a part */
  readonly streams?: Readonly<Record<string, Uint8Array>>
  /** stored by hash, in the order in which `output` names them; never inside `output` */
  readonly files?: readonly ResultFile[]
  /** what a command did to files, besides what went through the workspace; absent: not known */
  readonly changes?: ListedChanges
  /** the call was not made: its server has changed or is unreachable */
  readonly notMade?: 'changed' | 'unreachable'
  /** why a result is `error` although its tool did not say so, as a sentence for the trail */
  readonly unfit?: string
}

/** What a command writes to. */
export type OutputStream = 'stdout' | 'stderr'

/** Their names for people. */
export const streamNames: Readonly<Record<OutputStream, string>> = {
  stdout: 'standard output',
  stderr: 'standard error',
}
