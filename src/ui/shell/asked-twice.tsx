import { Button, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'

interface AskedTwiceProps {
  /** of the button that asks the first time */
  readonly label: string
  readonly confirm: string
  /** of the way back */
  readonly leave: string
  /** what is said of the reason; without a reason it goes only where none is needed */
  readonly reason: { readonly isNeeded: boolean; readonly note?: string }
  /** Does it with the trimmed reason; what it throws is shown as its refusal. */
  readonly act: (reason: string) => Promise<void>
  /** makes a card of the form, which says what it will do */
  readonly card?: { readonly title: string; readonly text: string }
}

/** Ends something for good: a button, then a reason beside the way back. What is on the page is read again afterwards. */
export function AskedTwice({ label, confirm, leave, reason, act, card }: AskedTwiceProps) {
  const client = useQueryClient()
  const titleId = useId()
  const [asked, setAsked] = useState(false)
  const [words, setWords] = useState('')
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const given = words.trim()
  const go = async (): Promise<void> => {
    setBusy(true)
    setRefusal(null)
    try {
      await act(given)
      await client.invalidateQueries()
    } catch (error) {
      setRefusal((error as Error).message)
    }
    setBusy(false)
  }
  if (!asked) {
    return (
      <Button variant="default" onClick={() => setAsked(true)}>
        {label}
      </Button>
    )
  }
  const form = (
    <>
      <Textarea
        label="Reason"
        description={reason.note}
        autosize
        minRows={2}
        maxLength={4000}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
      {refusal !== null && <p role="alert">{refusal}</p>}
      <div className="row">
        <Button variant="default" onClick={() => setAsked(false)}>
          {leave}
        </Button>
        <Button
          color="red"
          loading={busy}
          disabled={reason.isNeeded && given === ''}
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
