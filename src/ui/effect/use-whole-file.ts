import { useCallback, useMemo, useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { splitLines } from '#domain/text/line-pieces.ts'
import { useStoredFile } from './use-stored-file.ts'

/** The file that a change results in, for the lines that its difference omits. */
export interface WholeFile {
  /** loaded on request; the service records that */
  readonly lines: readonly string[] | null
  readonly load: () => void
  /** larger files are slow to draw, so that their gaps are opened one by one */
  readonly isTooLong: boolean
  /** the whole file is shown */
  readonly isWhole: boolean
  readonly setWhole: (isWhole: boolean) => void
  readonly isLoading: boolean
  /** why it cannot be shown, as a sentence */
  readonly problem: string | null
}

const maxWholeLines = 5_000

/** The stored file of a difference. `null` if none is stored, as for a deleted file. */
export function useWholeFile(
  request: Pick<RequestDetail, 'id' | 'revision' | 'presentation'>,
): WholeFile | null {
  const { presentation } = request
  const [isRequested, setWanted] = useState(false)
  const [isWhole, setWhole] = useState(false)
  const load = useCallback(() => setWanted(true), [])
  const { text, isLoading, problem } = useStoredFile(request, isRequested)
  const lines = useMemo(() => (text === null ? null : splitLines(text).lines), [text])
  const hash = presentation.metadata['newHash']
  if (presentation.type !== 'diff' || typeof hash !== 'string' || hash === 'absent') return null
  const isTooLong = (lines?.length ?? 0) > maxWholeLines
  return { lines, load, isTooLong, isWhole: isWhole && !isTooLong, setWhole, isLoading, problem }
}
