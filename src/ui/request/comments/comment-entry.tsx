import { Button, Textarea } from '@mantine/core'
import { useState } from 'react'
import { callApi } from '../../api/call-api.ts'
import { useMe } from '../../api/queries.ts'
import { announce } from '../../states/announce.tsx'
import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { useReadAgain, type Comment, type Commented } from './commented.ts'

/**
 * One comment: who said it and when, about which line where `showsLine`, and the words. Its author
 * can edit and remove it while the request is pending.
 */
export function CommentEntry(props: {
  request: Pick<Commented, 'id' | 'state'>
  comment: Comment
  showsLine: boolean
}) {
  const { request, comment, showsLine } = props
  const { person } = useMe()
  const [isEditing, setEditing] = useState(false)
  const { anchor } = comment
  const isOwn = comment.person.id === person.id && request.state === 'pending'
  return (
    <>
      <p className="small">
        <strong>{comment.person.name}</strong>{' '}
        <span className="dim">
          <Time at={comment.at} />
        </span>
        {showsLine && anchor !== null && (
          <>
            {' '}
            on{' '}
            <code>
              <VisibleText text={anchor.file} />
            </code>
            , {anchor.side} line {anchor.line}
          </>
        )}
      </p>
      {isOwn && isEditing ? (
        <EditComment {...props} onDone={() => setEditing(false)} />
      ) : (
        <>
          <p>
            <VisibleText text={comment.text} />
          </p>
          {isOwn && <OwnActions {...props} onEdit={() => setEditing(true)} />}
        </>
      )}
    </>
  )
}

function OwnActions(props: {
  request: Pick<Commented, 'id'>
  comment: Comment
  onEdit: () => void
}) {
  const { request, comment, onEdit } = props
  const { act, busy, refusal } = useCommentAct()
  const params = { id: request.id, commentId: comment.id }
  return (
    <>
      <div className="row">
        <Button size="compact-xs" variant="subtle" color="gray" onClick={onEdit}>
          Edit
        </Button>
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          loading={busy}
          onClick={() => void act(() => callApi('removeComment', { params }), 'Comment removed')}
        >
          Remove
        </Button>
      </div>
      {refusal !== null && <p role="alert">{refusal}</p>}
    </>
  )
}

function EditComment(props: {
  request: Pick<Commented, 'id'>
  comment: Comment
  onDone: () => void
}) {
  const { request, comment, onDone } = props
  const [text, setText] = useState(comment.text)
  const { act, busy, refusal } = useCommentAct()
  const save = async (): Promise<void> => {
    const params = { id: request.id, commentId: comment.id }
    const body = { text: text.trim() }
    if (await act(() => callApi('editComment', { params, body }), 'Comment edited')) onDone()
  }
  return (
    <div className="column">
      <Textarea
        aria-label="Words of the comment"
        ref={focusOnce}
        autosize
        minRows={1}
        maxLength={4000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && onDone()}
      />
      {refusal !== null && <p role="alert">{refusal}</p>}
      <div className="row">
        <Button
          size="compact-sm"
          loading={busy}
          disabled={text.trim() === ''}
          onClick={() => void save()}
        >
          Save
        </Button>
        <Button size="compact-sm" variant="default" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </div>
  )
}

function focusOnce(field: HTMLTextAreaElement | null): void {
  field?.focus()
}

/** Runs a change of a comment and reads again what shows it; whether it was made. */
function useCommentAct() {
  const readAgain = useReadAgain()
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const act = async (work: () => Promise<unknown>, message: string): Promise<boolean> => {
    setBusy(true)
    setRefusal(null)
    try {
      await work()
      announce(message)
      await readAgain()
      return true
    } catch (error) {
      setRefusal((error as Error).message)
      return false
    } finally {
      setBusy(false)
    }
  }
  return { act, busy, refusal }
}
