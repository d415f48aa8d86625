import { IconHourglass } from '@tabler/icons-react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { Hash } from '../../text/hash.tsx'
import { Time } from '../../text/time.tsx'
import { Initials } from '../../text/initials.tsx'
import { SignatureStroke } from './signature-stroke.tsx'
import { missingText, stepWords } from './wording/stage-sentence.ts'

/** What a decision here is bound to, how many are needed, and who can give them. */
export function Quorum({ request }: { request: RequestDetail }) {
  const { quorum, eligiblePeople } = request
  const needed = quorum.required.reduce((sum, { count }) => sum + count, 0)
  return (
    <dl className="facts panel-facts">
      <div className="fact">
        <dt>Needs</dt>
        <dd>
          <span className="row quorum-progress">
            <SignatureStroke counted={quorum.counted.length} needed={needed} />
            {quorum.text}
          </span>
          <ul>
            {quorum.counted.map((place) => (
              <li key={place.person.id} className="row small ok">
                <Initials name={place.person.name} /> {place.person.name} ({place.team})
              </li>
            ))}
            {request.state === 'pending' && quorum.missing.length > 0 && (
              <li className="row small dim">
                <IconHourglass size={14} aria-hidden /> still {missingText(quorum)}
              </li>
            )}
          </ul>
        </dd>
      </div>
      {request.state === 'pending' && (
        <div className="fact">
          <dt>Can decide</dt>
          <dd>
            {eligiblePeople.length === 0
              ? 'nobody at the moment'
              : eligiblePeople.map((one) => one.name).join(', ')}
          </dd>
        </div>
      )}
      <Steps request={request} />
      <div className="fact">
        <dt>Bound to</dt>
        <dd>
          <Hash value={request.digest} what="digest" /> · revision {request.revision}
        </dd>
      </div>
    </dl>
  )
}

/** What its queue has done while it waited, and what it will do if nobody decides. */
function Steps({ request }: { request: RequestDetail }) {
  const { state } = request
  const steps = request.steps.filter((step) => step.takenAt !== null || state === 'pending')
  if (steps.length === 0) return null
  return (
    <div className="fact">
      <dt>While it waits</dt>
      <dd>
        <ul>
          {steps.map((step) => (
            <li key={`${step.kind} ${step.dueAt}`} className="row small">
              <span className={step.takenAt === null ? 'dim' : undefined}>
                {stepWords(step)} <Time at={step.takenAt ?? step.dueAt} />
              </span>
            </li>
          ))}
        </ul>
      </dd>
    </div>
  )
}
