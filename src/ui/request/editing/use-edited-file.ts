import { useMemo } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { oldLinesOf } from '../../effect/gaps.ts'
import { parseUnifiedDiff } from '../../effect/unified-diff.ts'
import { useStoredFile } from '../../effect/use-stored-file.ts'
import { membersOf } from './results-in-file.ts'

/** The file before a call and as it proposes it. */
export interface EditedFile {
  readonly isPending: boolean
  /** why it cannot be edited, as a sentence */
  readonly problem: string | null
  /** of edits: what they are applied to */
  readonly before: string
  readonly proposed: string
}

/** Reads the file of edits from what is stored of the request; that is recorded. */
export function useEditedFile(opened: RequestDetail): EditedFile {
  const { input, tool, presentation } = opened
  const isEdit = tool === 'edit_file'
  const stored = useStoredFile(opened, isEdit)
  const content = membersOf(input)?.['content']
  const proposed = isEdit ? stored.text : typeof content === 'string' ? content : null
  const before = useMemo(
    () => (isEdit && proposed !== null ? textBefore(presentation.content, proposed) : ''),
    [isEdit, proposed, presentation.content],
  )
  const problem =
    stored.problem ?? (before === null ? 'The stored file is not the one that this changes.' : null)
  return {
    isPending: proposed === null && problem === null,
    problem,
    before: before ?? '',
    proposed: proposed ?? '',
  }
}

/** The text before, from the text after and the difference between them. */
function textBefore(diff: string, after: string): string | null {
  const hunks = parseUnifiedDiff(diff)?.[0]?.hunks ?? []
  const ends = after.endsWith('\n')
  const old = oldLinesOf(hunks, (ends ? after.slice(0, -1) : after).split('\n'))
  if (old === null) return null
  const last = hunks.at(-1)
  // The end is that of the new side, unless the difference reaches it.
  const reachesEnd = last !== undefined && last.oldStart + last.oldLines - 1 >= old.length
  const lastOld = last?.changes.findLast(({ type }) => type !== 'insert')
  const endsBefore = reachesEnd ? lastOld?.endsWithoutNewline !== true : ends
  return old.join('\n') + (endsBefore && old.length > 0 ? '\n' : '')
}
