import { useQuery } from '@tanstack/react-query'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { requestOf } from '#client/call.ts'
import { readContent } from '../api/call-api.ts'

/** The stored text of the file that a change results in. */
export interface StoredFile {
  readonly text: string | null
  readonly isLoading: boolean
  /** why it cannot be shown, as a sentence */
  readonly problem: string | null
}

/**
 * Loads the stored bytes of the new version of a file once they are `wanted`; the service records
 * that. Bytes with another hash than `newHash` of the presentation are a problem.
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
  const problem = query.isLoadingError
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
