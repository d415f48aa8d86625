import { Button, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { callApi } from '../api/call-api.ts'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { useDraft } from '../states/draft.ts'

const titleId = 'comments-title'

/**
 * What colleagues have to say about the request. The agent reads those on lines, with a denial that
 * comes after them (product.md 41), and no others.
 */
export function Comments({ request }: { request: RequestDetail }) {
  const client = useQueryClient()
  const input = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useDraft(request.id, 'comment')
  const [line, setLine] = useState('')
  const path = request.presentation.metadata['path']
  const file = typeof path === 'string' ? path : null
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  useShortcut('comment', () => input.current?.focus())
  const { hash } = useLocation()
  useEffect(() => {
    // From a row of the list: who comes to write begins there.
    if (hash === `#${titleId}`) input.current?.focus()
  }, [hash])
  const keys = useAriaKeys('comment')
  const post = async (): Promise<void> => {
    setBusy(true)
    setRefusal(null)
    try {
      await callApi('commentRequest', {
        params: { id: request.id },
        body: {
          text: text.trim(),
          ...(file !== null &&
            /^[1-9]\d{0,6}$/.test(line) && {
              anchor: { file, side: 'new' as const, line: Number(line) },
            }),
        },
      })
      setText('')
      setLine('')
      await client.invalidateQueries({ queryKey: ['request'] })
    } catch (error) {
      setRefusal((error as Error).message)
    }
    setBusy(false)
  }
  return (
    <section className="card" aria-labelledby={titleId}>
      <h2 id={titleId}>Comments</h2>
      <ul className="comments">
        {request.comments.map((comment) => (
          <li key={comment.id}>
            <p className="small">
              <strong>{comment.person.name}</strong>{' '}
              <span className="dim">
                <Time at={comment.at} />
              </span>
              {comment.anchor !== null && (
                <>
                  {' '}
                  on{' '}
                  <code>
                    <VisibleText text={comment.anchor.file} />
                  </code>
                  , {comment.anchor.side} line {comment.anchor.line}
                </>
              )}
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
        {text.trim() !== '' && file !== null && (
          <TextInput
            label="Line"
            description="With a line, the agent reads it if the call is denied."
            inputMode="numeric"
            maxLength={7}
            value={line}
            onChange={(event) => setLine(event.currentTarget.value)}
          />
        )}
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
