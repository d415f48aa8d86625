import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { requestOf } from '#client/call.ts'
import { splitLines } from '#domain/text/line-pieces.ts'
import { readContent } from '../api/call-api.ts'

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
 * The stored bytes of a file as a change leaves it. Nothing else is shown between the hunks than
 * what the presentation names by its hash (`newHash`); `null` where it names none, as of a file
 * that is deleted.
 */
export function useWholeFile(
  request: Pick<RequestDetail, 'id' | 'revision' | 'presentation'>,
): WholeFile | null {
  const { id, revision, presentation } = request
  const [wanted, setWanted] = useState(false)
  const [isWhole, setWhole] = useState(false)
  const load = useCallback(() => setWanted(true), [])
  const hash = presentation.metadata['newHash']
  const content = requestOf('getContent', { params: { id } })
  const query = useQuery({
    queryKey: ['content', content.path, revision],
    queryFn: ({ signal }) => readContent({ ...content, signal }),
    enabled: wanted,
    staleTime: Infinity,
  })
  if (presentation.type !== 'diff' || typeof hash !== 'string' || hash === 'absent') return null
  const { data } = query
  const isSame = data?.digest === hash
  const problem = query.isError
    ? query.error.message
    : data !== undefined && !isSame
      ? 'The stored file is not the one that this shows: it changed since you opened it.'
      : null
  return {
    lines: data !== undefined && isSame ? linesOf(data.bytes) : null,
    load,
    isWhole,
    setWhole,
    isLoading: wanted && query.isPending,
    problem,
  }
}

const known = new WeakMap<Uint8Array, readonly string[]>()

function linesOf(bytes: Uint8Array): readonly string[] {
  const lines =
    known.get(bytes) ??
    splitLines(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)).lines
  known.set(bytes, lines)
  return lines
}
