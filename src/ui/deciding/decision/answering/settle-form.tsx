import { Textarea } from '@mantine/core'
import { useCallback, useRef, useState } from 'react'
import { callApi } from '../../../api/call-api.ts'
import { useShortcut } from '../../../keyboard/keyboard-provider.tsx'
import { useConnection } from '../../../live/live-provider.tsx'
import { announce } from '../../../states/announce.tsx'
import type { SettlementThen as Then } from '#domain/requests/request.ts'
import { AnswerFrame, type ClosableForm, closedAnswer } from './answer-parts.tsx'
import { useDraft } from '../../../states/draft.ts'
import { RadioField, type RadioOption } from '../../../states/radio-field.tsx'
import { type SubmitOptions, useSubmit } from '../use-submit.ts'

type RanAnswer = 'yes' | 'no' | 'unclear'

const findings: readonly RadioOption<RanAnswer>[] = [
  { value: 'no', label: 'No, it did not' },
  { value: 'yes', label: 'Yes, it did' },
  { value: 'unclear', label: 'I cannot tell', description: 'The outcome stays unknown.' },
]

const continuations: readonly RadioOption<Then>[] = [
  { value: 'stop', label: 'Stop', description: 'The run waits for a message.' },
  { value: 'continue', label: 'Continue', description: 'The agent reads your finding.' },
  {
    value: 'again',
    label: 'Carry it out again',
    description: 'Only if it did not take effect.',
  },
]

const recordedTexts: Readonly<Record<Then, string>> = {
  stop: 'The run waits for a message.',
  continue: 'The run continues with your finding.',
  again: 'The call is carried out again.',
}

/**
 * States what became of a call with an unknown outcome, and how its run continues. A call of a
 * program has no run.
 */
export function SettleForm(props: ClosableForm) {
  const { request } = props
  const offline = useConnection() === 'offline'
  const [ran, setRan] = useState<RanAnswer | null>(null)
  const isOfRun = request.runId !== null
  const [then, setThen] = useState<Then | null>(isOfRun ? null : 'continue')
  const [reason, setReason] = useDraft(request.id, 'reason')
  const { submission, submit } = useSubmit(
    useCallback(
      (body: { ran: boolean | null; then: Then; reason: string }, sending: SubmitOptions) =>
        callApi('settleOutcome', { params: { id: request.id }, body, ...sending }),
      [request.id],
    ),
  )
  const form = useRef<HTMLFormElement>(null)
  const busy = submission.state === 'submitting'
  const open =
    request.state === 'pending' && request.eligibility.canDecide && submission.state !== 'recorded'
  const ready = open && !busy && !offline && ran !== null && then !== null && reason.trim() !== ''
  const send = async (): Promise<void> => {
    if (!ready) return
    const body = { ran: ran === 'unclear' ? null : ran === 'yes', then, reason: reason.trim() }
    if ((await submit(body)) === null) return
    setReason('')
    announce('Recorded.')
  }
  useShortcut('submit', open ? () => void send() : null)
  useShortcut('deny', open ? () => form.current?.querySelector('input')?.focus() : null)

  const recorded = submission.state === 'recorded' ? recordedText(ran, isOfRun ? then : null) : null
  return (
    <AnswerFrame
      closed={closedAnswer(props, recorded)}
      unsent={reason}
      attempt="finding"
      form={form}
      submission={submission}
      ready={ready}
      offline={offline}
      onSubmit={() => void send()}
    >
      <p className="small">
        It was started, and then the connection was lost. Check what it would have changed, then
        record your finding.
      </p>
      <RadioField
        legend="Did it take effect?"
        name="ran"
        options={findings}
        value={ran}
        onChoose={(finding) => {
          setRan(finding)
          if (finding !== 'no' && then === 'again') setThen(null)
        }}
        disabled={busy}
      />
      {isOfRun && (
        <ContinuationField mayRepeat={ran === 'no'} then={then} onChoose={setThen} busy={busy} />
      )}
      <Textarea
        label="Reason"
        description={isOfRun ? 'How you found out. The agent reads it.' : 'How you found out.'}
        required
        autosize
        minRows={2}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </AnswerFrame>
  )
}

/** How the run continues. The call is carried out again only if it did not take effect. */
function ContinuationField(props: {
  mayRepeat: boolean
  then: Then | null
  onChoose: (then: Then) => void
  busy: boolean
}) {
  const options = continuations.map((option) => ({
    ...option,
    disabled: option.value === 'again' && !props.mayRepeat,
  }))
  return (
    <RadioField
      legend="What does the run do next?"
      name="then"
      options={options}
      value={props.then}
      onChoose={props.onChoose}
      disabled={props.busy}
    />
  )
}

/** What follows from a recorded finding; `then` is null for the call of a program. */
function recordedText(ran: RanAnswer | null, then: Then | null): string {
  if (then !== null) return recordedTexts[then]
  return ran === 'unclear'
    ? 'The outcome of the call stays unknown.'
    : 'Your finding is the outcome of the call.'
}
