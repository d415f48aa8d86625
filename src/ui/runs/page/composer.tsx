import { Button, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, type RefObject } from 'react'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { callApi } from '../../api/call-api.ts'
import { useIntentKey } from '../../api/use-intent-key.ts'
import { useAriaKeys, useShortcut } from '../../keyboard/keyboard-provider.tsx'
import { announce } from '../../states/announce.tsx'
import { useDraft } from '../../states/draft.ts'
import { SentFileField } from '../files/sent-file-field.tsx'
import { useSentFiles } from '../files/use-sent-files.ts'
import { verbs } from '../../words/verbs.ts'
import { useAttempt } from '../../states/use-attempt.ts'
import './composer.css'

/**
 * Posts a message to a run. A run that waits for input continues; others read it before their next
 * turn. `onSent` is called once it was accepted, `onGrowth` when the field may have become higher.
 */
export function Composer(props: { run: RunDetail; onSent: () => void; onGrowth: () => void }) {
  const { run, onSent, onGrowth } = props
  const client = useQueryClient()
  const keys = useAriaKeys('submit')
  const [text, setText] = useDraft(run.id, 'comment')
  const latest = useRef(text)
  const write = (next: string): void => {
    latest.current = next
    setText(next)
  }
  useEffect(() => {
    if (text !== '') onGrowth()
  }, [text, onGrowth])
  const intent = useIntentKey(`message.${run.id}`)
  const { attempt, busy, refusal } = useAttempt()
  const files = useSentFiles()
  const waits = run.state === 'waiting_for_input'
  const send = async (): Promise<void> => {
    if (text.trim() === '') return
    await attempt(async () => {
      const params = { id: run.id }
      const body = { text, ...files.body }
      await callApi('postMessage', { params, body, idempotencyKey: intent.of(body) })
      // What was typed meanwhile stays, without the part that was sent.
      const now = latest.current
      write(now.startsWith(text) ? now.slice(text.length).trimStart() : now)
      files.clear()
      intent.renew()
      announce('Message sent')
      // Does not wait for the reload, so that the next message can be written at once.
      void client.invalidateQueries({ queryKey: ['run', run.id] })
      onSent()
    })
  }
  // Elsewhere on the page the same keys submit the decision of a call.
  const form = useRef<HTMLFormElement>(null)
  useShortcut('submit', () => void send(), form)
  useHeightOf(form)
  return (
    <form
      ref={form}
      className="composer"
      aria-label="Message to the run"
      {...files.drop}
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <Textarea
        aria-label="Message"
        aria-describedby="composer-note"
        placeholder={waits ? 'It goes on with your message' : 'It is read before the next turn'}
        autosize
        minRows={1}
        maxRows={10}
        value={text}
        onPaste={files.paste}
        onChange={(event) => write(event.currentTarget.value)}
      />
      <Button type="submit" loading={busy} disabled={text.trim() === ''} {...keys}>
        {verbs.send}
      </Button>
      <SentFileField sent={files} error={null} />
      <p id="composer-note" className="dim small">
        If you write to a run, you cannot decide its later requests.
      </p>
      {refusal !== null && <p role="alert">{refusal}</p>}
    </form>
  )
}

/** Tells the height of the box to the style of the conversation, whose end it covers. */
function useHeightOf(form: RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    const box = form.current
    const conversation = box?.parentElement
    if (box == null || conversation == null) return
    const observer = new ResizeObserver(() => {
      conversation.style.setProperty('--composer-height', `${box.offsetHeight}px`)
    })
    observer.observe(box)
    return () => {
      observer.disconnect()
      conversation.style.removeProperty('--composer-height')
    }
  }, [form])
}
