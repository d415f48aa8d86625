import { Button, Textarea } from '@mantine/core'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { CommentAnchor } from '#domain/requests/comment-anchor.ts'
import { callApi } from '../../api/call-api.ts'
import type { LineNotes } from '../../effect/diff-view.tsx'
import { CommentEntry } from './comment-entry.tsx'
import { useReadAgain, type Commented } from './commented.ts'

/** Comments on lines, drawn below them, and the place where one is written. */
export function useLineNotes(request: Pick<Commented, 'id' | 'state' | 'comments'>): LineNotes {
  const [writing, setWriting] = useState<CommentAnchor | null>(null)
  const { id, comments, state } = request
  const below = useCallback<LineNotes['below']>(
    (anchor) => {
      const here = comments.filter((comment) => isAt(comment.anchor, anchor))
      const writes = isAt(writing, anchor)
      if (here.length === 0 && !writes) return null
      return (
        <div className="line-notes">
          {here.map((comment) => (
            <div key={comment.id} className="line-note">
              <CommentEntry request={{ id, state }} comment={comment} showsLine={false} />
            </div>
          ))}
          {writes && <NoteForm requestId={id} anchor={anchor} onDone={() => setWriting(null)} />}
        </div>
      )
    },
    [comments, writing, id, state],
  )
  const isOpen = state === 'pending'
  return useMemo(() => ({ below, onWrite: isOpen ? setWriting : null }), [below, isOpen])
}

function isAt(one: CommentAnchor | null, other: CommentAnchor): boolean {
  return one?.file === other.file && one.side === other.side && one.line === other.line
}

function NoteForm(props: { requestId: string; anchor: CommentAnchor; onDone: () => void }) {
  const { requestId, anchor, onDone } = props
  const readAgain = useReadAgain()
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState('')
  useEffect(() => field.current?.focus(), [])
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const post = async (): Promise<void> => {
    setBusy(true)
    setRefusal(null)
    try {
      const body = { text: text.trim(), anchor }
      await callApi('commentRequest', { params: { id: requestId }, body })
      await readAgain()
      onDone()
    } catch (error) {
      setRefusal((error as Error).message)
      setBusy(false)
    }
  }
  return (
    <div className="column line-note">
      <Textarea
        label={`Comment on ${anchor.side} line ${anchor.line}`}
        description="The agent reads it if the call is denied."
        ref={field}
        autosize
        minRows={2}
        maxLength={4000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && onDone()}
      />
      {refusal !== null && <p role="alert">{refusal}</p>}
      <div className="row">
        <Button size="xs" loading={busy} disabled={text.trim() === ''} onClick={() => void post()}>
          Comment on the line
        </Button>
        <Button size="xs" variant="default" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </div>
  )
}
