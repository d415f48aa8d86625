import { useCallback, useMemo, useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { splitLines } from '#domain/text/line-pieces.ts'
import { useStoredFile } from './use-stored-file.ts'

/** The file that a change results in, for the lines that its difference leaves out. */
export interface WholeFile {
  /** read once somebody asks for it; that is recorded */
  readonly lines: readonly string[] | null
  readonly load: () => void
  /** all of it is to be shown */
  readonly isWhole: boolean
  readonly setWhole: (isWhole: boolean) => void
  readonly isLoading: boolean
  /** why it cannot be shown, as a sentence */
  readonly problem: string | null
}

/**
 * The stored file that a difference is of; nothing else is shown between its hunks. `null` where
 * none is kept, as of a file that is deleted.
 */
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
  return { lines, load, isWhole, setWhole, isLoading, problem }
}
