import { useMemo } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { oldLinesOf } from '../../effect/gaps.ts'
import { parseUnifiedDiff } from '#domain/tools/unified-diff.ts'
import { useStoredFile } from '../../effect/use-stored-file.ts'
import { membersOf } from './results-in-file.ts'

/** The file before a call, and the file that the call results in. */
export interface EditedFile {
  readonly isPending: boolean
  /** why it cannot be edited, as a sentence */
  readonly problem: string | null
  /** the text to which edits are applied */
  readonly before: string
  readonly proposedText: string
}

/** Loads the file of edits from the stored bytes of the request; the service records that. */
export function useEditedFile(request: RequestDetail): EditedFile {
  const { input, tool, presentation } = request
  const isEdit = tool === 'edit_file'
  const storedFile = useStoredFile(request, isEdit)
  const content = membersOf(input)?.['content']
  const proposedText = isEdit ? storedFile.text : typeof content === 'string' ? content : null
  const before = useMemo(
    () => (isEdit && proposedText !== null ? textBefore(presentation.content, proposedText) : ''),
    [isEdit, proposedText, presentation.content],
  )
  const problem =
    storedFile.problem ??
    (before === null ? 'The stored file is not the one that this changes.' : null)
  return {
    isPending: proposedText === null && problem === null,
    problem,
    before: before ?? '',
    proposedText: proposedText ?? '',
  }
}

/** The text before a change, from the text after it and the difference. */
function textBefore(diff: string, after: string): string | null {
  const hunks = parseUnifiedDiff(diff)?.[0]?.hunks ?? []
  const ends = after.endsWith('\n')
  const old = oldLinesOf(hunks, (ends ? after.slice(0, -1) : after).split('\n'))
  if (old === null) return null
  const last = hunks.at(-1)
  // The old text ends like the new one, unless the difference reaches the end.
  const reachesEnd = last !== undefined && last.oldStart + last.oldLines - 1 >= old.length
  const lastOld = last?.changes.findLast(({ type }) => type !== 'insert')
  const endsBefore = reachesEnd ? lastOld?.endsWithoutNewline !== true : ends
  return old.join('\n') + (endsBefore && old.length > 0 ? '\n' : '')
}
