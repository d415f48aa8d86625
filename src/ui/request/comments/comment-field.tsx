import { Button, Textarea, type TextareaProps } from '@mantine/core'
import { useState } from 'react'
import { useCommentAct } from './use-comment-act.ts'

/** A field for the words of a comment, which has the focus, and the buttons that end it. */
export function CommentField(props: {
  field: Pick<TextareaProps, 'label' | 'aria-label' | 'description' | 'minRows'>
  initialText: string
  buttons: { readonly save: string; readonly size: 'xs' | 'compact-sm' }
  save: (text: string) => Promise<unknown>
  /** announced once it is saved; absent: nothing is */
  message?: string
  onDone: () => void
}) {
  const { field, initialText, buttons, save, message, onDone } = props
  const [text, setText] = useState(initialText)
  const { act, busy, refusal } = useCommentAct()
  const submit = async (): Promise<void> => {
    if (await act(() => save(text.trim()), message)) onDone()
  }
  return (
    <>
      <Textarea
        {...field}
        ref={focusOnce}
        autosize
        maxLength={4000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && onDone()}
      />
      {refusal !== null && <p role="alert">{refusal}</p>}
      <div className="row">
        <Button
          size={buttons.size}
          loading={busy}
          disabled={text.trim() === ''}
          onClick={() => void submit()}
        >
          {buttons.save}
        </Button>
        <Button size={buttons.size} variant="default" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </>
  )
}

function focusOnce(field: HTMLTextAreaElement | null): void {
  field?.focus()
}
