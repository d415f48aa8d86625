import { useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { Effect } from '../effect/effect.tsx'
import { later } from '../states/later.tsx'
import { Loading } from '../states/loading.tsx'
import { SecretsContext } from '../text/secret-chips.tsx'
import { type UnsentChange, changeOfDraftField } from './editing/unsent-change.ts'
import type { OpenedRequest } from './use-opened-request.ts'
import { useMe } from '../api/queries.ts'
import { draftedFields } from '../states/draft.ts'

const FileEditForm = later(
  () => import('./editing/file-edit-form.tsx').then((module) => module.FileEditForm),
  () => <Loading what="the editor" lines={6} />,
)

/** Loaded for somebody who began a change and has not sent it. The page also works without it. */
const UnsentChanges = later(
  () => import('./editing/unsent-changes.tsx').then((module) => module.UnsentChanges),
  () => null,
  { needOf: () => null, onFailure: () => undefined },
)

/**
 * The effect of the call. Above it is the editor of the file while "Approve with changes" is
 * chosen, and what the person changed before and has not sent.
 */
export function OpenedEffect(props: {
  view: OpenedRequest
  onRevised: (fresh: RequestDetail) => void
}) {
  const { view, onRevised } = props
  const { request } = view
  const { changes, reread } = useUnsentChanges(request.id, view.isEditing ? request.revision : null)
  const mayContinue = view.isChangeable && !view.isEditing
  const { digest } = request.presentation
  /** the digest of the presentation whose input is changed field by field; `null`: none */
  const [byFieldsOf, setByFieldsOf] = useState<string | null>(null)
  // Who chooses to edit again gets the editor of the file again.
  if (!view.editsFile && byFieldsOf !== null) setByFieldsOf(null)
  const goOn = (of: UnsentChange['of']): void => {
    setByFieldsOf(of === 'input' ? digest : null)
    view.unsentChoice.setChoice('edit')
  }
  return (
    <>
      {changes.length > 0 && (
        <UnsentChanges
          request={request}
          changes={changes}
          onContinue={mayContinue ? goOn : null}
          onRemoved={reread}
        />
      )}
      {view.editsFile && (
        <FileEditForm
          key={digest}
          request={request}
          byFields={byFieldsOf === digest}
          onByFields={() => setByFieldsOf(digest)}
          onDone={onRevised}
        />
      )}
      {view.lineComments.lost}
      <SecretsContext value={view.secrets.registry}>
        <Effect
          key={request.presentation.digest}
          request={request}
          ownsKeys
          onRegion={view.setRegion}
          onAllVisible={view.setAllVisible}
          lineComments={view.lineComments}
          tracker={view.tracker}
        />
      </SecretsContext>
    </>
  )
}

/**
 * The changes of a request that the person has not sent, but for those of `editedRevision`, which
 * is open in an editor. `reread` reads them again.
 */
function useUnsentChanges(
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
