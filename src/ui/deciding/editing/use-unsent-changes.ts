import { useState } from 'react'
import { useMe } from '../../api/queries.ts'
import { draftedFields } from '../../states/draft.ts'
import { changeOfDraftField, type UnsentChange } from './unsent-change.ts'

/**
 * The changes of a request that the person has not sent, but for those of `editedRevision`, which
 * is open in an editor. `reread` reads them again.
 */
export function useUnsentChanges(
  requestId: string,
  editedRevision: number | null,
): { readonly changes: readonly UnsentChange[]; readonly reread: () => void } {
  const { person } = useMe()
  const [, setReads] = useState(0)
  const changes = draftedFields(requestId, person.id)
    .flatMap((field) => changeOfDraftField(field) ?? [])
    .filter(({ revision }) => revision !== editedRevision)
  return { changes, reread: () => setReads((reads) => reads + 1) }
}
