import { Button, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { callApi } from '../api/call-api.ts'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { useDraft } from '../states/draft.ts'

/** What colleagues have to say about the request; the agent does not read it. */
export function Comments({ request }: { request: RequestDetail }) {
  const client = useQueryClient()
  const input = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useDraft(request.id, 'comment')
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  useShortcut('comment', () => input.current?.focus())
  const keys = useAriaKeys('comment')
  const post = async (): Promise<void> => {
    setBusy(true)
    setRefusal(null)
    try {
      await callApi('commentRequest', {
        params: { id: request.id },
        body: { text: text.trim() },
      })
      setText('')
      await client.invalidateQueries({ queryKey: ['request'] })
    } catch (error) {
      setRefusal((error as Error).message)
    }
    setBusy(false)
  }
  return (
    <section className="card" aria-labelledby="comments-title">
      <h2 id="comments-title">Comments</h2>
      <ul className="comments">
        {request.comments.map((comment) => (
          <li key={comment.id}>
            <p className="small">
              <strong>{comment.person.name}</strong>{' '}
              <span className="dim">
                <Time at={comment.at} />
              </span>
            </p>
            <p>
              <VisibleText text={comment.text} />
            </p>
          </li>
        ))}
      </ul>
      <div className="column">
        <Textarea
          ref={input}
          aria-label="Comment"
          placeholder="A comment for your colleagues; the agent does not read it"
          autosize
          minRows={1}
          maxLength={4000}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          {...keys}
        />
        {refusal !== null && <p role="alert">{refusal}</p>}
        {text.trim() !== '' && (
          <div>
            <Button size="xs" variant="default" loading={busy} onClick={() => void post()}>
              Comment
            </Button>
          </div>
        )}
      </div>
    </section>
  )
}
