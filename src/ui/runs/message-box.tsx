import { Button, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { callApi } from '../api/call-api.ts'
import { newIdempotencyKey } from '../api/idempotency-key.ts'
import { useDraft } from '../states/draft.ts'
import { announce } from '../states/announce.tsx'

/**
 * Says something to a run: it resumes one that waits for input, and is read before the next turn of
 * any other.
 */
export function MessageBox({ run }: { run: RunDetail }) {
  const client = useQueryClient()
  const [text, setText] = useDraft(run.id, 'comment')
  const [key, setKey] = useState(newIdempotencyKey)
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const waits = run.state === 'waiting_for_input'
  const post = async (): Promise<void> => {
    setBusy(true)
    setRefusal(null)
    try {
      await callApi('postMessage', {
        params: { id: run.id },
        body: { text },
        idempotencyKey: key,
      })
      setText('')
      setKey(newIdempotencyKey())
      announce('Message posted')
      await client.invalidateQueries({ queryKey: ['run', run.id] })
    } catch (error) {
      setRefusal((error as Error).message)
    }
    setBusy(false)
  }
  return (
    <section className="card column" aria-labelledby="message-title">
      <h2 id="message-title">{waits ? 'The run waits for a message' : 'Message to the run'}</h2>
      <Textarea
        aria-labelledby="message-title"
        description={
          waits
            ? 'It goes on when you post.'
            : 'It is read before the next turn. Who writes to a run cannot decide its later requests.'
        }
        autosize
        minRows={2}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {refusal !== null && <p role="alert">{refusal}</p>}
      <div>
        <Button loading={busy} disabled={text.trim() === ''} onClick={() => void post()}>
          Post
        </Button>
      </div>
    </section>
  )
}
