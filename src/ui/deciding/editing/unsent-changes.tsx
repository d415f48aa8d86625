import { Button } from '@mantine/core'
import { useEffect } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { useMe } from '../../api/queries.ts'
import { keepDraft, readDraft } from '../../states/draft.ts'
import { copyText } from '../../text/copy-text.ts'
import { verbs } from '../../words/verbs.ts'
import { resultsInFile } from './results-in-file.ts'
import {
  changeDraftField,
  copyOfDraft,
  hasItsFields,
  isInInput,
  type UnsentChange,
} from './unsent-change.ts'

/**
 * The changes of a call that its person began and has not sent: the editor was left, a colleague
 * changed the call or decided it, or the session ended. `onContinue` opens the editor of the file
 * or of the input; null: the call cannot be changed now.
 */
export function UnsentChanges(props: {
  request: RequestDetail
  changes: readonly UnsentChange[]
  onContinue: ((of: UnsentChange['of']) => void) | null
  onRemoved: () => void
}) {
  const { request, changes, onContinue, onRemoved } = props
  const { id: personId } = useMe().person
  const remove = (change: UnsentChange): void => {
    keepDraft(changeDraftField(change), request.id, personId, '')
    onRemoved()
  }
  const draftOf = (change: UnsentChange): string =>
    readDraft(changeDraftField(change), request.id, personId)
  const inNewestRevision = (change: UnsentChange) => ({ ...change, revision: request.revision })
  // It does not replace a change of this revision, and its editor has a place for all of it.
  const canGoOn = (change: UnsentChange): boolean =>
    (change.revision === request.revision || draftOf(inNewestRevision(change)) === '') &&
    (change.of === 'file' ? resultsInFile(request) : hasItsFields(draftOf(change), request.input))
  const inNewest = changes.filter((one) => isInInput(one.of, draftOf(one), request.input))
  useEffect(() => {
    for (const change of inNewest) remove(change)
  })
  const goOn = (change: UnsentChange): void => {
    const draft = draftOf(change)
    remove(change)
    keepDraft(changeDraftField(inNewestRevision(change)), request.id, personId, draft)
    onContinue?.(change.of)
  }
  return (
    <div role="status" className="column">
      {changes
        .filter((one) => !inNewest.includes(one))
        .map((change) => (
          <div key={changeDraftField(change)} className="card row unsent-change">
            <span className="grow small">
              Your change of the {change.of} in revision {change.revision} is not sent
              {change.revision !== request.revision && `; this is revision ${request.revision}`}.
            </span>
            {onContinue !== null && canGoOn(change) && (
              <Button size="xs" variant="default" onClick={() => goOn(change)}>
                {verbs.continueChange}
              </Button>
            )}
            <Button
              size="xs"
              variant="default"
              onClick={() => void copyText(copyOfDraft(change.of, draftOf(change)), 'Change')}
            >
              Copy my change
            </Button>
            <Button size="xs" variant="subtle" color="gray" onClick={() => remove(change)}>
              {verbs.remove}
            </Button>
          </div>
        ))}
    </div>
  )
}
