import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { Effect } from '../effect/effect.tsx'
import { later } from '../states/later.tsx'
import { Loading } from '../states/loading.tsx'
import { SecretsContext } from '../text/secret-chips.tsx'
import type { OpenedRequest } from './use-opened-request.ts'

const FileEditForm = later(
  () => import('./editing/file-edit-form.tsx').then((module) => module.FileEditForm),
  () => <Loading what="the editor" lines={6} />,
)

/**
 * The effect of the call. Above it is the editor of the file while "Approve with changes" is
 * chosen.
 */
export function OpenedEffect(props: {
  view: OpenedRequest
  onRevised: (fresh: RequestDetail) => void
}) {
  const { view, onRevised } = props
  const { request } = view
  return (
    <>
      {view.editsFile && (
        <FileEditForm key={request.presentation.digest} request={request} onDone={onRevised} />
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
