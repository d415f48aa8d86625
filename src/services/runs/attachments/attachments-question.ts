import type { RefusedAttachment } from '../../../policy/judge/run-attachment.ts'
import type { ReadFile } from '../../delegation/attached-files.ts'

/** Files to be given to a run that somebody starts: only the host of the workspace can read them. */
export interface AttachmentsQuestion {
  /** name of the worker that is started */
  readonly attachmentsFor: string
  /** canonical, relative to the workspace root */
  readonly paths: readonly string[]
  /** id of the person behind the start */
  readonly startedBy: string
}

/** The files in their order; or the first that is refused, by its place, and why. */
export type AttachmentsAnswer =
  | { readonly ok: true; readonly files: readonly ReadFile[] }
  | ({ readonly ok: false; readonly at: number } & RefusedAttachment)
