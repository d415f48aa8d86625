import { Button } from '@mantine/core'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { useFocusReturn } from '../../states/use-focus-return.ts'
import { ChangedBanner } from './choosing/changed-banner.tsx'
import { DecisionForm } from './decision-form.tsx'
import { UnsentNote } from './decision-notes.tsx'
import { useDecisionKeys } from './use-decision-keys.ts'
import { type DecisionInput, useDecision } from './use-decision.ts'
import { DecisionResult } from './wording/decision-result.tsx'
import { RefusedDecision } from './wording/refused-decision.tsx'
import { verbs } from '../../words/verbs.ts'
import './decision-panel.css'

/** The panel that decides a request. There is no choice at first, and deny comes first. */
export function DecisionPanel(props: {
  input: DecisionInput
  /** scrolls to what has not been on the screen; false: there is nothing to show */
  onShowUnseen: () => boolean
  /** opens the newest revision */
  onReview: () => void
  /** the page says how the request ended */
  isOutcomeAbove: boolean
  /** called with the new revision after a change in this panel */
  onRevised: (fresh: RequestDetail) => void
}) {
  const { input } = props
  const { request, displayedRequest, onNext } = input
  const decision = useDecision(input)
  const { changed, votable, recorded, refusal, unsent, reason } = decision
  const panel = useFocusReturn<HTMLDivElement>(votable, decision.busy)
  const keys = useDecisionKeys(decision, input, panel, props.onShowUnseen)
  const review = (): void => {
    decision.forget()
    props.onReview()
  }
  return (
    <div ref={panel} tabIndex={-1} className="column decision-panel">
      {changed && recorded === null && !decision.submitting && (
        <ChangedBanner displayedRequest={displayedRequest} current={request} onReview={review} />
      )}
      {refusal !== null && !changed && (
        <RefusedDecision refusal={refusal} decision={decision.submitted} />
      )}
      <DecisionResult
        request={request}
        recorded={recorded}
        decided={decision.submitted}
        loadStage={decision.loadStage}
        unsent={unsent}
        closed={decision.closed}
        isOutcomeAbove={props.isOutcomeAbove}
        isReasonAbove={refusal?.code === 'not_eligible' && !changed}
      />
      {!votable && recorded === null && unsent === null && reason !== '' && (
        <UnsentNote text={reason} />
      )}
      {votable && (
        <DecisionForm
          input={input}
          decision={decision}
          onAgain={keys.pressAgain}
          onDigit={keys.chooseReason}
          onRevised={props.onRevised}
        />
      )}
      {recorded !== null && onNext !== null && (
        <Button variant="default" onClick={onNext}>
          {verbs.nextRequest}
        </Button>
      )}
    </div>
  )
}
