import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'

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

/** Who reads a denial. The agent also reads the comments on lines, shown here or not. */
export function denialReaders({
  external,
  comments,
}: {
  external: unknown
  comments: readonly Comment[]
}): string {
  if (external !== null) return 'The program reads it.'
  const remarks = comments.filter(({ anchor }) => anchor !== null).length
  if (remarks === 0) return 'The agent reads it.'
  return `The agent reads it, and ${countWords(remarks, 'remark')} on lines.`
}
