import { IconHourglass } from '@tabler/icons-react'
import { missingText } from '#domain/deciding/quorum.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { Fact } from '../../text/fact.tsx'
import { Time } from '../../text/time.tsx'
import { Initials } from '../../text/initials.tsx'
import { namesLeft } from '../facts/people-left.ts'
import { stepWords } from './wording/stage-sentence.ts'

/** The number of needed decisions, and who can make them. */
export function Quorum({ request }: { request: RequestDetail }) {
  const { quorum } = request
  // Before the first decision, the missing part is the whole quorum.
  const isPartial = quorum.missing.length > 0 && missingText(quorum) !== quorum.text
  const needed = quorum.required.reduce((sum, { count }) => sum + count, 0)
  return (
    <dl className="facts panel-facts">
      <Fact name={request.state === 'pending' ? 'Needs' : 'Needed'}>
        <span className="row quorum-progress">
          <SignatureStroke votes={quorum.counted.length} places={needed} />
          {quorum.text}
        </span>
        <ul>
          {quorum.counted.map((place) => (
            <li key={place.person.id} className="row small ok">
              <Initials name={place.person.name} /> {place.person.name} ({place.team})
            </li>
          ))}
          {request.state === 'pending' && isPartial && (
            <li className="row small dim">
              <IconHourglass size={14} aria-hidden /> still {missingText(quorum)}
            </li>
          )}
        </ul>
      </Fact>
      {request.state === 'pending' && (
        <Fact name={canWords[request.kind] ?? 'Can decide'}>
          {namesLeft(request) || 'nobody at the moment'}
        </Fact>
      )}
      <Steps request={request} />
    </dl>
  )
}

const canWords: Partial<Record<RequestDetail['kind'], string>> = {
  question: 'Can answer',
  outcome_check: 'Can settle',
}

/** The reminders and escalations so far, and those to come. */
function Steps({ request }: { request: RequestDetail }) {
  const { state } = request
  const steps = request.steps.filter((step) => step.takenAt !== null || state === 'pending')
  if (steps.length === 0) return null
  return (
    <Fact name="While it waits">
      <ul>
        {steps.map((step) => (
          <li key={`${step.kind} ${step.dueAt}`} className="row small">
            <span className={step.takenAt === null ? 'dim' : undefined}>
              {stepWords(step)} <Time at={step.takenAt ?? step.dueAt} />
            </span>
          </li>
        ))}
      </ul>
    </Fact>
  )
}

/**
 * The signature stroke of the logo, drawn as far as the quorum has come. The text beside it says
 * the same.
 */
function SignatureStroke({ votes, places }: { votes: number; places: number }) {
  const part = places === 0 ? 1 : Math.min(1, votes / places)
  return (
    <svg className="signature-stroke" viewBox="5 7 22 19" aria-hidden>
      <path className="signature-line" d="M7 24.5h18" />
      <path className="signature-rest" d={stroke} />
      {part > 0 && (
        <path className="signature-drawn" d={stroke} pathLength={1} strokeDasharray={`${part} 1`} />
      )}
    </svg>
  )
}

const stroke =
  'M7 19.5c3.2-7.6 5.4-9.6 6.6-8.8 1.7 1.1-2.4 8.6.1 9 2.2.3 3.3-4.5 5.1-4.3 1.5.2.5 3.4 2.1 3.6 1.2.2 2.2-.9 4.1-2.4'
