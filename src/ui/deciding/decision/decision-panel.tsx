import { Button } from '@mantine/core'
import type { RefObject } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { useFocusReturn } from '../../states/use-focus-return.ts'
import { ChangedBanner } from './choosing/changed-banner.tsx'
import { DecisionForm } from './decision-form.tsx'
import { UnsentNote } from './decision-notes.tsx'
import { type DecisionInput, useDecision, type Decision } from './use-decision.ts'
import { DecisionResult } from './wording/decision-result.tsx'
import { RefusedDecision } from './wording/refused-decision.tsx'
import { verbs } from '../../words/verbs.ts'
import './decision-panel.css'
import { focusAfterKey } from '../../keyboard/focus-after-key.ts'
import { useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { platform } from '../../keyboard/platform.ts'
import { keyNames } from '../../keyboard/shortcuts.ts'
import { announce } from '../../states/announce.tsx'
import { choosePreset } from './choosing/choose-preset.ts'
import { whyReasonOf } from './choosing/decision-body.ts'

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
        <RefusedDecision
          refusal={refusal}
          attempt={decision.submitted === 'approve' ? 'approval' : 'denial'}
        />
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

/**
 * The keys of a panel. Registers the keys that submit. Returns what a second press of A or D does,
 * and what a digit on a choice does. `onShowUnseen` scrolls to what has not been on the screen;
 * `false`: there is nothing to show.
 */
function useDecisionKeys(
  decision: Decision,
  { request, displayedRequest, unsentChoice, fullyViewed, onNext }: DecisionInput,
  panel: RefObject<HTMLElement | null>,
  onShowUnseen: () => boolean,
) {
  const { choice } = unsentChoice
  const { busy, votable, obstacle, reason } = decision
  useShortcut('submit', votable ? () => void decision.send(false) : null)
  useShortcut('submitNext', votable && onNext !== null ? () => void decision.send(true) : null)

  const goToReason = (): void => {
    const field = panel.current?.querySelector('textarea')
    const [key = ''] = keyNames(choice === 'approve' ? 'approve' : 'deny', platform)
    if (field != null) focusAfterKey(field, key)
  }
  /** Leads to what is missing: first the unseen part, then the reason, then the checkbox. */
  const goToObstacle = (): void => {
    if (choice === 'approve' && request.risk === 'high' && !fullyViewed && onShowUnseen()) return
    if (whyReasonOf(choice, displayedRequest) !== null && reason.trim() === '') goToReason()
    else panel.current?.querySelector<HTMLElement>('input[type="checkbox"]')?.focus()
  }
  return {
    /**
     * Leads to what is missing. If nothing is, and the risk is low or medium, holds the decision.
     */
    pressAgain: (): void => {
      if (busy || !votable) return
      if (obstacle !== null) {
        decision.remind()
        announce(obstacle)
        goToObstacle()
        return
      }
      if (!decision.onlyByChord) return decision.hold()
      announce(`Submit this with ${keyNames('submit', platform).join(' ').replace('⏎', 'Enter')}.`)
      // The focus leaves the choices: letters typed there would choose, and here they are text.
      goToReason()
    },
    /** Puts the preset with this number into the reason of a denial; `false`: there is none. */
    chooseReason: (digit: number): boolean =>
      decision.isDenial && choosePreset(digit, [reason, decision.setReason], panel.current),
  }
}
