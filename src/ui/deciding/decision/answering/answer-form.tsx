import { Textarea } from '@mantine/core'
import { useCallback, useRef } from 'react'
import { callApi } from '../../../api/call-api.ts'
import { useShortcut } from '../../../keyboard/keyboard-provider.tsx'
import { useConnection } from '../../../live/live-provider.tsx'
import { announce } from '../../../states/announce.tsx'
import { VisibleText } from '../../../text/visible-text.tsx'
import { choicesOf } from '../../facts/question-text.ts'
import { AnswerFrame, type ClosableForm, closedAnswer } from './answer-parts.tsx'
import { useDraft } from '../../../states/draft.ts'
import { RadioField } from '../../../states/radio-field.tsx'
import { type SubmitOptions, useSubmit } from '../use-submit.ts'

const recordedText =
  'The agent reads your answer, and the run continues. You are now behind the later requests of this run, so other people decide them.'

/** Answers a question of a run, with one of its choices or with a text. */
export function AnswerForm(props: ClosableForm) {
  const { request, onNext } = props
  const offline = useConnection() === 'offline'
  const [text, setText] = useDraft(request.id, 'reason')
  const { submission, submit } = useSubmit(
    useCallback(
      (body: { text: string }, sending: SubmitOptions) =>
        callApi('answerQuestion', { params: { id: request.id }, body, ...sending }),
      [request.id],
    ),
  )
  const form = useRef<HTMLFormElement>(null)
  const choices = choicesOf(request)
  const busy = submission.state === 'submitting'
  const recorded = submission.state === 'recorded'
  const open = request.state === 'pending' && request.eligibility.canDecide && !recorded
  const valid = choices.length === 0 ? text.trim() !== '' : choices.includes(text)
  const ready = open && !busy && !offline && valid
  const send = async (thenNext: boolean): Promise<void> => {
    if (!ready || (await submit({ text })) === null) return
    setText('')
    announce('Recorded. The agent reads your answer.')
    if (thenNext) onNext?.()
  }
  useShortcut('submit', open ? () => void send(false) : null)
  useShortcut('submitNext', open && onNext !== null ? () => void send(true) : null)
  const focus = (): void => form.current?.querySelector<HTMLElement>('input, textarea')?.focus()
  useShortcut('approve', open ? focus : null)

  return (
    <AnswerFrame
      closed={closedAnswer(props, recorded ? recordedText : null)}
      unsent={choices.length === 0 ? text : ''}
      attempt="answer"
      form={form}
      submission={submission}
      ready={ready}
      offline={offline}
      onSubmit={() => void send(false)}
    >
      <p className="small">
        The agent gets your answer unchanged. The answer approves nothing, and afterwards you cannot
        decide requests of this run.
      </p>
      {choices.length === 0 ? (
        <Textarea
          label="Answer"
          required
          autosize
          minRows={3}
          maxRows={12}
          value={text}
          disabled={busy}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      ) : (
        <RadioField
          legend="Answer"
          name="answer"
          options={choices.map((value) => ({ value, label: <VisibleText text={value} /> }))}
          value={text}
          onChoose={setText}
          disabled={busy}
        />
      )}
    </AnswerFrame>
  )
}
