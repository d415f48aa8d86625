import { Button } from '@mantine/core'
import type { ReactNode, Ref } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { needOfRequests } from '#domain/runs/need-of-run.ts'
import { Notice } from '../../../states/notice.tsx'
import { useFocusReturn } from '../../../states/use-focus-return.ts'
import { outcomeOf, whyNotYours } from '../../facts/state-words.ts'
import { UnsentNote } from '../decision-notes.tsx'
import type { Submission } from '../use-submit.ts'
import { RefusedDecision } from '../wording/refused-decision.tsx'
import { verbs } from '../../../words/verbs.ts'

/** What a form that answers a request is about, and what stands around it. */
export interface ClosableForm {
  readonly request: RequestDetail
  /** null: nothing comes next */
  readonly onNext: (() => void) | null
  /** the page says how the request ended */
  readonly isOutcomeAbove: boolean
}

/**
 * The text in place of the form if the answer is recorded (`recorded` explains the result), the
 * request has ended, or this person may not answer. `null` while the person can answer.
 */
export function closedAnswer(
  { request, onNext, isOutcomeAbove }: ClosableForm,
  recorded: string | null,
): ReactNode | null {
  if (recorded !== null) {
    return (
      <div className="column">
        <Notice tone="good" title="Recorded">
          {recorded}
        </Notice>
        {onNext !== null && (
          <Button variant="default" onClick={onNext}>
            {verbs.nextRequest}
          </Button>
        )}
      </div>
    )
  }
  if (request.state !== 'pending') {
    return <Notice tone="plain" title={isOutcomeAbove ? 'It has ended' : outcomeOf(request)} />
  }
  if (request.eligibility.canDecide) return null
  const why = whyNotYours(request.eligibility.reason, needOfRequests([request]))
  return <Notice tone="plain" title={why} />
}

/**
 * The frame of a form that answers a request: the last refusal, the fields and the button. If there
 * is a `closed`, it is shown in place of the form and takes the focus that the form had.
 */
export function AnswerFrame(props: {
  closed: ReactNode | null
  /** what is written; it stays on the page if the request ends meanwhile */
  unsent: string
  /** what the form sends */
  attempt: 'answer' | 'finding'
  form: Ref<HTMLFormElement>
  submission: Submission<unknown>
  ready: boolean
  offline: boolean
  onSubmit: () => void
  children: ReactNode
}) {
  const { closed, unsent, attempt, form, submission, ready, offline, onSubmit, children } = props
  const isBusy = submission.state === 'submitting'
  const place = useFocusReturn<HTMLDivElement>(closed === null, isBusy)
  const fields = (
    <form
      ref={form}
      className="column"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {submission.state === 'refused' && (
        <RefusedDecision refusal={submission.refusal} attempt={attempt} />
      )}
      {children}
      {offline && (
        <p className="obstacle">Offline: nothing can be submitted until the service is back.</p>
      )}
      <Button type="submit" disabled={!ready}>
        {isBusy ? verbs.submitting : verbs.submit}
      </Button>
    </form>
  )
  return (
    <div ref={place} tabIndex={-1}>
      {closed ?? fields}
      {closed !== null && unsent !== '' && <UnsentNote text={unsent} />}
    </div>
  )
}
