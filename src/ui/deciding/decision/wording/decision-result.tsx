import type { DecisionAnswer } from '#api/schemas/requests/decisions.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { DecisionOutcome } from '#domain/deciding/waits-for.ts'
import { requestStateWord } from '#domain/text/request-state-words.ts'
import type { HeldDecision } from '../../../sending/held-decisions.ts'
import { later } from '../../../states/later.tsx'
import { Notice } from '../../../states/notice.tsx'
import { Moment } from '../../../text/time.tsx'
import { outcomeOf, toneOfEffect, whyNotYours } from '../../facts/state-words.ts'
import { useOwnVote } from './own-vote.ts'
import type { RecordedSentenceProps } from './recorded-sentence.tsx'
import { sentenceOfAnswer } from './stage-sentence.ts'

/** Loaded once there is a decision. If it does not load, the page says what the answer says. */
const RecordedSentence = later<RecordedSentenceProps>(
  () =>
    import('./recorded-sentence.tsx').then(
      (module) => module.RecordedSentence,
      () => AnswerSentence,
    ),
  () => 'Recorded.',
)

function AnswerSentence({ answer, decided }: RecordedSentenceProps) {
  return sentenceOfAnswer(answer, decided)
}

/**
 * What became of the decision or of the request, or why this person cannot decide it. The element
 * is always there, so that what appears in it is read out.
 */
export function DecisionResult(props: {
  request: RequestDetail
  /** the answer to this person's decision */
  recorded: DecisionAnswer | null
  decided: DecisionOutcome
  /** loads the current stage of the decision */
  loadStage: () => Promise<void>
  /** a decision that is not sent yet */
  unsent: HeldDecision | null
  /** says that the request can no longer be decided */
  closed: boolean
  /** the page says how it ended */
  isOutcomeAbove: boolean
  /** a refusal above gives the reason why this person cannot decide */
  isReasonAbove: boolean
}) {
  const { request, recorded, decided, unsent } = props
  const { canDecide, reason } = request.eligibility
  return (
    <div role="status" className="column">
      {recorded !== null && (
        <Notice
          tone={decided === 'approve' ? toneOfEffect(request.execution) : 'plain'}
          title={decided === 'approve' ? 'Approved by you' : 'Denied by you'}
        >
          <RecordedSentence
            answer={recorded}
            decided={decided}
            request={request}
            loadStage={props.loadStage}
          />
        </Notice>
      )}
      {unsent !== null && (
        <Notice tone="plain" title={`${unsent.act}: not recorded yet`}>
          It is sent in a moment. Until then, press Z to take it back.
        </Notice>
      )}
      {props.closed && (
        <Notice
          tone="plain"
          title={props.isOutcomeAbove ? 'It can no longer be decided' : outcomeOf(request)}
        >
          {request.decidedAt !== null && (
            <>
              {props.isOutcomeAbove ? `${endWords(request)} at` : 'At'}{' '}
              <Moment at={request.decidedAt} />.{' '}
            </>
          )}
          {!props.isOutcomeAbove && 'It can no longer be decided.'}
        </Notice>
      )}
      {request.state === 'pending' && recorded === null && !canDecide && !props.isReasonAbove && (
        <NotToDecide request={request} reason={reason} />
      )}
    </div>
  )
}

/** How the request ended: `It was approved`. What was approved may end later. Pure. */
function endWords(request: RequestDetail): string {
  return `It ${request.state === 'expired' ? '' : 'was '}${requestStateWord(request)}`
}

/** Why this person cannot decide the request, or what they decided and when. */
function NotToDecide({ request, reason }: { request: RequestDetail; reason: string | null }) {
  const own = useOwnVote(request)
  if (own === null) return <Notice tone="plain" title={whyNotYours(reason, 'decide')} />
  const verb = own.decision === 'approve' ? 'approved' : 'denied'
  return (
    <Notice tone="plain" title={`You ${verb} this`}>
      At <Moment at={own.at} />. It waits for others.
    </Notice>
  )
}
