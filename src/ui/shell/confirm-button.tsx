import { Button, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'

interface ConfirmButtonProps {
  /** of the button that asks the first time */
  readonly label: string
  readonly confirm: string
  /** of the way back */
  readonly leave: string
  /**
   * `note` describes the field; an empty reason is accepted only where none is needed. `null`: no
   * reason is asked for
   */
  readonly reason: { readonly isNeeded: boolean; readonly note?: string } | null
  /** Does it with the trimmed reason; what it throws is shown as its refusal. */
  readonly act: (reason: string) => Promise<void>
  /** makes a card of the form, which says what it will do */
  readonly card?: { readonly title: string; readonly text: string }
}

/**
 * Ends something for good: a button, then a form with a reason and a way back. Afterwards the page
 * reads its data again.
 */
export function ConfirmButton({ label, confirm, leave, reason, act, card }: ConfirmButtonProps) {
  const client = useQueryClient()
  const titleId = useId()
  const [isOpen, setIsOpen] = useState(false)
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const trimmed = text.trim()
  const go = async (): Promise<void> => {
    setBusy(true)
    setRefusal(null)
    try {
      await act(trimmed)
      await client.invalidateQueries()
    } catch (error) {
      setRefusal((error as Error).message)
    }
    setBusy(false)
  }
  if (!isOpen) {
    return (
      <Button variant="default" onClick={() => setIsOpen(true)}>
        {label}
      </Button>
    )
  }
  const form = (
    <>
      {reason !== null && (
        <Textarea
          label="Reason"
          description={reason.note}
          autosize
          minRows={2}
          maxLength={4000}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {refusal !== null && <p role="alert">{refusal}</p>}
      <div className="row">
        <Button variant="default" onClick={() => setIsOpen(false)}>
          {leave}
        </Button>
        <Button
          color="red"
          loading={busy}
          disabled={reason?.isNeeded === true && trimmed === ''}
          onClick={() => void go()}
        >
          {confirm}
        </Button>
      </div>
    </>
  )
  if (card === undefined) return <div className="column">{form}</div>
  return (
    <section className="card column" aria-labelledby={titleId}>
      <h2 id={titleId}>{card.title}</h2>
      <p className="small">{card.text}</p>
      {form}
    </section>
  )
}
