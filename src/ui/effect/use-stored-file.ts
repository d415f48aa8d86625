import { useQuery } from '@tanstack/react-query'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { requestOf } from '#client/call.ts'
import { readContent } from '../api/call-api.ts'

/** The text of the file that a change results in, as far as it is read. */
export interface StoredFile {
  readonly text: string | null
  readonly isLoading: boolean
  /** why it cannot be shown, as a sentence */
  readonly problem: string | null
}

/**
 * Reads the stored bytes of a file as a change leaves it once they are `wanted`; that is recorded.
 * Bytes other than those that the presentation names by their hash (`newHash`) are a problem.
 */
export function useStoredFile(
  request: Pick<RequestDetail, 'id' | 'revision' | 'presentation'>,
  isRequested: boolean,
): StoredFile {
  const { id, revision, presentation } = request
  const content = requestOf('getContent', { params: { id } })
  const query = useQuery({
    queryKey: ['content', content.path, revision],
    queryFn: ({ signal }) => readContent({ ...content, signal }),
    enabled: isRequested,
    staleTime: Infinity,
  })
  const { data } = query
  const isSame = data !== undefined && data.digest === presentation.metadata['newHash']
  const problem = query.isError
    ? query.error.message
    : data !== undefined && !isSame
      ? 'The stored file differs from the one shown here: it changed since you opened it.'
      : null
  return {
    text: isSame ? textOf(data.bytes) : null,
    isLoading: isRequested && query.isPending,
    problem,
  }
}

const texts = new WeakMap<Uint8Array, string>()

function textOf(bytes: Uint8Array): string {
  const text = texts.get(bytes) ?? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  texts.set(bytes, text)
  return text
}
