import { Button } from '@mantine/core'
import type { ReactNode, Ref } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { Notice } from '../../../states/notice.tsx'
import { outcomeOf, whyNotYours } from '../../facts/state-words.ts'
import { clockTime } from '../../../text/time.tsx'
import type { Submission } from '../use-submit.ts'
import { refusalWords } from '../wording/refusal-words.ts'

/**
 * What stands where a form would, once its answer is recorded (`recorded` says what that means),
 * when the request has ended, or when it is not this person's to answer. `null` while it can be
 * answered.
 */
export function closedAnswer(
  request: RequestDetail,
  recorded: string | null,
  onNext: () => void,
): ReactNode | null {
  if (recorded !== null) {
    return (
      <div className="column">
        <Notice tone="good" title="Recorded">
          {recorded}
        </Notice>
        <Button variant="default" onClick={onNext}>
          Next request
        </Button>
      </div>
    )
  }
  if (request.state !== 'pending') return <Notice tone="plain" title={outcomeOf(request)} />
  if (request.eligibility.canDecide) return null
  return <Notice tone="plain" title={whyNotYours(request.eligibility.reason)} />
}

/** A form that answers a request: why the last answer was refused, its fields, and its button. */
export function AnswerFrame(props: {
  form: Ref<HTMLFormElement>
  submission: Submission<unknown>
  ready: boolean
  offline: boolean
  onSubmit: () => void
  children: ReactNode
}) {
  const { form, submission, ready, offline, onSubmit, children } = props
  return (
    <form
      ref={form}
      className="column"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {submission.state === 'refused' && <RefusedAnswer refusal={submission.refusal} />}
      {children}
      {offline && (
        <p className="obstacle">Offline: nothing can be submitted until the service is back.</p>
      )}
      <Button type="submit" disabled={!ready}>
        {submission.state === 'submitting' ? 'Submitting…' : 'Submit'}
      </Button>
    </form>
  )
}

function RefusedAnswer({ refusal }: { refusal: Parameters<typeof refusalWords>[0] }) {
  const sentence = refusalWords(refusal, 'answer', clockTime)
  return (
    <Notice tone="bad" title={sentence.title}>
      {sentence.text}
    </Notice>
  )
}
