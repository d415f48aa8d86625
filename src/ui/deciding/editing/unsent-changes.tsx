import { Button } from '@mantine/core'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { useMe } from '../../api/queries.ts'
import { keepDraft, readDraft } from '../../states/draft.ts'
import { copyText } from '../../text/copy-text.ts'
import { verbs } from '../../words/verbs.ts'
import { changeDraftField, copyOfDraft, type UnsentChange } from './unsent-change.ts'

/**
 * The changes of a call that its person began and has not sent: the editor was left, a colleague
 * changed the call or decided it, or the session ended. `onContinue` opens the editor; null: the
 * call cannot be changed now.
 */
export function UnsentChanges(props: {
  request: RequestDetail
  changes: readonly UnsentChange[]
  onContinue: (() => void) | null
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
  const goOn = (change: UnsentChange): void => {
    const draft = draftOf(change)
    remove(change)
    const here = { ...change, revision: request.revision }
    keepDraft(changeDraftField(here), request.id, personId, draft)
    onContinue?.()
  }
  return (
    <div role="status" className="column">
      {changes.map((change) => (
        <div key={changeDraftField(change)} className="card row unsent-change">
          <span className="grow small">
            Your change of the {change.of} in revision {change.revision} is not sent
            {change.revision !== request.revision && `; this is revision ${request.revision}`}.
          </span>
          {onContinue !== null && (
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
