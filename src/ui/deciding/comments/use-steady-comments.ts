import { useMemo, useState } from 'react'
import { useMe } from '../../api/queries.ts'
import type { Comment } from './commented-request.ts'

/** The comments of a request as somebody reads it. */
export interface SteadyComments {
  readonly visible: readonly Comment[]
  /** how many colleagues have written since, which would move what is below them */
  readonly newCount: number
  readonly showNew: () => void
}

/**
 * Comments that colleagues write while a request is read are kept back until the person asks for
 * them or writes one, so that nothing moves under the pointer.
 */
export function useSteadyComments(comments: readonly Comment[]): SteadyComments {
  const { person } = useMe()
  const [ids, setIds] = useState(() => idsOf(comments))
  const last = comments.findLastIndex(({ id, person: by }) => ids.has(id) || by.id === person.id)
  const visible = useMemo(() => comments.slice(0, last + 1), [comments, last])
  return {
    visible,
    newCount: comments.length - visible.length,
    showNew: () => setIds(idsOf(comments)),
  }
}

function idsOf(comments: readonly Comment[]): ReadonlySet<string> {
  return new Set(comments.map(({ id }) => id))
}
