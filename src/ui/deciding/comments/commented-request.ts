import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { useDraftCount } from '../../states/draft.ts'
import { lineOfDraftField } from './line-draft.ts'

/** The members of a request that its comments need, on its page and in a change set. */
export type CommentedRequest = Pick<
  RequestDetail,
  'id' | 'number' | 'state' | 'presentation' | 'comments'
>

export type Comment = CommentedRequest['comments'][number]

/** Reloads the queries that contain comments: the request, and the change sets of runs. */
export function useReloadComments(): () => Promise<void> {
  const client = useQueryClient()
  return useCallback(async () => {
    await Promise.all([
      client.invalidateQueries({ queryKey: ['request'] }),
      client.invalidateQueries({ queryKey: ['run'] }),
    ])
  }, [client])
}

/**
 * Who reads a denial. The agent also reads the comments on lines, shown here or not, but none that
 * the person has begun and not saved.
 */
export function DenialReaders({
  request,
}: {
  request: Pick<RequestDetail, 'id' | 'comments'> & { readonly external: unknown }
}): string {
  const unsaved = useDraftCount(request.id, (field) => lineOfDraftField(field) !== null)
  if (request.external !== null) return 'The program reads it.'
  const remarks = request.comments.filter(({ anchor }) => anchor !== null).length
  const words = remarks === 0 ? '' : `, and ${countWords(remarks, 'remark')} on lines`
  const lost =
    unsaved === 0 ? '' : ` It does not read your ${countWords(unsaved, 'unsaved comment')}.`
  return `The agent reads it${words}.${lost}`
}
