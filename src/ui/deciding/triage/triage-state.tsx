import { IconEye } from '@tabler/icons-react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { useMe } from '../../api/queries.ts'
import { Moment } from '../../text/time.tsx'
import { waitWords } from '../facts/people-left.ts'
import './triage.css'

/** Who works on a pending request, for whom it waits, and until when it is snoozed. */
export function TriageState({ request }: { request: RequestDetail }) {
  const me = useMe()
  if (request.state !== 'pending') return null
  const { handedTo, claim, snoozedUntil } = request
  return (
    <>
      {handedTo !== null && (
        <span className="small dim triage-fact">
          {handedTo.person.id === me.person.id
            ? `handed over to you by ${handedTo.by.name}`
            : `handed over to ${handedTo.person.name}`}
        </span>
      )}
      {claim !== null && claim.person.id !== me.person.id && (
        <span className="small claim triage-fact">
          <IconEye size={13} aria-hidden /> {claim.person.name} is on it
        </span>
      )}
      {isWaitingStarter(request, me.person.id) && (
        <span className="small dim triage-fact">{waitWords(request)}</span>
      )}
      {snoozedUntil !== null && (
        <span className="small dim triage-fact">
          snoozed until <Moment at={snoozedUntil} />
        </span>
      )}
    </>
  )
}

/**
 * Whether the person may not decide a request and waits for it: they started its run, or a program
 * asked with their key or for them.
 */
export function isWaitingStarter(request: RequestDetail, me: string): boolean {
  const { lineage, external, eligibility } = request
  const starters = [
    ...lineage.map(({ startedBy }) => startedBy),
    external?.owner,
    external?.onBehalfOf,
  ]
  return !eligibility.canDecide && starters.some((person) => person?.id === me)
}
