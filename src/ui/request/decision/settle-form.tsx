import { Button, Radio, Textarea } from '@mantine/core'
import { useRef, useState } from 'react'
import type { RequestDetail } from '../../../api/schemas/requests.ts'
import { useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { useConnection } from '../../live/live-provider.tsx'
import { announce } from '../../shell/announce.tsx'
import { useDraft } from './draft.ts'
import { Notice } from '../notice.tsx'
import { RefusedAnswer } from './refused-answer.tsx'
import { outcomeOf, whyNotYours } from '../state-words.ts'
import { useSubmit } from './use-submit.ts'

type Ran = 'yes' | 'no' | 'unclear'
type Then = 'continue' | 'again' | 'stop'

/** A person says what became of a call whose outcome nobody knows, and how the run goes on. */
export function SettleForm({ request, onNext }: { request: RequestDetail; onNext: () => void }) {
  const offline = useConnection() === 'offline'
  const [ran, setRan] = useState<Ran | null>(null)
  const [then, setThen] = useState<Then | null>(null)
  const [reason, setReason] = useDraft(request.id, 'reason')
  const { submission, submit } = useSubmit(`/v1/requests/${request.id}/settle`)
  const first = useRef<HTMLInputElement>(null)
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
  useShortcut('deny', open ? () => first.current?.focus() : null)

  if (submission.state === 'recorded') {
    return (
      <div className="column">
        <Notice tone="good" title="Recorded">
          The run goes on with what you found out.
        </Notice>
        <Button variant="default" onClick={onNext}>
          Next request
        </Button>
      </div>
    )
  }
  if (request.state !== 'pending') return <Notice tone="plain" title={outcomeOf(request)} />
  if (!request.eligibility.canDecide) {
    return <Notice tone="plain" title={whyNotYours(request.eligibility.reason)} />
  }
  return (
    <form
      className="column"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {submission.state === 'refused' && <RefusedAnswer refusal={submission.refusal} />}
      <p className="small">
        It was started and then lost from sight. Look at the place it would have changed, then say
        what you found.
      </p>
      <fieldset className="choices" disabled={busy}>
        <legend>Did it take effect?</legend>
        <Radio
          ref={first}
          className="choice"
          name="ran"
          label="No, it did not"
          checked={ran === 'no'}
          onChange={() => setRan('no')}
        />
        <Radio
          className="choice"
          name="ran"
          label="Yes, it did"
          checked={ran === 'yes'}
          onChange={() => {
            setRan('yes')
            if (then === 'again') setThen(null)
          }}
        />
        <Radio
          className="choice"
          name="ran"
          label="I cannot tell"
          checked={ran === 'unclear'}
          onChange={() => {
            setRan('unclear')
            if (then === 'again') setThen(null)
          }}
        />
      </fieldset>
      <fieldset className="choices" disabled={busy}>
        <legend>And then?</legend>
        <Radio
          className="choice"
          name="then"
          label="Stop"
          description="The run waits for a message."
          checked={then === 'stop'}
          onChange={() => setThen('stop')}
        />
        <Radio
          className="choice"
          name="then"
          label="Continue"
          description="The agent is told what you found."
          checked={then === 'continue'}
          onChange={() => setThen('continue')}
        />
        <Radio
          className="choice"
          name="then"
          label="Carry it out again"
          description="Only when it did not take effect."
          disabled={ran !== 'no'}
          checked={then === 'again'}
          onChange={() => setThen('again')}
        />
      </fieldset>
      <Textarea
        label="Reason"
        description="How you found out. The agent reads it."
        required
        autosize
        minRows={2}
        maxLength={4000}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {offline && (
        <p className="obstacle">Offline: nothing can be submitted until the service is back.</p>
      )}
      <Button type="submit" disabled={!ready}>
        {busy ? 'Submitting…' : 'Submit'}
      </Button>
    </form>
  )
}
