import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useRef, useState, type Ref } from 'react'
import {
  anchorSides,
  type AnchorSide,
  type CommentAnchor,
} from '#domain/requests/comment-anchor.ts'
import { callApi } from '../../api/call-api.ts'
import { useAriaKeys } from '../../keyboard/keyboard-provider.tsx'
import { useDraft } from '../../states/draft.ts'
import type { CommentedRequest } from './commented-request.ts'
import { leaveField, useSaveKeys } from './comment-keys.ts'
import { useCommentAct } from './use-comment-act.ts'
import { verbs } from '../../words/verbs.ts'

const sideWords: Readonly<Record<AnchorSide, string>> = {
  new: 'of the file as it would be',
  old: 'of the file as it was',
}

/** The form of a comment on a request, or on the line of its file that the person names. */
export function CommentForm(props: {
  request: CommentedRequest
  label: string
  field: Ref<HTMLTextAreaElement>
}) {
  const { request, label, field } = props
  const [text, setText] = useDraft(request.id, 'comment')
  const [line, setLine] = useState('')
  const [side, setSide] = useState<AnchorSide>('new')
  const { act, busy, refusal } = useCommentAct()
  const keys = useAriaKeys('comment')
  const { metadata, type } = request.presentation
  const file = typeof metadata['path'] === 'string' ? metadata['path'] : null
  const post = async (): Promise<void> => {
    const anchor = anchorOf({ file, side, line })
    const body = { text: text.trim(), ...(anchor !== null && { anchor }) }
    if (!(await act(() => callApi('commentRequest', { params: { id: request.id }, body })))) return
    setText('')
    setLine('')
  }
  const form = useRef<HTMLDivElement>(null)
  const saveKeys = useAriaKeys('submit')
  const hasLine = file !== null && line !== ''
  const canPost = text.trim() !== '' && (!hasLine || isLine(line))
  useSaveKeys(form, canPost && !busy ? () => void post() : null)
  return (
    <div ref={form} className="column comment-form" tabIndex={-1}>
      <Textarea
        ref={field}
        aria-label={label}
        placeholder="A comment for your colleagues; the agent does not read it"
        autosize
        minRows={1}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={leaveField}
        {...keys}
      />
      {text.trim() !== '' && file !== null && (
        <div className="row">
          <TextInput
            label="Line"
            description={
              request.state === 'pending'
                ? 'With a line, the agent reads it if the call is denied.'
                : 'It no longer waits: the agent does not read this.'
            }
            inputMode="numeric"
            maxLength={7}
            value={line}
            error={line === '' || isLine(line) ? null : 'A whole number, 1 or more.'}
            onChange={(event) => setLine(event.currentTarget.value)}
          />
          {type === 'diff' && line !== '' && (
            <NativeSelect
              label="Which file"
              value={side}
              data={anchorSides.map((value) => ({ value, label: sideWords[value] }))}
              onChange={(event) => {
                const choice = event.currentTarget.value
                setSide(anchorSides.find((one) => one === choice) ?? 'new')
              }}
            />
          )}
        </div>
      )}
      {refusal !== null && <p role="alert">{refusal}</p>}
      {text.trim() !== '' && (
        <div>
          <Button
            size="xs"
            variant="default"
            loading={busy}
            disabled={!canPost}
            onClick={() => void post()}
            {...saveKeys}
          >
            {verbs.comment}
          </Button>
        </div>
      )}
    </div>
  )
}

function isLine(text: string): boolean {
  return /^[1-9]\d{0,6}$/.test(text)
}

function anchorOf(at: {
  file: string | null
  side: AnchorSide
  line: string
}): CommentAnchor | null {
  const { file, side, line } = at
  return file === null || !isLine(line) ? null : { file, side, line: Number(line) }
}
