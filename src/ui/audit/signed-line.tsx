import type { SignedCheckpointView } from '#api/schemas/audit/audit-log.ts'
import { useCheckpoint } from '../api/queries.ts'
import { ApiRefusal } from '../api/call-api.ts'
import { Time } from '../text/time.tsx'
import { OfflineCommands } from './offline-commands.tsx'

/**
 * The newest signed checkpoint, and for people who may read the whole trail, how to verify it
 * offline (audit.md, Verifying).
 */
export function SignedLine(props: {
  readsAll: boolean
  /** number of the request whose history is shown; null: the whole trail is shown */
  request: number | null
}) {
  const { readsAll, request } = props
  const { data, error } = useCheckpoint()
  if (error !== null) {
    const isNone = error instanceof ApiRefusal && error.status === 404
    return (
      <p className="dim small audit-part">
        {isNone
          ? 'No event is signed yet: the first checkpoint comes within two seconds.'
          : 'How much of the trail is signed could not be loaded. Load the page again.'}
      </p>
    )
  }
  if (data === undefined) return null
  return (
    <div className="audit-part small">
      <p className="dim">
        Signed up to event {data.size.toLocaleString('en')}, <Time at={data.at} />. With a stored
        checkpoint, anybody can detect a later change of an earlier event.
      </p>
      <WitnessLines witnesses={data.witnesses} />
      {readsAll && <OfflineCommands vkey={data.vkey} request={request} />}
    </div>
  )
}

function WitnessLines({ witnesses }: Pick<SignedCheckpointView, 'witnesses'>) {
  return witnesses.map(({ name, size, cosignedAt, contradicted }) => {
    if (contradicted) {
      return (
        <p key={name} role="alert">
          The witness {name} has another history of this trail: the database was changed or restored
          from an older copy.
        </p>
      )
    }
    return (
      <p key={name} className="dim">
        {cosignedAt === null ? (
          `The witness ${name} has cosigned nothing yet.`
        ) : (
          <>
            Witnessed by {name} up to event {size.toLocaleString('en')}, <Time at={cosignedAt} />.
          </>
        )}
      </p>
    )
  })
}
